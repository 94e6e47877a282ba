/** Prints refunds as JSON text in the format of `v1.view.ts`. */
import { printV1Money } from '../../api/money.js';
import { Printed } from '../../api/printed.js';
import { type Amount, negate, shareOfPart, ZERO } from '../../base/money.js';
import { printSeconds } from '../../base/time.js';
import { printBreakdownMembers } from '../receipts/v1.print.js';
import type { SaleRefund } from './model.js';

export function printV1Refund(refund: Omit<SaleRefund, 'id'>): Printed {
  const { currency } = refund;
  const createdAt = printSeconds(refund.createdAt);
  const isExchange = refund.origin === 'EXCHANGE';
  return new Printed(
    `{"type":"${refund.type}","reason":${JSON.stringify(refund.reason ?? '')}` +
      `,"refunded_money":${printV1Money(negate(refund.amount), currency)}` +
      `,"refunded_processing_fee_money":${printV1Money(feeOf(refund), currency)}` +
      `,${printBreakdownMembers(refund.breakdown, currency)}` +
      `,"created_at":"${createdAt}","processed_at":"${createdAt}"` +
      `,"payment_id":"${isExchange ? refund.v1Id : refund.paymentId}","merchant_id":"${refund.locationId}"` +
      `,"is_exchange":${isExchange}}`,
  );
}

/** The returned fee, or for a pending refund the fee that will be returned. An exchange returns no fee. */
function feeOf({ origin, returnedFee, fee, total, amount }: Omit<SaleRefund, 'id'>): Amount {
  if (origin === 'EXCHANGE') return ZERO;
  return returnedFee ?? shareOfPart(fee ?? ZERO, { total, before: ZERO, part: amount });
}
