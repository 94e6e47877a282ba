/** Converts a cart to the body of a sale. Pure. */
import type { Amount } from '../../../src/base/money.js';
import type { Cart, CartDiscount, CartLine, CartTax } from './cart.js';
import { totalsOf } from './totals.js';
import type { SaleBody, WireTender } from './wire.js';

export interface TenderInput {
  readonly type: 'CASH' | 'CARD' | 'GIFT_CARD' | 'OTHER';
  /** Absent: all that is left to pay. */
  readonly amount?: Amount;
  readonly tip?: Amount;
  /** Cash: what the buyer gave. */
  readonly tendered?: Amount;
  /** Cards: what the reader, or a card to tap, gives. Never a card number. */
  readonly sourceId?: string;
  readonly entryMethod?: 'SWIPED' | 'KEYED';
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
  };
}

/** Names the total, so that the server refuses a sale whose total it computes differently. Without tenders the sale is parked. */
export function toSaleBody(cart: Cart, tenders: readonly TenderInput[] = []): SaleBody {
  return {
    id: cart.id,
    ...(cart.label !== undefined && { label: cart.label }),
    ...(cart.approvedBy !== undefined && { approved_by: cart.approvedBy }),
    itemizations: cart.lines.map(toItemization),
    ...(cart.discounts.length > 0 && { discounts: cart.discounts.map(toDiscount) }),
    total_money: { amount: totalsOf(cart).total },
    ...(tenders.length > 0 && { tenders: tenders.map(newTender) }),
    ...(cart.returns.length > 0 && {
      returns: cart.returns.map(({ paymentId, amount, reason, items }) => ({
        payment_id: paymentId,
        amount_money: { amount },
        reason,
        ...(items && { items: items.map((item) => ({ ...item })) }),
      })),
    }),
  };
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
