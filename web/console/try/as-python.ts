/** A composed request as a program in Python, which needs nothing but Python itself. */
import { type Composed, pathOf, secretHeadersOf } from './composed.js';

export function asPython(composed: Composed, baseUrl: string): string {
  const { operation, body } = composed;
  const secrets = secretHeadersOf(operation);
  const headers = [
    ...secrets.map(({ name, before, variable }) => `"${name}": ${before && `"${before}" + `}os.environ["${variable}"]`),
    ...(body === undefined ? [] : ['"Content-Type": "application/json"']),
  ];
  return [
    'import json',
    ...(secrets.length > 0 ? ['import os'] : []),
    'import urllib.request',
    '',
    'request = urllib.request.Request(',
    `    ${JSON.stringify(baseUrl + pathOf(composed))},`,
    `    method="${operation.method}",`,
    ...(headers.length > 0 ? ['    headers={', ...headers.map((header) => `        ${header},`), '    },'] : []),
    ...(body === undefined ? [] : [`    data=json.dumps(${indent(printValue(body))}).encode(),`]),
    ')',
    'with urllib.request.urlopen(request) as response:',
    '    print(json.load(response))',
    '',
  ].join('\n');
}

function indent(text: string): string {
  return text.replaceAll('\n', '\n    ');
}

/** JSON and Python write texts alike, but not `null`, `true` and `false`. */
function printValue(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const parts = Array.isArray(value)
    ? value.map(printValue)
    : Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${printValue(each)}`);
  if (parts.length === 0) return `${open}${close}`;
  return `${open}\n${parts.map((part) => `    ${indent(part)},`).join('\n')}\n${close}`;
}
