/** Gives back all that is left of a sale, as part of something else: an order that is cancelled or refunded. */
import type { Ids } from '../../base/ids.js';
import type { Instant } from '../../base/time.js';
import type { Tx } from '../../database/database.js';
import { allThatIsLeft, requireRefundable, sixtyDaysAfter } from './model.js';
import { holdSale, makeRefunds } from './refund-tenders.js';

/** Nothing left is nothing to do; what is left but cannot be given back is a refusal, and nothing of it is written. */
export async function refundRest(
  tx: Tx,
  { merchantId, ids, now }: { readonly merchantId: string; readonly ids: Ids; readonly now: Instant },
  { saleId, locationId, reason }: { readonly saleId: string; readonly locationId: string; readonly reason: string },
): Promise<void> {
  const { sale, tenders } = await holdSale(tx, merchantId, { paymentId: saleId, locationId, ofWhat: 'FULL' });
  const parts = allThatIsLeft(tenders);
  if (parts.length === 0) return;
  const attempt = { now, window: sixtyDaysAfter(sale.createdAt), field: 'payment_id' };
  for (const { payment, part } of parts) requireRefundable(payment, part, attempt);
  const making = { origin: 'API', type: 'FULL', reason, employeeId: null, ids, at: now, now, sale } as const;
  await makeRefunds(tx, merchantId, parts, making);
}
