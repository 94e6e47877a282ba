/** Converts a cart to the body of a sale, and an open sale back to a cart. Pure. */
import { type Amount, amount } from '../../../src/base/money.js';
import type { InputOf } from '../../client/callable.js';
import type { register } from '../../client/register-operations.js';
import { type Cart, type CartApproval, type CartDiscount, type CartLine, type CartTax, contentOf } from './cart.js';
import { totalsOf } from './totals.js';
import type { SaleBody, WireSale, WireTender } from './wire.js';

type WireItemization = NonNullable<WireSale['itemizations']>[number];
type WireDiscount = NonNullable<WireSale['discounts']>[number];

export interface TenderInput {
  readonly type: 'CASH' | 'CARD' | 'GIFT_CARD' | 'EXTERNAL_CARD' | 'OTHER';
  /** Absent: all that is left to pay. */
  readonly amount?: Amount;
  readonly tip?: Amount;
  /** Cash: what the buyer gave. */
  readonly tendered?: Amount;
  /** Cards: what the reader, or a card to tap, gives. Never a card number. */
  readonly sourceId?: string;
  readonly entryMethod?: 'SWIPED' | 'KEYED';
  /** Cards of a terminal beside the register: what its slip says. */
  readonly brand?: NonNullable<WireTender['card_brand']>;
  readonly last4?: string;
  readonly reference?: string;
  /** Other tenders: such as "Voucher". */
  readonly name?: string;
}

export function newTender(tender: TenderInput): WireTender {
  const money = (value: Amount) => ({ amount: value });
  return {
    id: crypto.randomUUID(),
    type: tender.type,
    ...(tender.amount !== undefined && { amount_money: money(tender.amount) }),
    ...(tender.tip !== undefined && { tip_money: money(tender.tip) }),
    ...(tender.tendered !== undefined && { tendered_money: money(tender.tendered) }),
    ...(tender.sourceId !== undefined && { source_id: tender.sourceId }),
    ...(tender.entryMethod !== undefined && { entry_method: tender.entryMethod }),
    ...(tender.name !== undefined && { name: tender.name }),
    ...(tender.brand !== undefined && { card_brand: tender.brand }),
    ...(tender.last4 !== undefined && { last_4: tender.last4 }),
    ...(tender.reference !== undefined && { reference: tender.reference }),
  };
}

/** What editSale needs of a cart that was made from an open sale. */
export function toEditBody(cart: Cart): InputOf<typeof register.editSale> {
  const { saleId = '', version = '' } = cart;
  const { id: _, tenders: __, returns: ___, ...sold } = toSaleBody(cart);
  return { ...sold, id: crypto.randomUUID(), sale_id: saleId, version };
}

/** The name of an open sale of which only the sum is known. */
export const WITHOUT_LINES = 'Sale without its items';

/** Takes up an open sale. What it sells may be edited; what has been paid stays. */
export function cartOfSale(sale: WireSale): Cart {
  const cart: Cart = {
    id: sale.register_id,
    saleId: sale.id,
    version: sale.version,
    paid: amount(sale.paid_money.amount),
    paidCash: amount(cashIn(sale)),
    ...(sale.label !== undefined && { label: sale.label }),
    lines: sale.itemizations?.map(toLine) ?? [lineForAll(sale)],
    discounts: (sale.discounts ?? []).map(toCartDiscount),
    returns: [],
  };
  return { ...cart, takenUp: contentOf(cart) };
}

function cashIn({ tenders }: WireSale): number {
  const cash = tenders.filter(({ type, status }) => type === 'CASH' && status === 'COMPLETED');
  return cash.reduce((sum, { total_money }) => sum + total_money.amount, 0);
}

/** Open sales of earlier versions have no lines. One line stands for all of them, so that they can be paid. */
function lineForAll({ paid_money: paid, remaining_money: left }: WireSale): CartLine {
  return {
    key: crypto.randomUUID(),
    kind: 'CUSTOM_AMOUNT',
    name: WITHOUT_LINES,
    quantity: '1',
    price: amount(paid.amount + left.amount),
    modifiers: [],
    discounts: [],
    taxes: [],
  };
}

