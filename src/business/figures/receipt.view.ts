/** The lines of a receipt as our own surfaces send them. */
import { Money, toMoney } from '../../api/money.js';
import { about, Bool, choice, type Static, Type } from '../../api/wire.js';
import { RECEIPT_MONEY, type ReceiptFigure, type ReceiptSum } from './receipt.js';

const FIGURE_NAMES = Object.keys(RECEIPT_MONEY) as ReceiptFigure[];

const ReceiptLines = Type.Array(
  Type.Object({
    figure: about(
      'What the line belongs to. Discounts, surcharges and taxes have a line for each of them.',
      choice(FIGURE_NAMES),
    ),
    name: about('What receipts call it.', Type.String()),
    amount_money: about('What it adds. Negative for a discount.', Money),
    is_sum: about('Whether lines before it add up to it.', Bool),
  }),
);

export const RECEIPT_LINES = {
  receipt_lines: about('The sums of the receipt, as every receipt of the sale says them.', ReceiptLines),
};

export function toReceiptLines(sums: readonly ReceiptSum[], currency: string): Static<typeof ReceiptLines> {
  return sums.map(({ figure, name, amount, isSum }) => ({
    figure,
    name,
    amount_money: toMoney(amount, currency),
    is_sum: isSum,
  }));
}
