/** Events that the tenders of a register cause in its cash drawer. Pure. */
import { ZERO } from '../../base/money.js';
import type { ReturnedTender, TenderEvent } from '../cash-drawers/model.js';
import type { Payment, PendingPayment } from '../payments/model.js';
import { type Refund, toRefundDrawerEvent } from '../refunds/model.js';

/** The drawer event of a payment. Only cash changes the expected amount. */
export function toPaymentDrawerEvent({ id: subjectId, sourceType, total }: PendingPayment): TenderEvent {
  return sourceType === 'CASH'
    ? { kind: 'CASH_TENDER_PAYMENT', amount: total, subjectId }
    : { kind: 'OTHER_TENDER_PAYMENT', amount: ZERO, subjectId };
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
