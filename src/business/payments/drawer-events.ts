/** Events that payments and refunds cause in a cash drawer. Pure. */
import { ZERO } from '../../base/money.js';
import type { ReturnedTender, TenderEvent } from '../cash-drawers/actions.js';
import type { Payment, PendingPayment, Refund } from './model.js';

/** The drawer event of a payment. Only cash changes the expected amount. */
export function toPaymentDrawerEvent({ id: subjectId, sourceType, total }: PendingPayment): TenderEvent {
  return sourceType === 'CASH'
    ? { kind: 'CASH_TENDER_PAYMENT', amount: total, subjectId }
    : { kind: 'OTHER_TENDER_PAYMENT', amount: ZERO, subjectId };
}

/** The drawer event of a refund. Card refunds have none. */
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

/** The drawer events of a tender whose sale was canceled; `refund` returned its money. Card tenders have none. */
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
