/** The register's view of a sale that a buyer comes back with: what was paid, and what can still be given back. */
import { Money, toMoney } from '../../api/money.js';
import { choice, Flag, model, optional, present, type Static, Time, Type } from '../../api/wire.js';
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
  id: Type.String(),
  receipt_number: Type.String(),
  type: choice(TENDER_TYPES),
  name: optional(Type.String()),
  card_brand: optional(Type.String()),
  last_4: optional(Type.String()),
  is_exchange: Flag,
  amount_money: Money,
  tip_money: Money,
  total_money: Money,
  refunded_money: Money,
  refundable_money: Money,
});

const FoundLine = model('RegisterFoundLine', {
  /** Names the line in a refund of items. */
  line: Type.Integer(),
  name: Type.String(),
  variation_name: optional(Type.String()),
  quantity: Type.Number(),
  returned_quantity: Type.Number(),
  /** Of the whole quantity, with taxes and discounts. */
  total_money: Money,
});

export const RegisterFoundSale = model('RegisterFoundSale', {
  id: Type.String(),
  /** The id for refunds, and of the receipt's address. */
  payment_id: Type.String(),
  receipt_number: Type.String(),
  /** The buyer's receipt: a whole address if the server has a public URL, otherwise a path. */
  receipt_url: Type.String(),
  created_at: Time,
  kind: choice(SALE_KINDS),
  state: choice(SALE_STATES),
  employee_id: optional(Type.String()),
  device_name: optional(Type.String()),
  total_money: Money,
  tip_money: Money,
  refunded_money: Money,
  refundable_money: Money,
  tenders: Type.Array(FoundTender),
  /** Whether its items can be returned singly: it has some, and no amount was refunded before. */
  refunds_by_item: Flag,
  lines: Type.Array(FoundLine),
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
