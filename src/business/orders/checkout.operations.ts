/** The checkout operations of an online store: list items, price and place an order, and read and pay it by its token. */
import { Money, toMoney } from '../../api/money.js';
import { type CheckoutContext, operation } from '../../api/operation.js';
import { SAMPLE_IDS } from '../../api/sample-ids.js';
import { about, type Static, Type, text } from '../../api/wire.js';
import { Refusal } from '../../base/errors.js';
import { StoreItem, toStoreItem } from '../catalogue/checkout.view.js';
import { offerOnline } from '../catalogue/model.js';
import { findSellable } from '../catalogue/queries.js';
import { toDeclineRefusal } from '../payments/outcomes.js';
import { findStore } from '../stores/queries.js';
import { computeReceiptAtStore, payOrder, placeOrder, requirePickUpAddress, showOrder } from './checkout.js';
import {
  CheckoutOrder,
  fromPlaceOrderBody,
  fromPriceBody,
  OrderPrice,
  PlaceOrderBody,
  PriceBody,
  toCheckoutOrder,
  toOrderPrice,
} from './checkout.view.js';
import type { ShopperOrder } from './model.js';

const OrderResponse = Type.Object({ order: about('The order as it is now.', CheckoutOrder) });

function showToShopper(
  { merchant, givenUrl: publicUrl }: CheckoutContext,
  order: ShopperOrder,
): Static<typeof CheckoutOrder> {
  return toCheckoutOrder(order, { merchantId: merchant.id, publicUrl });
}

/** The response to a payment: the order, or a refusal if it was declined or the order is canceled. */
function toPayResponse(context: CheckoutContext, order: ShopperOrder): Static<typeof OrderResponse> {
  const response = { order: showToShopper(context, order) };
  if (order.state === 'REJECTED') throw toDeclineRefusal({ errors: order.tender?.errors ?? null }, response);
  if (order.state !== 'CANCELED') return response;
  throw new Refusal('WRONG_STATE', { detail: `Order ${order.id} is ${order.state}, so it cannot be paid.` });
}

export const checkoutOrderOperations = [
  operation({
    surface: 'checkout',
    name: 'listItems',
    method: 'GET',
    path: '/api/checkout/catalogue',
    permission: 'SHOPPER',
    summary: 'Lists the items that the store sells, with their variations, and its shipping cost.',
    response: Type.Object({
      items: about('What the store sells.', Type.Array(StoreItem)),
      shipping_money: about('What shipping costs for each order.', Money),
    }),
    async handle({ database, merchant, storefront: { locationId } }) {
      const key = { merchantId: merchant.id, locationId };
      const [store, sellable] = await Promise.all([
        findStore(database.sql, key),
        findSellable(database.sql, merchant.id),
      ]);
      return {
        items: offerOnline(sellable, locationId).map((item) => toStoreItem(item, merchant)),
        shipping_money: toMoney(store.shipping, merchant.currency),
      };
    },
  }),

  operation({
    surface: 'checkout',
    name: 'priceOrder',
    method: 'POST',
    path: '/api/checkout/prices',
    permission: 'SHOPPER',
    summary: 'Computes what an order would cost, with shipping, taxes and the promo code. Nothing is stored.',
    body: PriceBody,
    example: { body: { items: [{ item_id: SAMPLE_IDS.item_id, quantity: 1 }] } },
    response: Type.Object({ price: about('What the order would cost.', OrderPrice) }),
    async handle(context, { body }) {
      context.countRead();
      const request = fromPriceBody(body);
      if (request.fulfillment === 'PICKUP') await requirePickUpAddress(context);
      const receipt = await computeReceiptAtStore(context, request);
      return { price: toOrderPrice(receipt, context.merchant.currency) };
    },
  }),

  operation({
    surface: 'checkout',
    name: 'placeOrder',
    method: 'POST',
    path: '/api/checkout/orders',
    permission: 'SHOPPER',
    summary: "Places an order at the store's prices. It expires after one day without a payment.",
    body: PlaceOrderBody,
    example: {
      body: {
        id: 'order-1',
        items: [{ item_id: SAMPLE_IDS.item_id, quantity: 1 }],
        recipient: { name: 'Ana Ruiz' },
        shipping_address: { address_line_1: '1 Main Street', locality: 'Portland', postal_code: '97201' },
        buyer_email: 'ana@example.com',
      },
    },
    response: Type.Object({
      order: about('The new order.', CheckoutOrder),
      order_token: about('Pays and reads the order. Shown only here.', Type.String()),
    }),
    async handle(context, { body }) {
      const { order, token } = await placeOrder(context, fromPlaceOrderBody(body));
      return { order: showToShopper(context, order), order_token: token };
    },
  }),

  operation({
    surface: 'checkout',
    name: 'retrieveOrder',
    method: 'GET',
    path: '/api/checkout/orders/{order_token}',
    permission: 'SHOPPER',
    summary: 'Returns an order by its token.',
    response: OrderResponse,
    async handle(context, { params: { order_token } }) {
      return { order: showToShopper(context, await showOrder(context, order_token)) };
    },
  }),

  operation({
    surface: 'checkout',
    name: 'payOrder',
    method: 'POST',
    path: '/api/checkout/orders/{order_token}/pay',
    permission: 'SHOPPER',
    summary: 'Pays an order with a card. Retries do not charge the card again.',
    body: Type.Object({
      source_id: about('What to charge: a card token, or in a sandbox a test source.', text(255, { minLength: 1 })),
    }),
    example: { body: { source_id: 'cnon:card-nonce-ok' } },
    response: OrderResponse,
    async handle(context, { params: { order_token }, body: { source_id } }) {
      return toPayResponse(context, await payOrder(context, order_token, source_id));
    },
  }),
];
