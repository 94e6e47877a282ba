/** A composed request as a command of curl. */
import { printCurlCommand } from '../../../src/base/curl-command.js';
import { type Composed, pathOf, secretHeadersOf } from './composed.js';

export function asCurl(composed: Composed, baseUrl: string): string {
  const { operation, body } = composed;
  return printCurlCommand({
    method: operation.method,
    url: baseUrl + pathOf(composed),
    headers: [
      ...secretHeadersOf(operation).map(({ name, before, variable }) => ({ name, value: before, variable })),
      ...(body === undefined ? [] : [{ name: 'Content-Type', value: 'application/json' }]),
    ],
    body: body === undefined ? undefined : JSON.stringify(body),
  });
}
