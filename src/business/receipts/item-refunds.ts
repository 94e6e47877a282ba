/** Refunds of single items: what they cost, their breakdown, and what is left of the receipt afterwards. Pure. */
import { QUANTITY_OF_ONE, type Quantity } from '../../base/decimal.js';
import { Refusal } from '../../base/errors.js';
import { type Amount, add, amount, negate, shareOfPart, subtract, ZERO } from '../../base/money.js';
import type { PaidTender, RefundedPart } from './breakdown.js';
import { type Applied, type Breakdown, isSameTax, type Receipt, type RefundedItem, taxOf } from './model.js';

/** An earlier record of a refund by item that returned money, or will. */
export interface ItemRefund {
  readonly paymentId: string;
  readonly amount: Amount;
  readonly breakdown: Breakdown;
}

/** A quantity of an item, by its place in the receipt. */
export interface ReturnedItem {
  readonly line: number;
  readonly quantity: Quantity;
}

/** The items of a refund with their price, and the lines that it returns, all of them without surcharges and tips. */
export interface PricedReturn {
  readonly items: readonly RefundedItem[];
  readonly amount: Amount;
  readonly taxes: Receipt['taxes'];
  /** Never positive, as in the receipt. */
  readonly discount: Amount;
}

/** What was returned of each item, in the order of the receipt, in hundred-thousandths. */
export function returnedQuantities(receipt: Pick<Receipt, 'items'>, earlier: readonly ItemRefund[]): number[] {
  const quantities = receipt.items.map(() => 0);
  for (const { line, quantity } of earlier.flatMap(({ breakdown }) => breakdown.items ?? [])) {
    quantities[line] = (quantities[line] ?? 0) + quantity;
  }
  return quantities;
}

/**
 * Computes the price of returned items from what was paid for them. The shares of an item's quantity are differences of rounded
 * running sums: whatever the portions in which an item is returned, together they return its total and its taxes exactly.
 */
export function priceReturn(
  receipt: Pick<Receipt, 'items' | 'taxes' | 'due' | 'discount'>,
  earlier: readonly ItemRefund[],
  returned: readonly ReturnedItem[],
): PricedReturn {
  const before = returnedQuantities(receipt, earlier);
  const seen = new Set<number>();
  const priced = returned.map(({ line, quantity }) => {
    const item = receipt.items[line];
    if (!item || seen.has(line)) throw refuse(`The sale has no item ${line}, or it is named twice.`);
    seen.add(line);
    const left = item.quantity - (before[line] ?? 0);
    if (quantity > left) {
      throw refuse(`Of item ${line}, ${item.name}, only ${left / QUANTITY_OF_ONE} can still be returned.`);
    }
    const stretch = { total: amount(item.quantity), before: amount(before[line] ?? 0), part: amount(quantity) };
    const shareOf = (whole: Amount): Amount => shareOfPart(whole, stretch);
    const taxes = item.taxes.map((tax) => ({ ...tax, applied: shareOf(tax.applied) }));
    return {
      item: { line, quantity, amount: shareOf(item.total), tax: add(...taxes.map(({ applied }) => applied)) },
      discount: shareOf(item.discount),
      taxes,
    };
  });
  const items = priced.map(({ item }) => item);
  const price = add(...items.map((item) => item.amount));
  const left = linesLeft(receipt, earlier);
  // This refund returns all the money that is left, so the taxes and discounts of free items are returned with it.
  if (price === left.due) return { items, amount: price, taxes: left.taxes, discount: left.discount };
  return {
    items,
    amount: price,
    taxes: receipt.taxes.map((tax) => {
      const same = priced.flatMap(({ taxes }) => taxes).filter((each) => isSameTax(each, tax));
      return { ...tax, applied: add(...same.map(({ applied }) => applied)) };
    }),
    discount: add(...priced.map(({ discount }) => discount)),
  };
}

function refuse(detail: string): Refusal {
  return new Refusal('INVALID_VALUE', { field: 'items', detail });
}

/** The breakdown of each record of a refund by item. The parts are those of its tenders and add up to its amount. */
export function breakDownReturn(priced: PricedReturn, parts: readonly Amount[]): Breakdown[] {
  let before = ZERO;
  return parts.map((part, index) => {
    const covered = { total: priced.amount, before, part };
    before = add(before, part);
    const taxes = priced.taxes.map((tax) => ({ ...tax, applied: negate(shareOfPart(tax.applied, covered)) }));
    const [additiveTax, inclusiveTax] = [taxOf(taxes, 'ADDITIVE'), taxOf(taxes, 'INCLUSIVE')];
    return {
      tip: ZERO,
      taxes,
      additiveTax,
      inclusiveTax,
      tax: add(additiveTax, inclusiveTax),
      discount: negate(shareOfPart(priced.discount, covered)),
      surcharges: [],
      surcharge: ZERO,
      items: index === 0 ? priced.items : [],
    };
  });
}

/** The amount of a tender that refunds by item returned. */
export function returnedByItem(earlier: readonly ItemRefund[], paymentId: string): Amount {
  return add(...earlier.filter((refund) => refund.paymentId === paymentId).map((refund) => refund.amount));
}

/**
 * The receipt and the tenders as if the returned items had never been sold. The breakdown of a refund of an amount is computed from them.
 * They are the same for all refunds of amounts, because items can only be returned before the first of these.
 */
export function withoutReturnedItems(
  { receipt, tenders }: Pick<RefundedPart, 'receipt' | 'tenders'>,
  earlier: readonly ItemRefund[],
): Pick<RefundedPart, 'receipt' | 'tenders'> {
  if (earlier.length === 0) return { receipt, tenders };
  return {
    receipt: { ...linesLeft(receipt, earlier), surcharges: receipt.surcharges },
    tenders: tenders.map((tender) => withoutReturned(tender, returnedByItem(earlier, tender.id))),
  };
}

type Lines = Pick<Receipt, 'due' | 'taxes' | 'discount'>;

/** What is left of the sums of a receipt. */
function linesLeft(receipt: Lines, earlier: readonly ItemRefund[]): Lines {
  const breakdowns = earlier.map(({ breakdown }) => breakdown);
  const left = <Line>(line: Applied<Line>, index: number): Applied<Line> => ({
    ...line,
    applied: add(line.applied, ...breakdowns.map(({ taxes }) => taxes[index]?.applied ?? ZERO)),
  });
  return {
    due: subtract(receipt.due, add(...earlier.map((refund) => refund.amount))),
    taxes: receipt.taxes.map(left),
    discount: add(receipt.discount, ...breakdowns.map(({ discount }) => discount)),
  };
}

function withoutReturned(tender: PaidTender, returned: Amount): PaidTender {
  return { ...tender, amount: subtract(tender.amount, returned), total: subtract(tender.total, returned) };
}