function toLine(item: WireItemization): CartLine {
  const { item_detail: detail = {} } = item;
  return {
    key: crypto.randomUUID(),
    kind: item.itemization_type === 'CUSTOM_AMOUNT' ? 'CUSTOM_AMOUNT' : 'ITEM',
    name: item.name,
    quantity: item.quantity ?? '1',
    price: amount(item.single_quantity_money.amount),
    ...(item.item_variation_name !== undefined && { variationName: item.item_variation_name }),
    ...(item.notes !== undefined && { note: item.notes }),
    ...(detail.item_id !== undefined && { itemId: detail.item_id }),
    ...(detail.item_variation_id !== undefined && { variationId: detail.item_variation_id }),
    ...(detail.category_name !== undefined && { categoryName: detail.category_name }),
    ...(detail.sku !== undefined && { sku: detail.sku }),
    modifiers: (item.modifiers ?? []).map(({ name, modifier_option_id: id, price_money }) => ({
      name,
      price: amount(price_money.amount),
      ...(id !== undefined && { id }),
    })),
    discounts: (item.discounts ?? []).map(toCartDiscount),
    taxes: (item.taxes ?? []).map(({ name, rate, inclusion_type: inclusion = 'ADDITIVE', fee_id: id }) => ({
      ...{ name, inclusion, rate: String(rate) },
      ...(id !== undefined && { id }),
    })),
  };
}

function toCartDiscount({
  name,
  discount_id: id,
  rate,
  amount_money: money,
  restricted = false,
}: WireDiscount): CartDiscount {
  return {
    name,
    restricted,
    ...(id !== undefined && { id }),
    ...(rate !== undefined && { rate: String(rate) }),
    ...(money !== undefined && { amount: amount(money.amount) }),
  };
}

/** The body has the total, so that the server refuses a sale whose total it computes differently. Without tenders the sale is parked. */
export function toSaleBody(cart: Cart, tenders: readonly TenderInput[] = []): SaleBody {
  return {
    id: cart.id,
    ...(cart.label !== undefined && { label: cart.label }),
    ...(cart.approval && { approval: toApproval(cart.approval) }),
    itemizations: cart.lines.map(toItemization),
    ...(cart.discounts.length > 0 && { discounts: cart.discounts.map(toDiscount) }),
    total_money: { amount: totalsOf(cart).total },
    ...(tenders.length > 0 && { tenders: tenders.map(newTender) }),
    ...(cart.returns.length > 0 && {
      returns: cart.returns.map(({ paymentId, amount, refunded, reason, items }) => ({
        payment_id: paymentId,
        amount_money: { amount },
        ...(refunded !== undefined && { refunded_money: { amount: refunded } }),
        reason,
        ...(items && { items: items.map((item) => ({ ...item })) }),
      })),
    }),
  };
}

function toApproval({ id, employeeId, amount, signature }: CartApproval): SaleBody['approval'] {
  return { id, ...(signature && { employee_id: employeeId, amount_money: { amount }, signature }) };
}

function toItemization(line: CartLine): SaleBody['itemizations'][number] {
  const { itemId, variationId, categoryName, sku } = line;
  return {
    name: line.name,
    quantity: line.quantity,
    single_quantity_money: { amount: line.price },
    itemization_type: line.kind,
    ...(line.variationName !== undefined && { item_variation_name: line.variationName }),
    ...(line.note !== undefined && { notes: line.note }),
    ...(itemId !== undefined && {
      item_detail: {
        item_id: itemId,
        ...(variationId !== undefined && { item_variation_id: variationId }),
        ...(categoryName !== undefined && { category_name: categoryName }),
        ...(sku !== undefined && { sku }),
      },
    }),
    ...(line.modifiers.length > 0 && {
      modifiers: line.modifiers.map(({ id, name, price }) => ({
        name,
        price_money: { amount: price },
        ...(id !== undefined && { modifier_option_id: id }),
      })),
    }),
    ...(line.discounts.length > 0 && { discounts: line.discounts.map(toDiscount) }),
    ...(line.taxes.length > 0 && { taxes: line.taxes.map(toTax) }),
  };
}

function toDiscount({ id, name, rate, amount, restricted }: CartDiscount) {
  return {
    name,
    restricted,
    ...(id !== undefined && { discount_id: id }),
    ...(rate !== undefined && { rate }),
    ...(amount !== undefined && { amount_money: { amount } }),
  };
}

function toTax({ id, name, rate, inclusion }: CartTax) {
  return { name, rate, inclusion_type: inclusion, ...(id !== undefined && { fee_id: id }) };
}
