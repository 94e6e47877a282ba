/** Finds and resends the webhook deliveries of a merchant, for owners and operators. */
import { realNow } from '../base/clock.js';
import { notFound, Refusal } from '../base/errors.js';
import type { Database } from '../database/database.js';
import { findDelivery } from './delivery-queries.js';
import { moveDeliveryToWaiting } from './resend-queries.js';

export async function requireDelivery(database: Database, merchantId: string, id: string) {
  const found = await findDelivery(database.sql, merchantId, id);
  if (!found) throw notFound('webhook delivery', id);
  return found;
}

/** Delivers it again, in any state, with as many retries as a new delivery has. */
export async function resendDelivery(database: Database, merchantId: string, id: string): Promise<void> {
  const outcome = await database.statement((tx) => moveDeliveryToWaiting(tx, merchantId, id, realNow()));
  if (outcome === 'no delivery') throw notFound('webhook delivery', id);
  if (outcome === 'no subscription') {
    throw new Refusal('WRONG_STATE', { detail: `The subscription of delivery ${id} is no longer active.` });
  }
}
