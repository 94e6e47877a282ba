/** What a refund is made of, in the words of the first generation: kept in these words, and copied out when read. */
import { toV1Money, V1Money } from '../../api/money.js';
import { type Static, Type } from '../../api/wire.js';
import { type Amount, ZERO } from '../../base/money.js';
import type { Breakdown } from './breakdown.js';
import type { TaxInput } from './model.js';
import { toV1Surcharge, toV1Tax, V1PaymentSurcharge, V1PaymentTax } from './v1.view.js';

/** The members of a V1Refund that stay as they are once it is made. */
export const BREAKDOWN_FIELDS = {
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

const BreakdownWords = Type.Object(BREAKDOWN_FIELDS);
export type BreakdownWords = Static<typeof BreakdownWords>;

const NOTHING: Breakdown = {
  tip: ZERO,
  taxes: [],
  additiveTax: ZERO,
  inclusiveTax: ZERO,
  tax: ZERO,
  discount: ZERO,
  surcharges: [],
  surcharge: ZERO,
};

/** Null where there is nothing to say: most refunds are of payments without tips, taxes or the like. */
export function toBreakdownWords(breakdown: Breakdown, currency: string): BreakdownWords | null {
  const { tip, tax, discount, surcharge, taxes, surcharges } = breakdown;
  const lines = [...taxes, ...surcharges].map(({ applied }) => applied);
  return [tip, tax, discount, surcharge, ...lines].every((value) => value === ZERO)
    ? null
    : inWords(breakdown, currency);
}

/** Of a refund that is made of nothing but its amount. */
export function noBreakdown(currency: string): BreakdownWords {
  return inWords(NOTHING, currency);
}

function inWords(breakdown: Breakdown, currency: string): BreakdownWords {
  const money = (value: Amount) => toV1Money(value, currency);
  const taxes = (inclusion: TaxInput['inclusion']) =>
    breakdown.taxes.filter((tax) => tax.inclusion === inclusion).map((tax) => toV1Tax(tax, currency));
  return {
    refunded_tax_money: money(breakdown.tax),
    refunded_additive_tax_money: money(breakdown.additiveTax),
    refunded_additive_tax: taxes('ADDITIVE'),
    refunded_inclusive_tax_money: money(breakdown.inclusiveTax),
    refunded_inclusive_tax: taxes('INCLUSIVE'),
    refunded_tip_money: money(breakdown.tip),
    refunded_discount_money: money(breakdown.discount),
    refunded_surcharge_money: money(breakdown.surcharge),
    refunded_surcharges: breakdown.surcharges.map((line) => toV1Surcharge(line, currency)),
  };
}
