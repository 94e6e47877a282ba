/** The v2 schemas and the v2 view of refunds. */
import { Money, MoneyInput, toMoney } from '../../api/money.js';
import { choice, model, optional, type Static, Time, Type, text } from '../../api/wire.js';
import { negate } from '../../base/money.js';
import { printMilliseconds, wholeSecond } from '../../base/time.js';
import { ProcessingFee } from '../payments/v2.view.js';
import { REFUND_STATUSES, type Refund } from './model.js';

export const RefundStatusSchema = choice(REFUND_STATUSES);

export const PaymentRefund = model('PaymentRefund', {
  id: Type.String(),
  status: RefundStatusSchema,
  location_id: Type.String(),
  amount_money: Money,
  app_fee_money: optional(Money),
  processing_fee: optional(Type.Array(ProcessingFee)),
  payment_id: Type.String(),
  order_id: Type.String(),
  reason: optional(Type.String()),
  source_type: Type.String(),
  created_at: Time,
  updated_at: Time,
});

export const RefundPaymentBody = Type.Object({
  idempotency_key: text(192, { minLength: 1 }),
  amount_money: MoneyInput,
  app_fee_money: optional(MoneyInput),
  payment_id: text(192, { minLength: 1 }),
  reason: optional(text(192)),
});

export function toPaymentRefund(refund: Refund): Static<typeof PaymentRefund> {
  const { currency } = refund;
  return {
    id: refund.id,
    status: refund.status,
    location_id: refund.locationId,
    amount_money: toMoney(refund.amount, currency),
    ...(refund.appFee !== null && { app_fee_money: toMoney(refund.appFee, currency) }),
    // Negative, because the seller gets it back.
    ...(refund.returnedFee !== null && {
      processing_fee: [
        {
          effective_at: printMilliseconds(wholeSecond(refund.updatedAt)),
          type: 'INITIAL',
          amount_money: toMoney(negate(refund.returnedFee), currency),
        },
      ],
    }),
    payment_id: refund.paymentId,
    order_id: refund.orderId,
    ...(refund.reason !== null && { reason: refund.reason }),
    source_type: refund.sourceType,
    created_at: printMilliseconds(refund.createdAt),
    updated_at: printMilliseconds(refund.updatedAt),
  };
}
