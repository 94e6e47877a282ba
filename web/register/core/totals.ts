/** What a cart costs, computed by the server's own model: the same amounts to the cent. */
import { parseQuantity, parseRate } from '../../../src/base/decimal.js';
import { type Amount, add, subtract, ZERO } from '../../../src/base/money.js';
import {
  computeReceipt,
  type DiscountInput,
  type ItemInput,
  type Receipt,
  type ReceiptInput,
  type TaxInput,
} from '../../../src/business/receipts/model.js';
import type { Cart, CartDiscount, CartLine, CartTax } from './cart.js';

export interface Totals {
  /** Absent without lines. Its items are in the order of the lines. */
  readonly receipt: Receipt | undefined;
  /** Before discounts, without taxes. */
  readonly gross: Amount;
  /** Never positive. */
  readonly discount: Amount;
  readonly tax: Amount;
  readonly inclusiveTax: Amount;
  /** Of what is sold, with taxes, without tips. */
  readonly total: Amount;
  /** The value of returned goods, which pays for new ones. */
  readonly returned: Amount;
  /** What is left to pay. Negative if more comes back than is sold. */
  readonly due: Amount;
}

/** Throws a Refusal if an amount is too large. */
export function totalsOf(cart: Cart): Totals {
  const returned = add(ZERO, ...cart.returns.map((each) => each.amount));
  const receipt = cart.lines.length === 0 ? undefined : receiptOf(cart);
  const total = receipt?.due ?? ZERO;
  return {
    receipt,
    gross: receipt?.gross ?? ZERO,
    discount: receipt?.discount ?? ZERO,
    tax: receipt?.tax ?? ZERO,
    inclusiveTax: receipt?.inclusiveTax ?? ZERO,
    total,
    returned,
    due: subtract(subtract(total, returned), cart.paid ?? ZERO),
  };
}

function receiptOf(cart: Cart): Receipt {
  return computeReceipt(toReceiptInput(cart));
}

export function toReceiptInput({ lines, discounts }: Pick<Cart, 'lines' | 'discounts'>): ReceiptInput {
  return { items: lines.map(toItem), discounts: discounts.map(toDiscount), taxes: [], surcharges: [] };
}

function toItem({ kind, name, quantity, price, modifiers, discounts, taxes, ...ids }: CartLine): ItemInput {
  const { itemId, variationId, variationName } = ids;
  return {
    kind,
    name,
    quantity: required(parseQuantity(quantity), quantity),
    price,
    ...(variationName !== undefined && { variationName }),
    detail: {
      ...(itemId !== undefined && { itemId }),
      ...(variationId !== undefined && { itemVariationId: variationId }),
    },
    modifiers: modifiers.map(({ id, ...rest }) => ({ ...rest, ...(id !== undefined && { optionId: id }) })),
    discounts: discounts.map(toDiscount),
    taxes: taxes.map(toTax),
  };
}

function toDiscount({ id, name, rate, amount = ZERO, restricted }: CartDiscount): DiscountInput {
  const measure = rate === undefined ? { amount } : { rate: required(parseRate(rate), rate) };
  return { name, restricted, ...(id !== undefined && { id }), ...measure };
}

function toTax({ id, name, rate, inclusion }: CartTax): TaxInput {
  return { name, inclusion, rate: required(parseRate(rate), rate), ...(id !== undefined && { id }) };
}

function required<Value>(value: Value | undefined, text: string): Value {
  if (value === undefined) throw new RangeError(`not an exact decimal: ${text}`);
  return value;
}
