/** Receipts: computes the total of a sale from items, modifiers, discounts, taxes and surcharges. Pure. */
import { QUANTITY_OF_ONE, type Quantity, RATE_OF_ONE, type Rate } from '../../base/decimal.js';
import { Refusal } from '../../base/errors.js';
import {
  type Amount,
  add,
  allocate,
  amount,
  InexactAmount,
  MAX_AMOUNT,
  negate,
  portion,
  portions,
  subtract,
  ZERO,
} from '../../base/money.js';
import type { Instant } from '../../base/time.js';

export const ITEM_KINDS = [
  'ITEM',
  'CUSTOM_AMOUNT',
  'GIFT_CARD_ACTIVATION',
  'GIFT_CARD_RELOAD',
  'GIFT_CARD_UNKNOWN',
  'OTHER',
] as const;
export const TAX_INCLUSIONS = ['ADDITIVE', 'INCLUSIVE'] as const;
export const SURCHARGE_KINDS = ['AUTO_GRATUITY', 'CUSTOM', 'UNKNOWN'] as const;

/** The name of the only variation of an item. It says nothing, so receipts leave it out. */
export const ONLY_VARIATION = 'Regular';

/** The maximum number of items in a sale. */
export const MAX_RECEIPT_ITEMS = 200;
/** The maximum number of modifiers, discounts, taxes or surcharges, each, of an item or of a sale. */
export const MAX_LINES = 20;

/** A rate of the base, or a fixed amount. Neither is negative. */
type Measure = { readonly rate: Rate } | { readonly amount: Amount };

export interface ModifierInput {
  readonly name: string;
  readonly optionId?: string;
  /** For a quantity of one. Never negative. */
  readonly price: Amount;
}

/** Who allowed what a sale costs less than its prices say, and when (decision 0110). */
export interface Allowance {
  readonly by: string;
  readonly at: Instant;
}

export type DiscountInput = Measure & {
  readonly name: string;
  readonly id?: string;
  /** Whether it requires the permission to apply restricted discounts. */
  readonly restricted: boolean;
  /** Absent if nobody had to allow it. */
  readonly allowed?: Allowance;
};

export interface TaxInput {
  readonly name: string;
  readonly id?: string;
  readonly rate: Rate;
  /** Whether it is added to the price, or included in it. */
  readonly inclusion: (typeof TAX_INCLUSIONS)[number];
}

export type SurchargeInput = Measure & {
  readonly name: string;
  readonly id?: string;
  readonly kind: (typeof SURCHARGE_KINDS)[number];
};

/** The fields of an item that are not computed. */
interface ItemDescription {
  readonly kind: (typeof ITEM_KINDS)[number];
  readonly name: string;
  readonly quantity: Quantity;
  /** For a quantity of one. Never negative. */
  readonly price: Amount;
  /** What it costs less than the catalogue says, if somebody has to allow that. */
  readonly lowered?: { readonly amount: Amount; readonly allowed?: Allowance };
  readonly variationName?: string;
  readonly notes?: string;
  readonly detail?: {
    readonly categoryName?: string;
    readonly sku?: string;
    readonly itemId?: string;
    readonly itemVariationId?: string;
  };
}

export interface ItemInput extends ItemDescription {
  readonly modifiers: readonly ModifierInput[];
  /** Discounts of this item only, in addition to those of the sale. A fixed amount is for the whole quantity. */
  readonly discounts: readonly DiscountInput[];
  readonly taxes: readonly TaxInput[];
}

export interface ReceiptInput {
  readonly items: readonly ItemInput[];
  readonly discounts: readonly DiscountInput[];
  readonly taxes: readonly TaxInput[];
  readonly surcharges: readonly SurchargeInput[];
}

/** A line with its computed amount: never positive for a discount, never negative for other lines. */
export type Applied<Line> = Line & { readonly applied: Amount };

/** An item with its own discounts and taxes, and its shares of the discounts and taxes of the sale. The sums include both. */
export interface ReceiptItem extends ItemDescription {
  readonly modifiers: readonly Applied<ModifierInput>[];
  readonly discounts: readonly Applied<DiscountInput>[];
  readonly taxes: readonly Applied<TaxInput>[];
  /** The price of the whole quantity with modifiers, without inclusive taxes. */
  readonly gross: Amount;
  readonly discount: Amount;
  readonly net: Amount;
  readonly additiveTax: Amount;
  readonly inclusiveTax: Amount;
  /** The net amount with all taxes. */
  readonly total: Amount;
}

/** The price of the whole quantity with modifiers, before discounts and additive taxes, as the price list says. */
export function priceOf({ price, quantity, modifiers }: ReceiptItem): Amount {
  return add(portion(price, quantity, QUANTITY_OF_ONE), ...modifiers.map(({ applied }) => applied));
}

