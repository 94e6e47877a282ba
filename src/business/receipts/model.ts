/** What a sale comes to: the arithmetic of items, modifiers, discounts, taxes and surcharges. */
import { QUANTITY_OF_ONE, type Quantity, RATE_OF_ONE, type Rate } from '../../base/decimal.js';
import { Refusal } from '../../base/errors.js';
import {
  type Amount,
  add,
  allocate,
  amount,
  LARGEST_AMOUNT,
  NotAnAmount,
  negate,
  portion,
  portions,
  subtract,
  ZERO,
} from '../../base/money.js';

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

/** The most items of a sale, and the most modifiers, discounts, taxes or surcharges of an item or of a sale. */
export const MOST_ITEMS = 200;
export const MOST_LINES = 20;

/** A part of what it is applied to, or a fixed amount; neither is negative. */
type Measure = { readonly rate: Rate } | { readonly amount: Amount };

export interface ModifierInput {
  readonly name: string;
  readonly optionId?: string;
  /** For a quantity of one, never negative. */
  readonly price: Amount;
}

export type DiscountInput = Measure & {
  readonly name: string;
  readonly id?: string;
  /** Only an employee who may apply restricted discounts may give it. */
  readonly restricted: boolean;
};

export interface TaxInput {
  readonly name: string;
  readonly id?: string;
  readonly rate: Rate;
  /** Whether it comes on top of the price or is already in it. */
  readonly inclusion: (typeof TAX_INCLUSIONS)[number];
}

export type SurchargeInput = Measure & {
  readonly name: string;
  readonly id?: string;
  readonly kind: (typeof SURCHARGE_KINDS)[number];
};

/** What an item is, apart from what it comes to. */
interface ItemDescription {
  readonly kind: (typeof ITEM_KINDS)[number];
  readonly name: string;
  readonly quantity: Quantity;
  /** For a quantity of one, never negative. */
  readonly price: Amount;
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
  /** Of this item only, besides those of the sale; a fixed amount is for all its pieces together. */
  readonly discounts: readonly DiscountInput[];
  readonly taxes: readonly TaxInput[];
}

export interface ReceiptInput {
  readonly items: readonly ItemInput[];
  readonly discounts: readonly DiscountInput[];
  readonly taxes: readonly TaxInput[];
  readonly surcharges: readonly SurchargeInput[];
}

/** A line with what it came to: never positive for a discount, never negative for the others. */
export type Applied<Line> = Line & { readonly applied: Amount };

/** Its discounts and taxes are its own and its shares of the sale's; the amounts are all there are of those lines. */
export interface ReceiptItem extends ItemDescription {
  readonly modifiers: readonly Applied<ModifierInput>[];
  readonly discounts: readonly Applied<DiscountInput>[];
  readonly taxes: readonly Applied<TaxInput>[];
  /** The price of all its pieces and modifiers, without the taxes that are in it. */
  readonly gross: Amount;
  readonly discount: Amount;
  readonly net: Amount;
  readonly additiveTax: Amount;
  readonly inclusiveTax: Amount;
  /** What is paid for it: net with all taxes. */
  readonly total: Amount;
}

/** Equal discounts and equal taxes of several items are one line here. */
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
  /** All that is to be paid but tips. */
  readonly due: Amount;
}

/**
 * What a refund gives back of each line of a sale. What the merchant gives back is never positive, the discount that it
 * takes back never negative.
 */
export interface Breakdown {
  readonly tip: Amount;
  readonly taxes: readonly Applied<TaxInput>[];
  readonly additiveTax: Amount;
  readonly inclusiveTax: Amount;
  readonly tax: Amount;
  readonly discount: Amount;
  readonly surcharges: readonly Applied<SurchargeInput>[];
  readonly surcharge: Amount;
}

export function computeReceipt({ items, discounts, taxes, surcharges }: ReceiptInput): Receipt {
  const opened = items.map((item) => openItem(item, { taxes, field: 'itemizations' }));
  inReach(() => sumOf(opened, 'price'), 'itemizations');
  const closed = taxItems(discountItems(opened, discounts), taxes).map(closeItem);
  const gross = sumOf(closed, 'gross');
  const discount = sumOf(closed, 'discount');
  const net = add(gross, discount);
  const additiveTax = sumOf(closed, 'additiveTax');
  const inclusiveTax = sumOf(closed, 'inclusiveTax');
  const tax = add(inclusiveTax, additiveTax);
  // On prices as they are asked: with the taxes that are in them.
  const asked = add(net, inclusiveTax);
  const charged = surcharges.map((line) => ({ ...line, applied: measure(line, asked) }));
  const surcharge = inReach(() => sumOf(charged, 'applied'), 'surcharges');
  return {
    items: closed,
    discounts: gather<DiscountInput>(
      closed.flatMap((item) => item.discounts),
      discountWords,
    ),
    taxes: gather<TaxInput>(
      closed.flatMap((item) => item.taxes),
      taxWords,
    ),
    surcharges: charged,
    gross,
    discount,
    net,
    additiveTax,
    inclusiveTax,
    tax,
    surcharge,
    due: inReach(() => add(net, tax, surcharge)),
  };
}

/** Taxes of one kind among lines. */
export function taxOf(taxes: readonly Applied<TaxInput>[], inclusion: TaxInput['inclusion']): Amount {
  return sumOf(
    taxes.filter((tax) => tax.inclusion === inclusion),
    'applied',
  );
}

/** An item on its way through the receipt: what is left of it, and the lines that made it so. */
interface OpenItem {
  readonly input: ItemInput;
  readonly modifiers: readonly Applied<ModifierInput>[];
  readonly discounts: readonly Applied<DiscountInput>[];
  readonly taxes: readonly Applied<TaxInput>[];
  /** Of all its pieces and modifiers, with the taxes that are in it. */
  readonly price: Amount;
  /** What discounts left of the price. */
  readonly left: Amount;
  /** One and all inclusive rates, its own and the sale's: what `left` is of the price before tax, in millionths. */
  readonly withInclusiveTaxes: number;
}

