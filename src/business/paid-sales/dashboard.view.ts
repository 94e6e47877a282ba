/** The dashboard's view of sales. */

import { FlaggedWrite, toFlaggedWrite } from '../../access/devices/flags.view.js';
import type { ReviewedWrite } from '../../access/devices/table.js';
import { Money, toMoney } from '../../api/money.js';
import { about, Bool, choice, model, optional, present, type Static, Time, Type } from '../../api/wire.js';
import { QUANTITY_OF_ONE, quantityAsNumber } from '../../base/decimal.js';
import { type Amount, add, ZERO } from '../../base/money.js';
import { receiptPath } from '../../base/receipt-url.js';
import { printMilliseconds } from '../../base/time.js';
import { addUp } from '../figures/model.js';
import { RECEIPT_LINES, toReceiptLines } from '../figures/receipt.view.js';
import { SALE_MONEY, SALE_MONEY_HELD } from '../figures/sale.js';
import { moneyFields, toMoneyFields } from '../figures/view.js';
import { returnedQuantities } from '../receipts/item-refunds.js';
import { ITEM_KINDS, priceOf, type Receipt, type ReceiptItem } from '../receipts/model.js';
import { DashboardRefund, toDashboardRefund } from '../refunds/dashboard.view.js';
import {
  countMoney,
  heldOf,
  itemReturnsOf,
  type OwnerSale,
  type OwnerSaleDetail,
  type OwnerTender,
  receiptIdOfSale,
  TIMELINE_KINDS,
  toTimeline,
} from './owner-model.js';
import { receiptSumsOf, SALE_FIELDS, TENDER_FIELDS, toSaleFields, toTenderFields } from './sale-fields.view.js';

const SaleTender = model('DashboardSaleTender', {
  ...TENDER_FIELDS,
  entry_method: about('How the card was read. Absent if none was used.', optional(Type.String())),
  captured_at: about('When the money was taken.', Time),
  fee_money: about("The processor's fee.", Money),
  tendered_money: about('The cash that the buyer handed over. Absent if it was not cash.', optional(Money)),
  refunds_blocked: about('Whether an earlier refund failed, so that no further refund is possible.', Bool),
  employee_id: about('The employee who took it. Absent if none did.', optional(Type.String())),
  application_id: about('The application that took it. Absent if none did.', optional(Type.String())),
  reference_id: about('The id of the payment in another system.', optional(Type.String())),
  order_id: about('The order that the application named.', optional(Type.String())),
  buyer_email_address: about('The address to which the receipt was sent.', optional(Type.String())),
  note: about('A note about the payment.', optional(Type.String())),
});

const SUMMARY = {
  ...SALE_FIELDS,
  v1_id: about('The id of the same sale in v1: that of its only tender, or `id` if it is split.', Type.String()),
  location_id: about('Where the sale was made.', Type.String()),
  device_id: about('The register. Absent if none was used.', optional(Type.String())),
  order_id: about('The online order. Absent if there is none.', optional(Type.String())),
  first_item: about('The name of its first item. Absent if it has no items.', optional(Type.String())),
  item_count: about('How many lines it has.', Type.Integer()),
  sums: about(
    'What it brings. The sums of the sales of a period are those of its report.',
    Type.Object(moneyFields(SALE_MONEY)),
  ),
  tenders: about('What paid for it, the first tender first.', Type.Array(SaleTender)),
};

export const DashboardSale = model('DashboardSale', SUMMARY);

const ReceiptLine = model('DashboardReceiptLine', {
  name: about('What receipts call it.', Type.String()),
  applied_money: about('What it adds or takes off.', Money),
  is_inclusive: about('Whether prices contain it. Only of taxes.', optional(Bool)),
});

