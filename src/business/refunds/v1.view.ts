/** Refunds as the first generation shows them. */
import { toV1Money, V1Money } from '../../api/money.js';
import { choice, model, type Static, Time, Type } from '../../api/wire.js';
import { type Amount, negate, shareOfPart, ZERO } from '../../base/money.js';
import { printSeconds } from '../../base/time.js';
import { V1PaymentSurcharge, V1PaymentTax } from '../payments/v1.receipt.js';
import { REFUND_TYPES, type SaleRefund } from './model.js';

const BREAKDOWN_FIELDS = {
  refunded_tax_money: V1Money,
  refunded_additive_tax_money: V1Money,
  refunded_additive_tax: Type.Array(V1PaymentTax),
  refunded_inclusive_tax_money: V1Money,
  refunded_inclusive_tax: Type.Array(V1PaymentTax),
  refunded_tip_money: V1Money,
  refunded_discount_money: V1Money,
  refunded_surcharge_money: V1Money,
  refunded_surcharges: Type.Array(V1PaymentSurcharge),
};

export const V1Refund = model('V1Refund', {
  type: choice(REFUND_TYPES),
  reason: Type.String(),
  refunded_money: V1Money,
  refunded_processing_fee_money: V1Money,
  ...BREAKDOWN_FIELDS,
  created_at: Time,
  processed_at: Time,
  payment_id: Type.String(),
  merchant_id: Type.String(),
  is_exchange: Type.Boolean(),
});

const BreakdownWords = Type.Object(BREAKDOWN_FIELDS);

export function toV1Refund(refund: Omit<SaleRefund, 'id'>): Static<typeof V1Refund> {
  const { currency } = refund;
  const createdAt = printSeconds(refund.createdAt);
  const isExchange = refund.origin === 'EXCHANGE';
  return {
    type: refund.type,
    reason: refund.reason ?? '',
    refunded_money: toV1Money(negate(refund.amount), currency),
    refunded_processing_fee_money: toV1Money(feeOf(refund), currency),
    ...((refund.breakdown as Static<typeof BreakdownWords> | null) ?? nothingBroken(currency)),
    created_at: createdAt,
    processed_at: createdAt,
    payment_id: isExchange || !refund.isSplit ? refund.saleId : refund.paymentId,
    merchant_id: refund.locationId,
    is_exchange: isExchange,
  };
}

/** What came back of the fee, or will when the processor has given the money back; goods that were exchanged cost no less. */
function feeOf({ origin, returnedFee, fee, total, amount }: Omit<SaleRefund, 'id'>): Amount {
  if (origin === 'EXCHANGE') return ZERO;
  return returnedFee ?? shareOfPart(fee ?? ZERO, { total, before: ZERO, part: amount });
}

function nothingBroken(currency: string): Static<typeof BreakdownWords> {
  const nothing = toV1Money(ZERO, currency);
  return {
    refunded_tax_money: nothing,
    refunded_additive_tax_money: nothing,
    refunded_additive_tax: [],
    refunded_inclusive_tax_money: nothing,
    refunded_inclusive_tax: [],
    refunded_tip_money: nothing,
    refunded_discount_money: nothing,
    refunded_surcharge_money: nothing,
    refunded_surcharges: [],
  };
}
