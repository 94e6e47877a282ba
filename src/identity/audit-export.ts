/**
 * Reads the audit log for who collects it: every event once, in an order that does not change (decision 0244). The time of an event is
 * earlier than its commit, and servers have different clocks, so an export by time would miss some. Instead, committed events get a
 * position, in one transaction after the other.
 */
import type { Database, Sql } from '../database/database.js';
import {
  findLastPosition,
  type GivenPosition,
  listNumberedAfter,
  listUnnumbered,
  lockLastPosition,
  type NumberedEvent,
  type NumberedFilter,
  updateLastPosition,
  updatePositions,
} from './audit-export-queries.js';

/** Few enough to keep in memory, with their details. */
const PAGE = 500;

/** Events after this position, in pages, until there are no more. */
export async function* exportAudit(
  database: Database,
  after: number,
  filter: NumberedFilter = {},
): AsyncGenerator<readonly NumberedEvent[]> {
  await numberEvents(database);
  for (let last = after; ; ) {
    const page = await listNumberedAfter(database.sql, last, { ...filter, limit: PAGE });
    const newest = page.at(-1);
    if (!newest) return;
    yield page;
    last = newest.position;
  }
}

/** Where an export begins that wants only what happens from now on. */
export async function findEnd(database: Database): Promise<number> {
  await numberEvents(database);
  return findLastPosition(database.sql);
}

/** Gives positions to all events that are committed now. */
async function numberEvents(database: Database): Promise<void> {
  for (let count = PAGE; count === PAGE; ) {
    const waiting = await listUnnumbered(database.sql, 1); // without the lock: usually there is nothing to do
    if (waiting.length === 0) return;
    count = await database.transaction(async (tx) => {
      const last = await lockLastPosition(tx);
      const events = await listUnnumbered(tx as Sql, PAGE);
      const given = new Map<string, GivenPosition[]>();
      for (const [index, { merchantId, id }] of events.entries()) {
        const ofMerchant = given.get(merchantId) ?? [];
        ofMerchant.push({ id, position: last + index + 1 });
        given.set(merchantId, ofMerchant);
      }
      for (const [merchantId, positions] of given) await updatePositions(tx, merchantId, positions);
      await updateLastPosition(tx, last + events.length);
      return events.length;
    });
  }
}
