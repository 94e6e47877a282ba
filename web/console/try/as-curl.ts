/** A composed request as a command of curl. */
import { printCurlCommand } from '../../../src/base/curl-command.js';
import { type Composed, pathOf, SCHEMES } from './composed.js';

export function asCurl(composed: Composed, baseUrl: string): string {
  const { operation, body } = composed;
  const scheme = operation.scheme && SCHEMES[operation.scheme];
  return printCurlCommand({
    method: operation.method,
    url: baseUrl + pathOf(composed),
    headers: [
      ...(scheme ? [{ name: 'Authorization', value: `${scheme.word} `, variable: scheme.variable }] : []),
      ...(body === undefined ? [] : [{ name: 'Content-Type', value: 'application/json' }]),
    ],
    body: body === undefined ? undefined : JSON.stringify(body),
  });
}
