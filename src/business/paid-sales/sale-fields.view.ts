/** What the dashboard and the register both show of a sale and its tenders. */
import { Money, toMoney } from '../../api/money.js';
import { about, Bool, choice, optional, present, Time, Type } from '../../api/wire.js';
import { type Amount, add, ZERO } from '../../base/money.js';
import { type ReceiptSite, receiptLink } from '../../base/receipt-url.js';
import { printMilliseconds } from '../../base/time.js';
import { type ReceiptSum, receiptSums } from '../figures/receipt.js';
import { TENDER_TYPES, tenderTypeOf } from '../tenders/model.js';
import {
  computeOwnerSums,
  type OwnerSale,
  type OwnerTender,
  refundableOf,
  returnedAmount,
  type SoldItems,
} from './owner-model.js';

export const SALE_KINDS = ['API', 'REGISTER', 'ONLINE_STORE'] as const;
export const SALE_STATES = ['OPEN', 'COMPLETED', 'CANCELED'] as const;

export const TENDER_FIELDS = {
  id: about('The id of the payment.', Type.String()),
  receipt_number: about('The number on the receipt of the buyer.', Type.String()),
  type: about('How it was paid. `EXTERNAL_CARD`: by a terminal beside the register.', choice(TENDER_TYPES)),
  name: about('The name of the tender. Absent for cash and cards.', optional(Type.String())),
  card_brand: about('The brand of the card. Absent if none was used.', optional(Type.String())),
  last_4: about('The last four digits of the card. Absent if none was used.', optional(Type.String())),
  is_exchange: about('Whether returned goods paid, and no money moved.', Bool),
  amount_money: about('What it paid, without the tip.', Money),
  tip_money: about('The tip.', Money),
  total_money: about('What it paid, with the tip.', Money),
  refunded_money: about('What went back to the buyer.', Money),
  refundable_money: about('What can still be refunded.', Money),
};

export const SALE_FIELDS = {
  id: about('The id of the sale.', Type.String()),
  kind: about('Where the sale comes from: an application, a register or an online store.', choice(SALE_KINDS)),
  state: about('Whether the sale is still open, paid in full or canceled.', choice(SALE_STATES)),
  created_at: about('When the sale was completed. Until then, when its first tender was taken.', Time),
  employee_id: about('The employee who sold. Absent if none did.', optional(Type.String())),
  device_name: about('The name of the register. Absent if none was used.', optional(Type.String())),
  total_money: about('What the buyer paid, with tips.', Money),
  tip_money: about('The tips.', Money),
  refunded_money: about('What went back to the buyer.', Money),
  refundable_money: about('What can still be refunded.', Money),
};

export const RECEIPT_FIELDS = {
  receipt_number: about('The number on the receipt of the buyer.', Type.String()),
  receipt_url: about(
    "The buyer's receipt: a whole address if the server has a public URL, otherwise a path.",
    Type.String(),
  ),
};

/** `receiptId` is that of `receiptIdOf`. */
export function toReceiptFields(receiptId: string, site: ReceiptSite) {
  return { receipt_number: receiptNumberOf(receiptId), receipt_url: receiptLink(site, receiptId) };
}

type SoldAndPaid = Pick<OwnerSale, 'tenders'> & Pick<SoldItems, 'receipt'>;

/** The sums of its receipt. Of a sale of an application only the amount is known. */
export function receiptSumsOf({ tenders, receipt }: SoldAndPaid): ReceiptSum[] {
  const sum = (of: (tender: OwnerTender) => Amount | null) => add(ZERO, ...tenders.map((tender) => of(tender) ?? ZERO));
  return receiptSums(
    receipt ?? sum(({ amount }) => amount),
    sum(({ tip }) => tip),
  );
}

/** What receipts print: the end of the id of a tender. */
export function receiptNumberOf(receiptId: string): string {
  return receiptId.slice(-4);
}

export function toTenderFields(tender: OwnerTender, currency: string) {
  const money = (value: Amount) => toMoney(value, currency);
  return {
    id: tender.id,
    receipt_number: receiptNumberOf(tender.id),
    type: tenderTypeOf(tender),
    ...present({ name: tender.tenderName, card_brand: tender.cardBrand, last_4: tender.last4 }),
    is_exchange: tender.isExchange,
    amount_money: money(tender.amount),
    tip_money: money(tender.tip ?? ZERO),
    total_money: money(tender.total),
    refunded_money: money(returnedAmount(tender)),
    refundable_money: money(refundableOf(tender)),
  };
}

export function toSaleFields(sale: OwnerSale, currency: string) {
  const money = (value: Amount) => toMoney(value, currency);
  const { total, tip, refunded, refundable } = computeOwnerSums(sale);
  return {
    id: sale.id,
    kind: sale.kind,
    state: sale.state,
    created_at: printMilliseconds(sale.createdAt),
    ...present({ employee_id: sale.employeeId, device_name: sale.deviceName }),
    total_money: money(total),
    tip_money: money(tip),
    refunded_money: money(refunded),
    refundable_money: money(refundable),
  };
}
