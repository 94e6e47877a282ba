/** The dashboard's view of sales. */
import { Money, toMoney } from '../../api/money.js';
import { choice, Flag, model, optional, present, type Static, Time, Type } from '../../api/wire.js';
import { QUANTITY_OF_ONE, quantityAsNumber } from '../../base/decimal.js';
import { type Amount, add, ZERO } from '../../base/money.js';
import { printMilliseconds } from '../../base/time.js';
import { returnedQuantities } from '../receipts/item-refunds.js';
import { ITEM_KINDS, type Receipt, type ReceiptItem } from '../receipts/model.js';
import { DashboardRefund, toDashboardRefund } from '../refunds/dashboard.view.js';
import {
  computeOwnerSums,
  givenBack,
  itemReturnsOf,
  netOf,
  type OwnerSale,
  type OwnerSaleDetail,
  type OwnerTender,
  refundableOf,
  TIMELINE_KINDS,
  toTimeline,
} from './owner-model.js';

export const SALE_KINDS = ['API', 'REGISTER', 'ONLINE_STORE'] as const;
export const SALE_STATES = ['OPEN', 'COMPLETED', 'CANCELED'] as const;
export const TENDER_TYPES = ['CARD', 'CASH', 'OTHER'] as const;

const SaleTender = model('DashboardSaleTender', {
  id: Type.String(),
  receipt_number: Type.String(),
  type: choice(TENDER_TYPES),
  name: optional(Type.String()),
  card_brand: optional(Type.String()),
  last_4: optional(Type.String()),
  entry_method: optional(Type.String()),
  is_exchange: Flag,
  captured_at: Time,
  amount_money: Money,
  tip_money: Money,
  total_money: Money,
  fee_money: Money,
  tendered_money: optional(Money),
  refunded_money: Money,
  refundable_money: Money,
  refunds_blocked: Flag,
  employee_id: optional(Type.String()),
  application_id: optional(Type.String()),
  reference_id: optional(Type.String()),
  order_id: optional(Type.String()),
  buyer_email_address: optional(Type.String()),
  note: optional(Type.String()),
});

const SUMMARY = {
  id: Type.String(),
  /** The id of the same sale in the first generation. */
  v1_id: Type.String(),
  location_id: Type.String(),
  kind: choice(SALE_KINDS),
  state: choice(SALE_STATES),
  created_at: Time,
  employee_id: optional(Type.String()),
  device_id: optional(Type.String()),
  device_name: optional(Type.String()),
  order_id: optional(Type.String()),
  first_item: optional(Type.String()),
  item_count: Type.Integer(),
  total_money: Money,
  tip_money: Money,
  fee_money: Money,
  refunded_money: Money,
  refundable_money: Money,
  tenders: Type.Array(SaleTender),
};

export const DashboardSale = model('DashboardSale', SUMMARY);

const ReceiptLine = model('DashboardReceiptLine', {
  name: Type.String(),
  applied_money: Money,
  is_inclusive: optional(Flag),
});

const ReceiptItemModel = model('DashboardReceiptItem', {
  line: Type.Integer(),
  kind: choice(ITEM_KINDS),
  name: Type.String(),
  variation_name: optional(Type.String()),
  notes: optional(Type.String()),
  quantity: Type.Number(),
  returned_quantity: Type.Number(),
  price_money: Money,
  gross_money: Money,
  discount_money: Money,
  tax_money: Money,
  total_money: Money,
  modifiers: Type.Array(ReceiptLine),
  discounts: Type.Array(ReceiptLine),
});

export const ReceiptModel = model('DashboardReceipt', {
  items: Type.Array(ReceiptItemModel),
  discounts: Type.Array(ReceiptLine),
  taxes: Type.Array(ReceiptLine),
  surcharges: Type.Array(ReceiptLine),
  gross_money: Money,
  discount_money: Money,
  tax_money: Money,
  surcharge_money: Money,
  due_money: Money,
});

