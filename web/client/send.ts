/** Sends one request to an operation of the server. */
import type { Callable } from './callable.js';
import { noteWrite } from './connection.js';
import { readProblem, unreachable } from './problem.js';

export type Given = Readonly<Record<string, unknown>>;

export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the request as if the server had not responded. */
  readonly signal?: AbortSignal;
}

/** Browsers send the session cookie and the Origin header, which protects writes, by themselves. */
export async function sendRequest(
  { method, path, name }: Callable,
  input: Given,
  { headers, signal }: SendOptions = {},
): Promise<unknown> {
  const rest: Record<string, unknown> = { ...input };
  const place = path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => {
    const value = rest[parameter];
    delete rest[parameter];
    if (typeof value !== 'string' || value === '') throw new TypeError(`${name} needs ${parameter}`);
    return encodeURIComponent(value);
  });
  const isRead = method === 'GET' || method === 'DELETE';
  const response = await fetch(isRead ? place + printQuery(rest) : place, {
    method,
    headers: { accept: 'application/json', ...(!isRead && { 'content-type': 'application/json' }), ...headers },
    ...(!isRead && { body: JSON.stringify(rest) }),
    ...(signal && { signal }),
  }).catch(() => {
    throw unreachable();
  });
  if (!response.ok) throw await readProblem(response);
  if (!isRead) noteWrite();
  return response.json().catch(() => {
    throw unreachable(); // the connection was lost in the middle of the response
  });
}

function printQuery(query: Given): string {
  const set = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}
