/** What a register has paid out while it was offline, of payments that are disputed. Pure. */
import type { FlaggingWrite } from '../../access/devices/kept-writes.js';
import type { DisputablePayment, PaymentStatus } from '../payments/model.js';

const DETAILS = {
  // The part of the card fails when it is due (`finishRefund`).
  REFUND: 'A payment of this sale is disputed. What was paid out in cash is recorded, the card gets nothing.',
  // A sale is canceled as a whole.
  CANCEL: 'A payment of this sale was disputed when it was canceled. It went back to the card all the same.',
} as const;

/**
 * Cash that has left a drawer is recorded, and flagged, though a dispute holds money of the sale. Returns these disputes. Without cash, the
 * write is refused like any other.
 */
export function admitPaidOut(
  { kept, flag }: FlaggingWrite,
  payments: readonly DisputablePayment<PaymentStatus>[],
  act: keyof typeof DETAILS = 'REFUND',
): readonly string[] {
  const disputes = payments.flatMap(({ dispute }) => dispute?.id ?? []);
  if (!kept || disputes.length === 0 || payments.every(({ sourceType }) => sourceType === 'CARD')) return [];
  flag({ code: 'DISPUTED', detail: DETAILS[act] });
  return disputes;
}