const TimelineModel = model('DashboardTimelineEntry', {
  at: Time,
  kind: choice(TIMELINE_KINDS),
  amount_money: optional(Money),
  tender_id: optional(Type.String()),
  refund_id: optional(Type.String()),
  settlement_id: optional(Type.String()),
});

export const DashboardSaleDetail = model('DashboardSaleDetail', {
  ...SUMMARY,
  net_money: Money,
  receipt: optional(ReceiptModel),
  /** Whether its items can be refunded singly: no amount was refunded before. */
  refunds_by_item: Flag,
  refunds: Type.Array(DashboardRefund),
  timeline: Type.Array(TimelineModel),
  application_name: optional(Type.String()),
});

export function toDashboardSale(sale: OwnerSale, currency: string): Static<typeof DashboardSale> {
  const money = (value: Amount) => toMoney(value, currency);
  const sums = computeOwnerSums(sale);
  return {
    id: sale.id,
    v1_id: sale.v1Id,
    location_id: sale.locationId,
    kind: sale.kind,
    state: sale.state,
    created_at: printMilliseconds(sale.createdAt),
    item_count: sale.itemCount,
    total_money: money(sums.total),
    tip_money: money(sums.tip),
    fee_money: money(sums.fee),
    refunded_money: money(sums.refunded),
    refundable_money: money(sums.refundable),
    tenders: sale.tenders.map((tender) => toTender(tender, currency)),
    ...present({
      employee_id: sale.employeeId,
      device_id: sale.deviceId,
      device_name: sale.deviceName,
      order_id: sale.orderId,
      first_item: sale.firstItem,
    }),
  };
}

function toTender(tender: OwnerTender, currency: string): Static<typeof SaleTender> {
  const money = (value: Amount) => toMoney(value, currency);
  return {
    id: tender.id,
    receipt_number: tender.id.slice(-4),
    type: tender.sourceType,
    is_exchange: tender.isExchange,
    captured_at: printMilliseconds(tender.capturedAt),
    amount_money: money(tender.amount),
    tip_money: money(tender.tip ?? ZERO),
    total_money: money(tender.total),
    fee_money: money(tender.fee ?? ZERO),
    refunded_money: money(givenBack(tender)),
    refundable_money: money(refundableOf(tender)),
    refunds_blocked: tender.refundsBlocked,
    ...present({
      name: tender.tenderName,
      card_brand: tender.cardBrand,
      last_4: tender.last4,
      entry_method: tender.entryMethod,
      tendered_money: tender.tendered === null ? null : money(tender.tendered),
      employee_id: tender.employeeId,
      application_id: tender.applicationId,
      reference_id: tender.referenceId,
      order_id: tender.applicationId === null ? null : tender.orderId,
      buyer_email_address: tender.buyerEmail,
      note: tender.note,
    }),
  };
}

export function toDashboardSaleDetail(
  sale: OwnerSaleDetail,
  { currency, applicationName }: { readonly currency: string; readonly applicationName: string | undefined },
): Static<typeof DashboardSaleDetail> {
  const { returns, isOnlyByItem } = itemReturnsOf(sale.refunds);
  const isPaidReceipt = sale.receipt !== null && sale.state === 'COMPLETED';
  return {
    ...toDashboardSale(sale, currency),
    net_money: toMoney(netOf(sale), currency),
    refunds_by_item: isPaidReceipt && isOnlyByItem,
    refunds: sale.refunds.map(toDashboardRefund),
    timeline: toTimeline(sale).map(({ at, kind, amount, tenderId, refundId, settlementId }) => ({
      at: printMilliseconds(at),
      kind,
      ...present({
        amount_money: amount === null ? null : toMoney(amount, currency),
        tender_id: tenderId,
        refund_id: refundId,
        settlement_id: settlementId,
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
    gross_money: money(item.gross),
    discount_money: money(item.discount),
    tax_money: money(add(item.additiveTax, item.inclusiveTax)),
    total_money: money(item.total),
    modifiers: item.modifiers.map(toLine),
    discounts: item.discounts.filter(({ applied }) => applied !== ZERO).map(toLine),
    ...present({ variation_name: item.variationName, notes: item.notes }),
  };
}