/** Equal discounts and equal taxes of several items are merged into one line. */
export interface Receipt {
  readonly items: readonly ReceiptItem[];
  readonly discounts: readonly Applied<DiscountInput>[];
  readonly taxes: readonly Applied<TaxInput>[];
  readonly surcharges: readonly Applied<SurchargeInput>[];
  readonly gross: Amount;
  readonly discount: Amount;
  readonly net: Amount;
  readonly additiveTax: Amount;
  readonly inclusiveTax: Amount;
  readonly tax: Amount;
  readonly surcharge: Amount;
  /** The total to pay, without tips. */
  readonly due: Amount;
}

/** The share of a refund in each line of a sale. No amount is positive, except that the discount is never negative. */
export interface Breakdown {
  readonly tip: Amount;
  readonly taxes: readonly Applied<TaxInput>[];
  readonly additiveTax: Amount;
  readonly inclusiveTax: Amount;
  readonly tax: Amount;
  readonly discount: Amount;
  readonly surcharges: readonly Applied<SurchargeInput>[];
  readonly surcharge: Amount;
  /**
   * Only in a refund by item: what was returned. If it has several records, the first has all items, and the others an empty
   * list.
   */
  readonly items?: readonly RefundedItem[];
}

/** A quantity of one item of a receipt that was returned. */
export interface RefundedItem {
  /** The place of the item in its receipt, from 0. */
  readonly line: number;
  readonly quantity: Quantity;
  /** With taxes and discounts. */
  readonly amount: Amount;
  /** All taxes in the amount. */
  readonly tax: Amount;
}

export function computeReceipt({ items, discounts, taxes, surcharges }: ReceiptInput): Receipt {
  const opened = items.map((item) => openItem(item, { taxes, field: 'itemizations' }));
  requireWithinLimit(() => sumOf(opened, 'price'), 'itemizations');
  const closed = taxItems(discountItems(opened, discounts), taxes).map(closeItem);
  const gross = sumOf(closed, 'gross');
  const discount = sumOf(closed, 'discount');
  const net = add(gross, discount);
  const additiveTax = sumOf(closed, 'additiveTax');
  const inclusiveTax = sumOf(closed, 'inclusiveTax');
  const tax = add(inclusiveTax, additiveTax);
  // Surcharges are computed on prices with inclusive taxes.
  const askingPrice = add(net, inclusiveTax);
  const charged = surcharges.map((line) => withApplied(line, measure(line, askingPrice)));
  const surcharge = requireWithinLimit(() => sumOf(charged, 'applied'), 'surcharges');
  return {
    items: closed,
    discounts: gather<DiscountInput>(
      closed.flatMap((item) => item.discounts.map(withoutAllowance)),
      discountKey,
    ),
    taxes: mergeTaxes(closed.flatMap((item) => item.taxes)),
    surcharges: charged,
    gross,
    discount,
    net,
    additiveTax,
    inclusiveTax,
    tax,
    surcharge,
    due: requireWithinLimit(() => add(net, tax, surcharge)),
  };
}

/** The sum of the taxes of one kind. */
export function taxOf(taxes: readonly Applied<TaxInput>[], inclusion: TaxInput['inclusion']): Amount {
  return sumOf(
    taxes.filter((tax) => tax.inclusion === inclusion),
    'applied',
  );
}

/** An item during the computation: its remaining price, and the lines that are applied so far. */
interface OpenItem {
  readonly input: ItemInput;
  readonly modifiers: readonly Applied<ModifierInput>[];
  readonly discounts: readonly Applied<DiscountInput>[];
  readonly taxes: readonly Applied<TaxInput>[];
  /** The price of the whole quantity with modifiers, including inclusive taxes. */
  readonly price: Amount;
  /** The price after discounts. */
  readonly left: Amount;
  /** One plus all inclusive rates, of the item and of the sale: the ratio of `left` to the price before tax, in millionths. */
  readonly withInclusiveTaxes: number;
}

/** Multiplies the price and each modifier by the quantity. Each result is rounded separately, so that the lines add up. */
function openItem(
  input: ItemInput,
  { taxes, field }: { readonly taxes: readonly TaxInput[]; readonly field: string },
): OpenItem {
  const ofAll = (price: Amount): Amount =>
    requireWithinLimit(() => portion(price, input.quantity, QUANTITY_OF_ONE), field);
  const modifiers = input.modifiers.map((modifier) => withApplied(modifier, ofAll(modifier.price)));
  const price = requireWithinLimit(() => add(ofAll(input.price), sumOf(modifiers, 'applied')), field);
  const inclusive = [...input.taxes, ...taxes].filter(({ inclusion }) => inclusion === 'INCLUSIVE');
  const withInclusiveTaxes = inclusive.reduce<number>((sum, { rate }) => sum + rate, RATE_OF_ONE);
  return { input, modifiers, discounts: [], taxes: [], price, left: price, withInclusiveTaxes };
}

/** Applies first the discounts of each item, then the discounts of the sale to the remaining prices of all items. */
function discountItems(items: readonly OpenItem[], ofSale: readonly DiscountInput[]): readonly OpenItem[] {
  const withOwn = items.flatMap((item) => item.input.discounts.reduce(applyDiscount, [item]));
  return ofSale.reduce(applyDiscount, withOwn);
}

