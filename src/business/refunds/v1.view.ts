/** Refunds as the first generation shows them. */
import { toV1Money, V1Money } from '../../api/money.js';
import { choice, model, optional, type Static, Time, Type } from '../../api/wire.js';
import { type Amount, negate, ZERO } from '../../base/money.js';
import { printSeconds } from '../../base/time.js';
import { V1PaymentSurcharge, V1PaymentTax } from '../payments/v1.receipt.js';
import type { Refund } from './model.js';

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
  type: choice(['FULL', 'PARTIAL']),
  reason: optional(Type.String()),
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

/** A refund with what v1 says of it besides. */
export interface V1RefundRow extends Refund {
  readonly type: 'FULL' | 'PARTIAL';
  readonly origin: 'API' | 'REGISTER' | 'EXCHANGE' | 'REVERSAL';
  /** In the words of v1; null where the refund gave back nothing but goods without tax, discount, tip or surcharge. */
  readonly breakdown: object | null;
  readonly saleId: string;
  /** Whether its sale was paid with several tenders. */
  readonly isSplit: boolean;
}

export function toV1Refund(refund: V1RefundRow): Static<typeof V1Refund> {
  const money = (value: Amount) => toV1Money(value, refund.currency);
  const createdAt = printSeconds(refund.createdAt);
  const isExchange = refund.origin === 'EXCHANGE';
  return {
    type: refund.type,
    ...(refund.reason !== null && { reason: refund.reason }),
    refunded_money: money(negate(refund.amount)),
    refunded_processing_fee_money: money(refund.returnedFee ?? ZERO),
    ...((refund.breakdown as Static<typeof BreakdownWords> | null) ?? nothingBroken(refund.currency)),
    created_at: createdAt,
    processed_at: createdAt,
    // Of a sale with several tenders, which of them it gave back.
    payment_id: refund.isSplit && !isExchange ? refund.paymentId : refund.saleId,
    merchant_id: refund.locationId,
    is_exchange: isExchange,
  };
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
