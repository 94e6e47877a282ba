/** What the pages of an online store may do: show what is sold, place an order, and pay and read it by its token. */
import { Money, toMoney } from '../../api/money.js';
import { operation } from '../../api/operation.js';
import { type Static, Type, text } from '../../api/wire.js';
import { Refusal } from '../../base/errors.js';
import { declineOf } from '../payments/outcomes.js';
import { findStore, listItems } from '../stores/queries.js';
import { StoreItem, toStoreItem } from '../stores/view.js';
import { payOrder, placeOrder, showOrder } from './checkout.js';
import { CheckoutOrder, PlaceOrderBody, readOrder, toCheckoutOrder } from './checkout.view.js';
import type { ShownOrder } from './model.js';

const Answer = Type.Object({ order: CheckoutOrder });

/** What became of paying: the order, or why it was not paid. */
function paid(order: ShownOrder): Static<typeof Answer> {
  const shown = { order: toCheckoutOrder(order) };
  if (order.state === 'REJECTED') throw declineOf({ errors: order.tender?.errors ?? null }, shown);
  if (order.state !== 'CANCELED') return shown;
  throw new Refusal('WRONG_STATE', { detail: `Order ${order.id} is ${order.state}, so it cannot be paid.` });
}

export const checkoutOperations = [
  operation({
    surface: 'checkout',
    name: 'listItems',
    method: 'GET',
    path: '/api/checkout/catalogue',
    permission: 'SHOPPER',
    summary: 'Lists what the store sells, and what shipping costs.',
    response: Type.Object({ items: Type.Array(StoreItem), shipping_money: Money }),
    async handle({ database, merchant, storefront: { locationId } }) {
      const key = { merchantId: merchant.id, locationId };
      const [store, items] = await Promise.all([findStore(database.sql, key), listItems(database.sql, key)]);
      return {
        items: items.map((item) => toStoreItem(item, merchant.currency)),
        shipping_money: toMoney(store.shipping, merchant.currency),
      };
    },
  }),

  operation({
    surface: 'checkout',
    name: 'placeOrder',
    method: 'POST',
    path: '/api/checkout/orders',
    permission: 'SHOPPER',
    summary: "Places an order at the store's prices; it waits a day for its payment.",
    body: PlaceOrderBody,
    response: Type.Object({ order: CheckoutOrder, order_token: Type.String() }),
    async handle(context, { body }) {
      const { order, token } = await placeOrder(context, readOrder(body));
      return { order: toCheckoutOrder(order), order_token: token };
    },
  }),

  operation({
    surface: 'checkout',
    name: 'retrieveOrder',
    method: 'GET',
    path: '/api/checkout/orders/{order_token}',
    permission: 'SHOPPER',
    summary: 'Shows an order to whoever placed it.',
    response: Answer,
    async handle(context, { params: { order_token } }) {
      return { order: toCheckoutOrder(await showOrder(context, order_token)) };
    },
  }),

  operation({
    surface: 'checkout',
    name: 'payOrder',
    method: 'POST',
    path: '/api/checkout/orders/{order_token}/pay',
    permission: 'SHOPPER',
    summary: 'Pays an order with a card, once.',
    body: Type.Object({ source_id: text(255, { minLength: 1 }) }),
    response: Answer,
    async handle(context, { params: { order_token }, body: { source_id } }) {
      return paid(await payOrder(context, order_token, source_id));
    },
  }),
];
