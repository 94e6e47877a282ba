/** The register's view of a sale that a buyer comes back with: what was paid, and what can still be given back. */
import { Money, toMoney } from '../../api/money.js';
import { about, choice, Flag, model, optional, present, type Static, Time, Type } from '../../api/wire.js';
import { QUANTITY_OF_ONE, quantityAsNumber } from '../../base/decimal.js';
import { type Amount, ZERO } from '../../base/money.js';
import { printMilliseconds } from '../../base/time.js';
import { returnedQuantities } from '../receipts/item-refunds.js';
import type { ReceiptItem } from '../receipts/model.js';
import { type ReceiptSite, receiptLink } from '../receipts/url.js';
import { SALE_KINDS, SALE_STATES, TENDER_TYPES } from './dashboard.view.js';
import {
  computeOwnerSums,
  givenBack,
  itemReturnsOf,
  type OwnerSale,
  type OwnerTender,
  refundableOf,
  type SoldItems,
} from './owner-model.js';

const FoundTender = model('RegisterFoundTender', {
  id: about('The id of the payment.', Type.String()),
  receipt_number: about('The number on the receipt of the buyer.', Type.String()),
  type: about('How it was paid.', choice(TENDER_TYPES)),
  name: about('What the tender is called, if it is another one.', optional(Type.String())),
  card_brand: about('The brand of the card. Absent if none was used.', optional(Type.String())),
  last_4: about('The last four digits of the card. Absent if none was used.', optional(Type.String())),
  is_exchange: about('Whether returned goods paid, and no money moved.', Flag),
  amount_money: about('What it paid, without the tip.', Money),
  tip_money: about('The tip.', Money),
  total_money: about('What it paid, with the tip.', Money),
  refunded_money: about('What went back to the buyer.', Money),
  refundable_money: about('What can still be refunded.', Money),
});

const FoundLine = model('RegisterFoundLine', {
  line: about('The number of the line, from 0. It names the line in refunds.', Type.Integer()),
  name: about('What was sold.', Type.String()),
  variation_name: about('The size or kind. Absent without one.', optional(Type.String())),
  quantity: about('How much was sold.', Type.Number()),
  returned_quantity: about('How much of it was returned.', Type.Number()),
  total_money: about('The price of the whole quantity, with taxes and discounts.', Money),
});

export const RegisterFoundSale = model('RegisterFoundSale', {
  id: about('The id of the sale.', Type.String()),
  payment_id: about("The id for refunds, and in the address of the buyer's receipt.", Type.String()),
  receipt_number: about('The number on the receipt of the buyer.', Type.String()),
  receipt_url: about(
    "The buyer's receipt: a whole address if the server has a public URL, otherwise a path.",
    Type.String(),
  ),
  created_at: about('When the sale was completed, or begun if it is not.', Time),
  kind: about('Where the sale comes from: an application, a register or an online store.', choice(SALE_KINDS)),
  state: about('Whether the sale is paid.', choice(SALE_STATES)),
  employee_id: about('The employee who sold. Absent if none did.', optional(Type.String())),
  device_name: about('The name of the register. Absent if none was used.', optional(Type.String())),
  total_money: about('What the buyer paid, with tips.', Money),
  tip_money: about('The tips.', Money),
  refunded_money: about('What went back to the buyer.', Money),
  refundable_money: about('What can still be refunded.', Money),
  tenders: about('What paid for it, the first tender first.', Type.Array(FoundTender)),
  refunds_by_item: about(
    'Whether its items can be returned singly: it has some, and no amount was refunded before.',
    Flag,
  ),
  lines: about('What was sold.', Type.Array(FoundLine)),
});

export function toFoundSale(
  sale: OwnerSale,
  { receipt, refunds }: SoldItems,
  { currency, ...site }: ReceiptSite & { readonly currency: string },
): Static<typeof RegisterFoundSale> {
  const money = (value: Amount) => toMoney(value, currency);
  const sums = computeOwnerSums(sale);
  const { returns, isOnlyByItem } = itemReturnsOf(refunds);
  const returned = receipt ? returnedQuantities(receipt, returns) : [];
  return {
    id: sale.id,
    payment_id: sale.v1Id,
    receipt_number: receiptNumberOf(sale.v1Id),
    receipt_url: receiptLink(site, sale.v1Id),
    created_at: printMilliseconds(sale.createdAt),
    kind: sale.kind,
    state: sale.state,
    ...present({ employee_id: sale.employeeId, device_name: sale.deviceName }),
    total_money: money(sums.total),
    tip_money: money(sums.tip),
    refunded_money: money(sums.refunded),
    refundable_money: money(sums.refundable),
    tenders: sale.tenders.map((tender) => toFoundTender(tender, currency)),
    refunds_by_item: receipt !== null && sale.state === 'COMPLETED' && isOnlyByItem,
    lines: (receipt?.items ?? []).map((item, line) =>
      toFoundLine(item, { line, returned: returned[line] ?? 0 }, currency),
    ),
  };
}

/** What receipts print: the end of the id of a tender. */
function receiptNumberOf(paymentId: string): string {
  return paymentId.slice(-4);
}

function toFoundTender(tender: OwnerTender, currency: string): Static<typeof FoundTender> {
  const money = (value: Amount) => toMoney(value, currency);
  return {
    id: tender.id,
    receipt_number: receiptNumberOf(tender.id),
    type: tender.sourceType,
    ...present({ name: tender.tenderName, card_brand: tender.cardBrand, last_4: tender.last4 }),
    is_exchange: tender.isExchange,
    amount_money: money(tender.amount),
    tip_money: money(tender.tip ?? ZERO),
    total_money: money(tender.total),
    refunded_money: money(givenBack(tender)),
    refundable_money: money(refundableOf(tender)),
  };
}

function toFoundLine(
  item: ReceiptItem,
  { line, returned }: { readonly line: number; readonly returned: number },
  currency: string,
): Static<typeof FoundLine> {
  return {
    line,
    name: item.name,
    ...present({ variation_name: item.variationName }),
    quantity: quantityAsNumber(item.quantity),
    returned_quantity: returned / QUANTITY_OF_ONE,
    total_money: toMoney(item.total, currency),
  };
}
