/** A recorded request as the beginning of a new one: the values of its path and query, and its body. */
import type { ResponseOf } from '../../client/operations.js';
import type { sandbox } from '../../client/sandbox-operations.js';
import type { Composed, Values } from './composed.js';
import type { DescribedOperation } from './described.js';

export type RecordedRequest = Pick<
  ResponseOf<typeof sandbox.retrieveRequest>['request'],
  'id' | 'path' | 'request_body'
>;

/** Secrets of a recorded request are hidden by this. */
const HIDDEN = '****';

/** What a developer changes before it is sent. */
export function fromRecorded(operation: DescribedOperation, { path, request_body }: RecordedRequest): Composed {
  const { pathname, searchParams } = new URL(path, 'http://any');
  const values = { ...valuesOfPath(operation.path, pathname), ...Object.fromEntries(searchParams) };
  return { operation, values, body: operation.body && parse(request_body) };
}

/** What of the request could not be taken over. Undefined: nothing. */
export function missingOfRecorded({ path, request_body: body }: RecordedRequest): string | undefined {
  if (body?.is_cut) return 'Only the beginning of its body was kept, so the body is missing here.';
  if (body !== undefined && parse(body) === undefined) return 'Its body is no JSON, so it is missing here.';
  const isHidden = path.includes(HIDDEN) || body?.text.includes(HIDDEN);
  return isHidden ? `Secrets of it are hidden by ${HIDDEN}: type them before you send it.` : undefined;
}

function valuesOfPath(template: string, pathname: string): Values {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const pattern = new RegExp(`^${template.replaceAll(/\{\w+\}/g, '([^/]*)')}/?$`);
  const found = pattern.exec(pathname)?.slice(1) ?? [];
  return Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(found[index] ?? '')]));
}

function parse(body: RecordedRequest['request_body']): unknown {
  if (body === undefined || body.is_cut) return undefined;
  try {
    return JSON.parse(body.text);
  } catch {
    return undefined;
  }
}
