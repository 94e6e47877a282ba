/** What a register has paid out while it was offline, of payments that are disputed. Pure. */
import type { FlaggingWrite } from '../../access/devices/kept-writes.js';
import type { DisputablePayment } from '../payments/model.js';

/** The part of the card fails when it is due (`finishRefund`). */
const DETAIL = 'A payment of this sale is disputed. What was paid out in cash is recorded, the card gets nothing.';

/**
 * Cash that has left a drawer is recorded, and flagged, though a dispute holds money of the sale. Returns these disputes. Without cash, the
 * write is refused like any other.
 */
export function admitPaidOut({ kept, flag }: FlaggingWrite, payments: readonly DisputablePayment[]): readonly string[] {
  const disputes = payments.flatMap(({ dispute }) => dispute?.id ?? []);
  if (!kept || disputes.length === 0 || payments.every(({ sourceType }) => sourceType === 'CARD')) return [];
  flag({ code: 'DISPUTED', detail: DETAIL });
  return disputes;
}
