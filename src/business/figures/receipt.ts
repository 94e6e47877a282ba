/** What every receipt of a sale says, line by line (decision 0232): of the register, of its page, of the store and of the dashboard. Pure. */
import { QUANTITY_OF_ONE, quantityAsNumber, RATE_OF_ONE } from '../../base/decimal.js';
import { type Amount, add, subtract, ZERO } from '../../base/money.js';
import { ONLY_VARIATION, priceOf, type Receipt, type ReceiptItem } from '../receipts/model.js';
import { type TenderFields, tenderName } from '../tenders/words.js';
import { addUp, defineFigures, figuresOf, type NameIn } from './model.js';

export const RECEIPT_MONEY = defineFigures({
  subtotal: {
    label: 'Subtotal',
    about: 'The prices of what is sold, as the price list says: before discounts, with the taxes that prices contain.',
    sign: 'ADDS',
  },
  discounts: { label: 'Discounts', about: 'What is taken off.', sign: 'TAKES' },
  surcharges: { label: 'Surcharges', about: 'Surcharges and shipping.', sign: 'ADDS' },
  taxes: { label: 'Taxes', about: 'The taxes on top of the prices.', sign: 'ADDS' },
  total: {
    label: 'Total',
    about: 'What the buyer has to pay, without a tip.',
    sign: 'ADDS',
    sumOf: ['subtotal', 'discounts', 'surcharges', 'taxes'],
  },
  included_taxes: { label: 'Includes taxes', about: 'The taxes in the prices.', sign: 'ADDS', partOf: 'total' },
  tip: { label: 'Tip', about: 'The tips.', sign: 'ADDS' },
  with_tip: {
    label: 'Total with tip',
    about: 'What the buyer pays. The payments add up to it.',
    sign: 'ADDS',
    sumOf: ['total', 'tip'],
  },
});

export type ReceiptFigure = NameIn<typeof RECEIPT_MONEY>;

/** A line of the sums. Discounts, surcharges and taxes have a line for each of them. */
export interface ReceiptSum {
  readonly figure: ReceiptFigure;
  readonly name: string;
  readonly amount: Amount;
  readonly isSum: boolean;
}

type Sold = Pick<Receipt, 'items' | 'discounts' | 'taxes' | 'surcharges'>;

/** `sold` is an amount if nothing else is known of what was sold. Sums that would only repeat the one before are left out. */
export function receiptSums(sold: Sold | Amount, tip: Amount): ReceiptSum[] {
  const parts = typeof sold === 'number' ? {} : partsOf(sold);
  const sumOf = (figure: ReceiptFigure): Amount => add(ZERO, ...(parts[figure] ?? []).map(({ applied }) => applied));
  const money = addUp(RECEIPT_MONEY, {
    subtotal: typeof sold === 'number' ? sold : add(ZERO, ...sold.items.map(priceOf)),
    discounts: sumOf('discounts'),
    surcharges: sumOf('surcharges'),
    taxes: sumOf('taxes'),
    included_taxes: sumOf('included_taxes'),
    tip,
  });
  const isChanged = [parts.discounts, parts.surcharges, parts.taxes].some((lines = []) => lines.length > 0);
  return figuresOf(RECEIPT_MONEY).flatMap(({ name: figure, label, sumOf: isSum }): ReceiptSum[] => {
    if (PARTED.has(figure))
      return (parts[figure] ?? []).map(({ name, applied }) => ({ figure, name, amount: applied, isSum: false }));
    if (figure === 'subtotal' ? !isChanged : figure !== 'total' && tip === ZERO) return [];
    return [{ figure, name: label, amount: money[figure], isSum: isSum !== undefined }];
  });
}

const PARTED: ReadonlySet<ReceiptFigure> = new Set(['discounts', 'surcharges', 'taxes', 'included_taxes']);

type Parts = Partial<Record<ReceiptFigure, readonly { readonly name: string; readonly applied: Amount }[]>>;

function partsOf({ discounts, surcharges, taxes }: Sold): Parts {
  const taxesOf = (wanted: 'ADDITIVE' | 'INCLUSIVE', before: string) =>
    taxes
      .filter(({ inclusion }) => inclusion === wanted)
      .map(({ name, rate, applied }) => ({ name: `${before}${name} ${(rate / RATE_OF_ONE) * 100} %`, applied }));
  return { discounts, surcharges, taxes: taxesOf('ADDITIVE', ''), included_taxes: taxesOf('INCLUSIVE', 'Includes ') };
}

/** A line with what stands in smaller letters below its name. */
export interface ReceiptLine {
  readonly name: string;
  readonly details: readonly string[];
  readonly amount: Amount;
}

export type PrintAmount = (value: Amount) => string;

/** At the prices of the price list: the lines add up to the subtotal. */
export function receiptItems(items: readonly ReceiptItem[], print: PrintAmount): ReceiptLine[] {
  return items.map((item) => {
    const { name, quantity, variationName, price, modifiers, notes } = item;
    const isOne = quantity === QUANTITY_OF_ONE;
    return {
      name: isOne ? name : `${quantityAsNumber(quantity)} × ${name}`,
      details: [
        ...(variationName && variationName !== ONLY_VARIATION ? [variationName] : []),
        ...(isOne ? [] : [`${print(price)} each`]),
        ...modifiers.map((each) => (each.applied === ZERO ? each.name : `${each.name} ${print(each.applied)}`)),
        ...(notes ? [notes] : []),
      ],
      amount: priceOf(item),
    };
  });
}

/** A tender, with the cash that the buyer handed over. */
export interface PaidWith extends TenderFields {
  readonly total: Amount;
  readonly tendered?: Amount | null | undefined;
}

/** Returned goods pay in one line, although each of them is a tender. */
export function receiptPayments(tenders: readonly PaidWith[], print: PrintAmount): ReceiptLine[] {
  const lines: ReceiptLine[] = [];
  let exchanged: number | undefined;
  for (const tender of tenders) {
    const name = tenderName(tender);
    const { total, tendered } = tender;
    const before = tender.is_exchange && exchanged !== undefined ? lines[exchanged] : undefined;
    if (before && exchanged !== undefined) {
      lines[exchanged] = { ...before, amount: add(before.amount, total) };
      continue;
    }
    if (tender.is_exchange) exchanged = lines.length;
    const isMore = tendered !== undefined && tendered !== null && tendered > total;
    const change = isMore ? [`Received ${print(tendered)}, change ${print(subtract(tendered, total))}`] : [];
    lines.push({ name, details: change, amount: total });
  }
  return lines;
}