const ReceiptItemModel = model('DashboardReceiptItem', {
  line: about('The number of the line, from 0. It names the line in refunds.', Type.Integer()),
  kind: about('Whether it is an item, an amount that was typed, or something else.', choice(ITEM_KINDS)),
  name: about('What was sold.', Type.String()),
  variation_name: about('The size or kind. Absent without one.', optional(Type.String())),
  notes: about('A note about the line.', optional(Type.String())),
  quantity: about('How much was sold.', Type.Number()),
  returned_quantity: about('How much of it was returned.', Type.Number()),
  price_money: about('The price of one.', Money),
  list_money: about(
    'The price of all, with modifiers, before discounts, as the price list and receipts say it.',
    Money,
  ),
  gross_money: about('The same without the taxes that it contains.', Money),
  discount_money: about('What was taken off. Negative.', Money),
  tax_money: about('The taxes on the line.', Money),
  total_money: about('What the buyer paid for the line.', Money),
  modifiers: about('What was added to each.', Type.Array(ReceiptLine)),
  discounts: about('What was taken off this line.', Type.Array(ReceiptLine)),
});

export const ReceiptModel = model('DashboardReceipt', {
  items: about('What was sold.', Type.Array(ReceiptItemModel)),
  discounts: about('What was taken off the whole sale.', Type.Array(ReceiptLine)),
  taxes: about('The taxes on the sale.', Type.Array(ReceiptLine)),
  surcharges: about('The surcharges on the sale.', Type.Array(ReceiptLine)),
  gross_money: about('The prices of all lines, before discounts.', Money),
  discount_money: about('What was taken off. Negative.', Money),
  tax_money: about('The taxes, with those in prices.', Money),
  surcharge_money: about('The surcharges.', Money),
  due_money: about('What the buyer had to pay, without tips.', Money),
});

const TimelineModel = model('DashboardTimelineEntry', {
  at: about('When it happened.', Time),
  kind: about('The step in the life of the sale.', choice(TIMELINE_KINDS)),
  amount_money: about('The money that moved. Absent if none did.', optional(Money)),
  tender_id: about('The tender that it is about. Absent if it is about none.', optional(Type.String())),
  refund_id: about('The refund that it is about. Absent if it is about none.', optional(Type.String())),
  settlement_id: about('The settlement that it is about. Absent if it is about none.', optional(Type.String())),
  name: about(
    'The discount, or the item whose price was lowered. Absent if it is about none.',
    optional(Type.String()),
  ),
  employee_id: about('Who allowed the discount or the price. Absent if it is about none.', optional(Type.String())),
});

export const DashboardSaleDetail = model('DashboardSaleDetail', {
  ...SUMMARY,
  sums: about(
    'What it brings.',
    Type.Object({ ...moneyFields(SALE_MONEY), held: optional(moneyFields(SALE_MONEY_HELD).held) }),
  ),
  receipt: about('What was sold. Absent for a payment of an application, which has no items.', optional(ReceiptModel)),
  ...RECEIPT_LINES,
  refunds_by_item: about('Whether its items can be refunded singly: no amount was refunded before.', Bool),
  refunds: about('Its refunds, the first one first.', Type.Array(DashboardRefund)),
  timeline: about('What happened to the sale, the first event first.', Type.Array(TimelineModel)),
  application_name: about('The application that took it. Absent if none did.', optional(Type.String())),
  // Decision 0157.
  flagged_writes: about('What registers did that the owner should look at.', Type.Array(FlaggedWrite)),
  receipt_path: about('The receipt of the buyer, as a path of this server.', Type.String()),
});

export function toDashboardSale(sale: OwnerSale, currency: string): Static<typeof DashboardSale> {
  return {
    ...toSaleFields(sale, currency),
    v1_id: sale.v1Id,
    location_id: sale.locationId,
    item_count: sale.itemCount,
    sums: toMoneyFields(addUp(SALE_MONEY, countMoney(sale)), currency),
    tenders: sale.tenders.map((tender) => toTender(tender, currency)),
    ...present({ device_id: sale.deviceId, order_id: sale.orderId, first_item: sale.firstItem }),
  };
}

