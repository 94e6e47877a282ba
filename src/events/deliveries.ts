/** What was told about a merchant's business, to whom, and how it went; shown to owners and operators alike. */
import { realNow } from '../base/clock.js';
import { notFound, Refusal } from '../base/errors.js';
import type { Database } from '../database/database.js';
import { findDelivery, moveDeliveryToWaiting } from './delivery-queries.js';

export async function requireDelivery(database: Database, merchantId: string, id: string) {
  const found = await findDelivery(database.sql, merchantId, id);
  if (!found) throw notFound('webhook delivery', id);
  return found;
}

/** Sends it again, whatever became of it, with all the tries that a new one has. */
export async function replayDelivery(database: Database, merchantId: string, id: string): Promise<void> {
  const outcome = await database.statement((tx) => moveDeliveryToWaiting(tx, merchantId, id, realNow()));
  if (outcome === 'no delivery') throw notFound('webhook delivery', id);
  if (outcome === 'no subscription') {
    throw new Refusal('WRONG_STATE', { detail: `The subscription of delivery ${id} has ended.` });
  }
}
