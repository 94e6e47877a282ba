/** Events that payments and refunds cause in a cash drawer. Pure. */
import { ZERO } from '../../base/money.js';
import type { ReturnedTender, TenderEvent } from '../cash-drawers/actions.js';
import type { Payment, PendingPayment, Refund } from './model.js';

/** What the drawer notes of it. */
export function toPaymentDrawerEvent({ id: subjectId, sourceType, total }: PendingPayment): TenderEvent {
  return sourceType === 'CASH'
    ? { kind: 'CASH_TENDER_PAYMENT', amount: total, subjectId }
    : { kind: 'OTHER_TENDER_PAYMENT', amount: ZERO, subjectId };
}

/** What a drawer notes of a refund; nothing of a card. */
export function toRefundDrawerEvent({ id: subjectId, sourceType, amount }: Refund): TenderEvent | undefined {
  switch (sourceType) {
    case 'CASH':
      return { kind: 'CASH_TENDER_REFUND', amount, subjectId };
    case 'OTHER':
      return { kind: 'OTHER_TENDER_REFUND', amount: ZERO, subjectId };
    case 'CARD':
      return undefined;
  }
}

/** A tender of a sale that is given up: `refund` is what gave it back. Cards are no drawer's business. */
export function toReturnedTender(
  { id: subjectId, sourceType, total, drawerShiftId }: Payment,
  refund: Refund | undefined,
): ReturnedTender | undefined {
  if (sourceType === 'CARD') return undefined;
  return {
    takenIn: drawerShiftId,
    canceled:
      sourceType === 'CASH'
        ? { kind: 'CASH_TENDER_CANCELLED_PAYMENT', amount: total, subjectId }
        : { kind: 'OTHER_TENDER_CANCELLED_PAYMENT', amount: ZERO, subjectId },
    refunded: refund && toRefundDrawerEvent(refund),
  };
}