function toTender(tender: OwnerTender, currency: string): Static<typeof SaleTender> {
  return {
    ...toTenderFields(tender, currency),
    captured_at: printMilliseconds(tender.capturedAt),
    fee_money: toMoney(tender.fee ?? ZERO, currency),
    refunds_blocked: tender.refundsBlocked,
    ...present({
      entry_method: tender.entryMethod,
      tendered_money: tender.tendered === null ? null : toMoney(tender.tendered, currency),
      employee_id: tender.employeeId,
      application_id: tender.applicationId,
      reference_id: tender.referenceId,
      order_id: tender.applicationId === null ? null : tender.orderId,
      buyer_email_address: tender.buyerEmail,
      note: tender.note,
    }),
  };
}

interface SaleSurroundings {
  readonly merchantId: string;
  readonly currency: string;
  readonly applicationName: string | undefined;
  readonly flagged: readonly ReviewedWrite[];
}

export function toDashboardSaleDetail(
  sale: OwnerSaleDetail,
  { merchantId, currency, applicationName, flagged }: SaleSurroundings,
): Static<typeof DashboardSaleDetail> {
  const { returns, isOnlyByItem } = itemReturnsOf(sale.refunds);
  const isPaidReceipt = sale.receipt !== null && sale.state === 'COMPLETED';
  const shown = toDashboardSale(sale, currency);
  const held = heldOf(sale);
  return {
    ...shown,
    sums: { ...shown.sums, ...(held > 0 && { held: toMoney(held, currency) }) },
    receipt_lines: toReceiptLines(receiptSumsOf(sale), currency),
    refunds_by_item: isPaidReceipt && isOnlyByItem,
    refunds: sale.refunds.map(toDashboardRefund),
    flagged_writes: flagged.map(toFlaggedWrite),
    receipt_path: receiptPath(merchantId, receiptIdOfSale(sale)),
    timeline: toTimeline(sale).map(({ at, kind, amount, tenderId, refundId, settlementId, name, employeeId }) => ({
      at: printMilliseconds(at),
      kind,
      ...present({
        amount_money: amount === null ? null : toMoney(amount, currency),
        tender_id: tenderId,
        refund_id: refundId,
        settlement_id: settlementId,
        name,
        employee_id: employeeId,
      }),
    })),
    ...present({
      application_name: applicationName,
      receipt: sale.receipt && toReceipt(sale.receipt, returnedQuantities(sale.receipt, returns), currency),
    }),
  };
}

export function toReceipt(
  receipt: Receipt,
  returned: readonly number[],
  currency: string,
): Static<typeof ReceiptModel> {
  const money = (value: Amount) => toMoney(value, currency);
  const line = ({ name, applied }: { readonly name: string; readonly applied: Amount }) => ({
    name,
    applied_money: money(applied),
  });
  return {
    items: receipt.items.map((item, index) => toItem(item, { line: index, returned: returned[index] ?? 0 }, currency)),
    discounts: receipt.discounts.map(line),
    taxes: receipt.taxes.map((tax) => ({ ...line(tax), is_inclusive: tax.inclusion === 'INCLUSIVE' })),
    surcharges: receipt.surcharges.map(line),
    gross_money: money(receipt.gross),
    discount_money: money(receipt.discount),
    tax_money: money(receipt.tax),
    surcharge_money: money(receipt.surcharge),
    due_money: money(receipt.due),
  };
}

function toItem(
  item: ReceiptItem,
  { line, returned }: { readonly line: number; readonly returned: number },
  currency: string,
): Static<typeof ReceiptItemModel> {
  const money = (value: Amount) => toMoney(value, currency);
  const toLine = ({ name, applied }: { readonly name: string; readonly applied: Amount }) => ({
    name,
    applied_money: money(applied),
  });
  return {
    line,
    kind: item.kind,
    name: item.name,
    quantity: quantityAsNumber(item.quantity),
    returned_quantity: returned / QUANTITY_OF_ONE,
    price_money: money(item.price),
    list_money: money(priceOf(item)),
    gross_money: money(item.gross),
    discount_money: money(item.discount),
    tax_money: money(add(item.additiveTax, item.inclusiveTax)),
    total_money: money(item.total),
    modifiers: item.modifiers.map(toLine),
    discounts: item.discounts.filter(({ applied }) => applied !== ZERO).map(toLine),
    ...present({ variation_name: item.variationName, notes: item.notes }),
  };
}
