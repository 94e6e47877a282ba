/** What a sale costs less than its prices say, and who allowed it (decision 0110). Pure. */
import { type Amount, add, negate, ZERO } from '../../base/money.js';
import { type Allowance, computeReceipt, type DiscountInput, type ItemInput, type ReceiptInput } from './model.js';

/** A discount and what it takes off, or an item and what it costs less than in the catalogue. */
export interface Reduction {
  readonly kind: 'DISCOUNT' | 'PRICE';
  /** Of the discount or of the item. */
  readonly name: string;
  /** The field of a request that has it. */
  readonly field: string;
  readonly restricted: boolean;
  readonly amount: Amount;
  readonly allowed: Allowance | undefined;
  /** What is reduced, and how. Two reductions with the same key can be one and the same, before and after an edit. */
  readonly key: string;
  /** Where the receipt has it. */
  readonly place: string;
}

/** The items need the ids of `identifyLines`, if some were sent with ids and others without. */
export function reductionsOf(receipt: ReceiptInput): Reduction[] {
  return [...discountsOf(receipt), ...receipt.items.flatMap(toLoweredPrice)];
}

function discountsOf(receipt: ReceiptInput): Reduction[] {
  const { items, discounts } = receipt;
  if (discounts.length === 0 && items.every((item) => item.discounts.length === 0)) return [];
  const computed = computeReceipt(receipt).items;
  const applied = (line: number, index: number): Amount => negate(computed[line]?.discounts[index]?.applied ?? ZERO);
  // A computed item has its own discounts first, and then its shares of the discounts of the sale.
  return [
    ...items.flatMap((item, line) =>
      item.discounts.map((discount, index) => toReduction(discount, { item, line, index }, applied(line, index))),
    ),
    ...discounts.map((discount, index) =>
      toReduction(discount, { index }, add(...items.map((item, line) => applied(line, item.discounts.length + index)))),
    ),
  ];
}

interface Place {
  /** Absent: the whole sale. */
  readonly item?: ItemInput;
  readonly line?: number;
  readonly index: number;
}

function toReduction(discount: DiscountInput, { item, line, index }: Place, amount: Amount): Reduction {
  const { name, id, restricted, allowed } = discount;
  const measure = 'rate' in discount ? ['rate', discount.rate] : ['amount', discount.amount];
  return {
    kind: 'DISCOUNT',
    name,
    restricted,
    amount,
    allowed,
    field: item ? 'itemizations.discounts' : 'discounts',
    key: JSON.stringify([item ? soldBy(item) : null, id, name, ...measure]),
    place: placeOf(line, index),
  };
}

function toLoweredPrice(item: ItemInput, line: number): Reduction[] {
  const { name, lowered } = item;
  if (!lowered) return [];
  return [
    {
      kind: 'PRICE',
      name,
      restricted: true,
      amount: lowered.amount,
      allowed: lowered.allowed,
      field: 'itemizations.single_quantity_money',
      key: JSON.stringify([soldBy(item), 'price']),
      place: placeOf(line, 'price'),
    },
  ];
}

/** What is sold. Quantity, price and options may change. */
function soldBy({ kind, name, variationName, detail }: ItemInput): readonly unknown[] {
  return [kind, name, variationName, detail?.itemId, detail?.itemVariationId];
}

function placeOf(line: number | undefined, index: number | 'price'): string {
  return `${line ?? 'sale'} ${index}`;
}

export interface ComparedReductions {
  /** Not allowed before: another one, one more of the same, or one that takes off more. */
  readonly added: readonly Reduction[];
  /** Each with who allowed it before, if somebody had to. */
  readonly kept: readonly Reduction[];
}

/** What was allowed before counts once, and up to what it took off then. */
export function compareReductions(now: readonly Reduction[], before: readonly Reduction[]): ComparedReductions {
  const left = new Map<string, Reduction[]>();
  for (const each of largestFirst(before)) left.set(each.key, [...(left.get(each.key) ?? []), each]);
  const [added, kept]: [Reduction[], Reduction[]] = [[], []];
  for (const each of largestFirst(now)) {
    const [known] = left.get(each.key) ?? [];
    if (known && known.amount >= each.amount) {
      left.get(each.key)?.shift();
      kept.push({ ...each, allowed: known.allowed });
    } else added.push(each);
  }
  return { added, kept };
}

/** Compared in this order, as many as possible are kept. */
function largestFirst(reductions: readonly Reduction[]): Reduction[] {
  return reductions.toSorted((one, other) => other.amount - one.amount);
}

/** The receipt with who allowed its reductions. */
export function withAllowances(receipt: ReceiptInput, reductions: readonly Reduction[]): ReceiptInput {
  const allowed = new Map(reductions.flatMap((each) => (each.allowed ? [[each.place, each.allowed] as const] : [])));
  if (allowed.size === 0) return receipt;
  const mark = (line: number | undefined) => (discount: DiscountInput, index: number) => {
    const allowance = allowed.get(placeOf(line, index));
    return allowance ? { ...discount, allowed: allowance } : discount;
  };
  return {
    ...receipt,
    items: receipt.items.map((item, line) => {
      const price = allowed.get(placeOf(line, 'price'));
      const lowered = item.lowered && price && { ...item.lowered, allowed: price };
      return { ...item, ...(lowered && { lowered }), discounts: item.discounts.map(mark(line)) };
    }),
    discounts: receipt.discounts.map(mark(undefined)),
  };
}
