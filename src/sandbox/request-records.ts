/** The records that a recorded request made or changed: those that its response shows. */
import type { RecordedRequest } from '../api/recorded-requests.js';
import { parseBody } from './printed-request.js';
import { isSuccessful } from './request-notes.js';

export interface ChangedRecord {
  /** Such as `payment`. */
  readonly kind: string;
  readonly id: string;
}

/** A queue of a register can contain hundreds. */
const MAX_RECORDS = 20;

export function recordsOf(request: RecordedRequest): readonly ChangedRecord[] {
  if (request.method === 'GET' || !isSuccessful(request)) return [];
  const body = parseBody(request.responseBody);
  if (typeof body !== 'object' || body === null) return [];
  const own = recordIn(kindOf(request), body);
  const members = Object.entries(body).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).flatMap((each) => recordIn(singular(name), each)),
  );
  return [...own, ...members].slice(0, MAX_RECORDS);
}

function recordIn(kind: string, value: unknown): ChangedRecord[] {
  const { id } = (value ?? {}) as { id?: unknown };
  return typeof id === 'string' && id !== '' ? [{ kind, id }] : [];
}

/** A response of v1 is the record itself: `v1.createEmployee` returns an employee. */
function kindOf({ operation }: RecordedRequest): string {
  const words = (operation?.name ?? '').replace(/^[a-z]+/, '');
  return words.replaceAll(/(?<!^)([A-Z])/g, '_$1').toLowerCase() || 'record';
}

function singular(name: string): string {
  return name.replace(/ies$/, 'y').replace(/s$/, '');
}