/** Modifiers count for each piece. Each price is rounded by itself, so that the lines of a receipt add up. */
function openItem(
  input: ItemInput,
  { taxes, field }: { readonly taxes: readonly TaxInput[]; readonly field: string },
): OpenItem {
  const ofAll = (price: Amount): Amount => inReach(() => portion(price, input.quantity, QUANTITY_OF_ONE), field);
  const modifiers = input.modifiers.map((modifier) => ({ ...modifier, applied: ofAll(modifier.price) }));
  const price = inReach(() => add(ofAll(input.price), sumOf(modifiers, 'applied')), field);
  const inclusive = [...input.taxes, ...taxes].filter(({ inclusion }) => inclusion === 'INCLUSIVE');
  const withInclusiveTaxes = inclusive.reduce<number>((sum, { rate }) => sum + rate, RATE_OF_ONE);
  return { input, modifiers, discounts: [], taxes: [], price, left: price, withInclusiveTaxes };
}

/** First each item's own discounts, then the sale's over what is left of all. */
function discountItems(items: readonly OpenItem[], ofSale: readonly DiscountInput[]): readonly OpenItem[] {
  const withOwn = items.flatMap((item) => item.input.discounts.reduce(takeOff, [item]));
  return ofSale.reduce(takeOff, withOwn);
}

/** A discount is one amount, never more than what is left, spread over the items by what is left of each. */
function takeOff(items: readonly OpenItem[], discount: DiscountInput): readonly OpenItem[] {
  const left = sumOf(items, 'left');
  const whole = amount(Math.min(measure(discount, left), left));
  const parts = allocate(
    whole,
    items.map((item) => item.left),
  );
  return items.map((item, index) => {
    const part = parts[index] ?? ZERO;
    const line = { ...discount, applied: negate(part) };
    return { ...item, left: subtract(item.left, part), discounts: [...item.discounts, line] };
  });
}

/** Each item's own taxes, and the sale's on all. */
function taxItems(items: readonly OpenItem[], ofSale: readonly TaxInput[]): readonly OpenItem[] {
  const withOwn = items.flatMap((item) => item.input.taxes.reduce(levy, [item]));
  return ofSale.reduce(levy, withOwn);
}

/**
 * A tax is on the price before any tax, rounded once for all the items that it is on, whose parts add up to that. Of several
 * taxes in a price of a few units, each rounded by itself, those that find no more room in it give way: no price before tax
 * is negative.
 */
function levy(items: readonly OpenItem[], tax: TaxInput): readonly OpenItem[] {
  const parts = portions(
    items.map(({ left, taxes, withInclusiveTaxes }) => ({
      of: left,
      numerator: tax.rate,
      denominator: withInclusiveTaxes,
      ...(tax.inclusion === 'INCLUSIVE' && { most: subtract(left, taxOf(taxes, 'INCLUSIVE')) }),
    })),
  );
  return items.map((item, index) => {
    const line = { ...tax, applied: parts[index] ?? ZERO };
    return { ...item, taxes: [...item.taxes, line] };
  });
}

function closeItem({ input, modifiers, discounts, taxes, price, left }: OpenItem): ReceiptItem {
  const additiveTax = taxOf(taxes, 'ADDITIVE');
  const inclusiveTax = taxOf(taxes, 'INCLUSIVE');
  return {
    ...input,
    modifiers,
    discounts,
    taxes,
    gross: subtract(price, inclusiveTax),
    discount: sumOf(discounts, 'applied'),
    net: subtract(left, inclusiveTax),
    additiveTax,
    inclusiveTax,
    total: add(left, additiveTax),
  };
}

function measure(line: Measure, base: Amount): Amount {
  return 'rate' in line ? portion(base, line.rate, RATE_OF_ONE) : line.amount;
}

function sumOf<Key extends string>(lines: readonly Readonly<Record<Key, Amount>>[], key: Key): Amount {
  return add(...lines.map((line) => line[key]));
}

/** Lines that say the same become one, in the order in which they first came. */
function gather<Line>(lines: readonly Applied<Line>[], wordsOf: (line: Line) => readonly unknown[]): Applied<Line>[] {
  const gathered = new Map<string, Applied<Line>>();
  for (const line of lines) {
    const words = JSON.stringify(wordsOf(line));
    gathered.set(words, { ...line, applied: add(gathered.get(words)?.applied ?? ZERO, line.applied) });
  }
  return [...gathered.values()];
}

function discountWords(discount: DiscountInput): readonly unknown[] {
  const { name, id, restricted } = discount;
  return [name, id, restricted, ...('rate' in discount ? ['rate', discount.rate] : ['amount', discount.amount])];
}

function taxWords({ name, id, rate, inclusion }: TaxInput): readonly unknown[] {
  return [name, id, rate, inclusion];
}

/** Nothing may come to more than one request may be about, so that no later sum of it can go wrong. */
function inReach(count: () => Amount, field?: string): Amount {
  const counted = countOrNothing(count);
  if (counted === undefined || counted > LARGEST_AMOUNT) {
    throw new Refusal('INVALID_VALUE', {
      ...(field && { field }),
      detail: `${field ?? 'The sale'} must not come to more than ${LARGEST_AMOUNT}.`,
    });
  }
  return counted;
}

/** Nothing where it is beyond counting. */
function countOrNothing(count: () => Amount): Amount | undefined {
  try {
    return count();
  } catch (error) {
    if (error instanceof NotAnAmount) return undefined;
    throw error;
  }
}