/** Computes one amount, at most the sum of the remaining prices, and allocates it in proportion to those prices. */
function applyDiscount(items: readonly OpenItem[], discount: DiscountInput): readonly OpenItem[] {
  const left = sumOf(items, 'left');
  const whole = amount(Math.min(measure(discount, left), left));
  const parts = allocate(
    whole,
    items.map((item) => item.left),
  );
  return items.map((item, index) => {
    const part = parts[index] ?? ZERO;
    const line = withApplied(discount, negate(part));
    return { ...item, left: subtract(item.left, part), discounts: [...item.discounts, line] };
  });
}

/** Applies first the taxes of each item, then the taxes of the sale to all items. */
function taxItems(items: readonly OpenItem[], ofSale: readonly TaxInput[]): readonly OpenItem[] {
  const withOwn = items.flatMap((item) => item.input.taxes.reduce(applyTax, [item]));
  return ofSale.reduce(applyTax, withOwn);
}

/**
 * Computes a tax on the prices before tax. It is rounded once for all items, and the parts add up to the rounded sum. If
 * several inclusive taxes are each rounded up, they can exceed a price of a few units. The later taxes are then reduced, so
 * that no price before tax is negative.
 */
function applyTax(items: readonly OpenItem[], tax: TaxInput): readonly OpenItem[] {
  const parts = portions(
    items.map(({ left, taxes, withInclusiveTaxes }) => ({
      of: left,
      numerator: tax.rate,
      denominator: withInclusiveTaxes,
      ...(tax.inclusion === 'INCLUSIVE' && { most: subtract(left, taxOf(taxes, 'INCLUSIVE')) }),
    })),
  );
  return items.map((item, index) => {
    const line = withApplied(tax, parts[index] ?? ZERO);
    return { ...item, taxes: [...item.taxes, line] };
  });
}

function closeItem({ input, modifiers, discounts, taxes, price, left }: OpenItem): ReceiptItem {
  const additiveTax = taxOf(taxes, 'ADDITIVE');
  const inclusiveTax = taxOf(taxes, 'INCLUSIVE');
  return Object.assign({}, input, {
    modifiers,
    discounts,
    taxes,
    gross: subtract(price, inclusiveTax),
    discount: sumOf(discounts, 'applied'),
    net: subtract(left, inclusiveTax),
    additiveTax,
    inclusiveTax,
    total: add(left, additiveTax),
  });
}

/** Not a literal that begins with a spread, which takes several times as long (decision 0196). */
function withApplied<Line extends object>(line: Line, applied: Amount): Line & { readonly applied: Amount } {
  return Object.assign({}, line, { applied });
}

function measure(line: Measure, base: Amount): Amount {
  return 'rate' in line ? portion(base, line.rate, RATE_OF_ONE) : line.amount;
}

function sumOf<Key extends string>(lines: readonly Readonly<Record<Key, Amount>>[], key: Key): Amount {
  return add(...lines.map((line) => line[key]));
}

/** Merges equal lines, in the order of their first occurrence. */
function gather<Line>(lines: readonly Applied<Line>[], lineKey: (line: Line) => readonly unknown[]): Applied<Line>[] {
  const gathered = new Map<string, Applied<Line>>();
  for (const line of lines) {
    const key = JSON.stringify(lineKey(line));
    gathered.set(key, { ...line, applied: add(gathered.get(key)?.applied ?? ZERO, line.applied) });
  }
  return [...gathered.values()];
}

/** Merged discounts may have been allowed by several people. Those of the items say by whom. */
function withoutAllowance(discount: Applied<DiscountInput>): Applied<DiscountInput> {
  if (!discount.allowed) return discount;
  const { allowed: _, ...rest } = discount;
  return rest;
}

function discountKey(discount: DiscountInput): readonly unknown[] {
  const { name, id, restricted } = discount;
  return [name, id, restricted, ...('rate' in discount ? ['rate', discount.rate] : ['amount', discount.amount])];
}

/** Equal taxes become one line, in the order of their first occurrence. */
export function mergeTaxes(taxes: readonly Applied<TaxInput>[]): Applied<TaxInput>[] {
  return gather<TaxInput>(taxes, taxKey);
}

export function isSameTax(one: TaxInput, other: TaxInput): boolean {
  return JSON.stringify(taxKey(one)) === JSON.stringify(taxKey(other));
}

function taxKey({ name, id, rate, inclusion }: TaxInput): readonly unknown[] {
  return [name, id, rate, inclusion];
}

/** Limits each result to the maximum amount of a request, so that later sums of such results cannot overflow. */
function requireWithinLimit(compute: () => Amount, field?: string): Amount {
  const result = computeOrUndefined(compute);
  if (result === undefined || result > MAX_AMOUNT) {
    throw new Refusal('INVALID_VALUE', {
      ...(field && { field }),
      detail: `The total of ${field ?? 'the sale'} must not exceed ${MAX_AMOUNT}.`,
    });
  }
  return result;
}

/** Undefined if the result is too large for an exact integer. */
function computeOrUndefined(compute: () => Amount): Amount | undefined {
  try {
    return compute();
  } catch (error) {
    if (error instanceof InexactAmount) return undefined;
    throw error;
  }
}
