/** Makes writes of registers idempotent: each one has an id that the register generates, and runs once. */
import type { AttendantContext } from '../../api/operation.js';
import { about, optional, Time, text } from '../../api/wire.js';
import { realNow } from '../../base/clock.js';
import { Refusal } from '../../base/errors.js';
import { NormalizedRequest } from '../../base/normalized-request.js';
import { DAY_MS, type Instant, MINUTE_MS, parseTime } from '../../base/time.js';
import type { Change } from '../../database/change.js';
import type { Device } from '../../identity/caller.js';
import type { Flag } from '../../identity/kept-write.js';
import { admitKeptWrite, type FlaggingWrite, recordFlags } from './kept-writes.js';
import { readRegisterWrite } from './queries.js';
import { registerWrites, type StoredWrite } from './table.js';

/** Contract 8: an offline write may arrive this much later. */
export const MAX_DELAY_MS = 3 * DAY_MS;

/** A write without a response is sent again at once: online, or by the queue. Later it is one that happened while the register was offline. */
export const RETRY_MS = 2 * MINUTE_MS;

/** The fields of every write. */
export const WRITE_FIELDS = {
  id: about(
    'An id that the register chooses. A retry with the same id has no further effect.',
    text(64, { minLength: 1 }),
  ),
  occurred_at: about(
    'When it was done, for a retry whose response was lost: at most two minutes ago. Default, and in place of an earlier time: now.',
    optional(Time),
  ),
};

interface Write {
  readonly operation: string;
  readonly body: { readonly id: string; readonly occurred_at?: string };
}

/**
 * Makes the change of `work`, and records its id and response in the same commit. A retry gets the first response. `work` may flag what it
 * finds in a write that was kept.
 */
export async function writeOnce<Result>(
  context: AttendantContext,
  { operation, body }: Write,
  work: (change: Change, flag: FlaggingWrite['flag']) => Promise<Result>,
): Promise<Result> {
  const { database, merchant, device } = context;
  const request = new NormalizedRequest([operation, normalizeWrite(body, merchant.currency)]);
  const write = { device, id: body.id, request };
  return database.change(merchant.id, async (change) => {
    const known = await readKnownResponse(change, write);
    if (known !== undefined) return known as Result;
    admitKeptWrite(context);
    const more: Flag[] = [];
    let saleId: string | undefined;
    const response = await work(change, (found, ofSale) => {
      more.push(found);
      saleId ??= ofSale;
    });
    await recordFlags(change, context, {
      at: parseOccurredAt(context, body.occurred_at),
      saleId: saleId ?? null,
      more,
    });
    recordWrite(change, write, response);
    return response;
  });
}

interface IdentifiedWrite {
  readonly device: Pick<Device, 'id'>;
  /** The id that the register chose. */
  readonly id: string;
  readonly request: NormalizedRequest;
}

/** The response to an earlier, equal request. Undefined for a new write. The change depends on it. */
export async function readKnownResponse(change: Change, { device, id, request }: IdentifiedWrite): Promise<unknown> {
  const known = await readRegisterWrite(change, { deviceId: device.id, clientId: id });
  if (known && !request.matchesHash(known.requestHash)) throw idUsed(id);
  return known?.response;
}

/** Keeps the id and the response, so that a retry has no further effect. If the register has sent it twice, one is decided again. */
export function recordWrite(change: Change, { device, id, request }: IdentifiedWrite, response: unknown): void {
  const key = { deviceId: device.id, clientId: id };
  change.insert(registerWrites, { ...key, requestHash: request.hash, response, createdAt: realNow() });
}

/** Replaces the responses that retries of these writes get. */
export function rewriteResponses(
  change: Change,
  writes: readonly StoredWrite[],
  rewrite: (response: unknown) => unknown,
): void {
  for (const write of writes) change.save(registerWrites, write, { ...write, response: rewrite(write.response) });
}

export function idUsed(id: string): Refusal {
  return new Refusal('CONFLICT', { field: 'id', detail: `The id ${id} was used for another request.` });
}

/**
 * Removes what may differ in a retry: the merchant's currency in amounts, and the time. A register that got no response sends the write
 * again with its queue, which has the time of the register's clock (decision 0155).
 */
function normalizeWrite({ occurred_at: _, ...body }: Write['body'], merchantCurrency: string): unknown {
  const read = ([name, value]: [string, unknown]): [string, unknown] => {
    const { amount, currency } = (value ?? {}) as { amount?: unknown; currency?: unknown };
    return [name, amount !== undefined && currency === merchantCurrency ? { amount } : value];
  };
  return Object.fromEntries(Object.entries(body).map(read));
}

/**
 * When it happened at the register: up to 72 hours ago if a queue brings it, otherwise now, or just before if it is sent again. Call it
 * inside `writeOnce`: a retry of a write that arrived in time may come later than that.
 */
export function parseOccurredAt(
  { now, kept }: Pick<AttendantContext, 'now' | 'kept'>,
  occurredAt: string | undefined,
): Instant {
  const at = occurredAt === undefined ? now : parseTime(occurredAt);
  const field = 'occurred_at';
  if (at === undefined || at > now) {
    throw new Refusal('INVALID_VALUE', { field, detail: 'occurred_at must not be in the future.' });
  }
  if (at < now - MAX_DELAY_MS) throw new Refusal('TOO_OLD', { field });
  // Any earlier time of an online write would be the word of the register alone (decision 0220).
  return kept || at >= now - RETRY_MS ? at : now;
}
