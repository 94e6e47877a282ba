/** Finds and resends the webhook deliveries of a merchant, for owners and operators. */
import { realNow } from '../base/clock.js';
import { notFound, Refusal } from '../base/errors.js';
import type { Database } from '../database/database.js';
import { type AuditActor, recordAudit } from '../identity/audit.js';
import { findDelivery } from './delivery-queries.js';
import { moveDeliveryToWaiting } from './resend-queries.js';

export async function requireDelivery(database: Database, merchantId: string, id: string) {
  const found = await findDelivery(database.sql, merchantId, id);
  if (!found) throw notFound('webhook delivery', id);
  return found;
}

/** Delivers it again, in any state, with as many retries as a new delivery has. */
export async function resendDelivery(
  database: Database,
  merchantId: string,
  id: string,
  by: AuditActor = {},
): Promise<void> {
  const outcome = await database.transaction(async (tx) => {
    const moved = await moveDeliveryToWaiting(tx, merchantId, id, realNow());
    if (moved === 'moved') {
      await recordAudit(tx, { kind: 'WEBHOOK_RESENT', ...by, merchantId, details: { delivery_id: id } });
    }
    return moved;
  });
  if (outcome === 'no delivery') throw notFound('webhook delivery', id);
  if (outcome === 'no subscription') {
    throw new Refusal('WRONG_STATE', { detail: `The subscription of delivery ${id} is no longer active.` });
  }
}
