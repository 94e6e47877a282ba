/** An open sale as a cart, so that it can be changed and paid. Pure. */
import { amount } from '../../../src/base/money.js';
import type { Cart, CartDiscount, CartLine, CartTax } from '../core/cart.js';
import type { SaleBody } from '../core/wire.js';
import type { OpenSale } from './open-sales-data.js';

type Itemization = SaleBody['itemizations'][number];
type Discount = NonNullable<SaleBody['discounts']>[number];
type Tax = NonNullable<SaleBody['taxes']>[number];

export function toCart(sale: OpenSale): Cart {
  return {
    id: sale.register_id,
    saleId: sale.id,
    ...(sale.version !== undefined && { version: sale.version }),
    paid: amount(sale.paid_money.amount),
    ...(sale.label !== undefined && { label: sale.label }),
    lines: (sale.itemizations ?? []).map(toLine),
    discounts: (sale.discounts ?? []).map(toDiscount),
    returns: [],
  };
}

function toLine(item: Itemization): CartLine {
  const { item_detail: detail } = item;
  return {
    key: crypto.randomUUID(),
    kind: item.itemization_type === 'CUSTOM_AMOUNT' ? 'CUSTOM_AMOUNT' : 'ITEM',
    name: item.name,
    price: amount(item.single_quantity_money.amount),
    quantity: item.quantity ?? '1',
    ...(item.item_variation_name !== undefined && { variationName: item.item_variation_name }),
    ...(item.notes !== undefined && { note: item.notes }),
    ...(detail?.item_id !== undefined && { itemId: detail.item_id }),
    ...(detail?.item_variation_id !== undefined && { variationId: detail.item_variation_id }),
    ...(detail?.category_name !== undefined && { categoryName: detail.category_name }),
    ...(detail?.sku !== undefined && { sku: detail.sku }),
    modifiers: (item.modifiers ?? []).map(({ name, modifier_option_id: id, price_money: price }) => ({
      name,
      price: amount(price.amount),
      ...(id !== undefined && { id }),
    })),
    discounts: (item.discounts ?? []).map(toDiscount),
    taxes: (item.taxes ?? []).map(toTax),
  };
}

function toDiscount({ name, discount_id: id, restricted = false, rate, amount_money: money }: Discount): CartDiscount {
  return {
    name,
    restricted,
    ...(id !== undefined && { id }),
    ...(rate !== undefined && { rate }),
    ...(money && { amount: amount(money.amount) }),
  };
}

function toTax({ name, fee_id: id, rate, inclusion_type: inclusion = 'ADDITIVE' }: Tax): CartTax {
  return { name, rate, inclusion, ...(id !== undefined && { id }) };
}
