/** Refunds the remaining amount of a sale, as part of canceling or refunding an order. */
import type { Ids } from '../../base/ids.js';
import type { Instant } from '../../base/time.js';
import type { Change } from '../../database/change.js';
import { type Refund, sixtyDayWindow, toRemainingParts } from './model.js';
import { readSaleToRefund, refundTenders } from './refund-tenders.js';
import { requireRefundableParts } from './through-exchanges.js';

interface RemainderContext {
  readonly ids: Ids;
  readonly now: Instant;
  /** The owner, or the employee at a register, who cancels the order. An application is neither. */
  readonly accountId?: string | undefined;
  readonly employeeId?: string | undefined;
  readonly deviceId?: string | undefined;
}

/** Returns the refunds. Does nothing if the remaining amount is zero. Throws a refusal if it cannot be refunded. */
export async function refundRemainder(
  change: Change,
  { ids, now, accountId, employeeId, deviceId }: RemainderContext,
  { saleId, locationId, reason }: { readonly saleId: string; readonly locationId: string; readonly reason: string },
): Promise<readonly Refund[]> {
  const { sale, tenders } = await readSaleToRefund(change, { paymentId: saleId, locationId, refundScope: 'SALE' });
  const remaining = toRemainingParts(tenders);
  if (remaining.length === 0) return [];
  const attempt = { now, window: sixtyDayWindow(sale.createdAt), field: 'payment_id' };
  const parts = await requireRefundableParts(change, remaining, attempt);
  const origin = employeeId === undefined ? 'API' : 'REGISTER';
  const by = { origin, employeeId: employeeId ?? null, deviceId: deviceId ?? null } as const;
  const details = { ...by, type: 'FULL', reason, ids, at: now, now, sale } as const;
  const { refunds } = refundTenders(change, parts, { ...details, ...(accountId !== undefined && { accountId }) });
  return refunds;
}
