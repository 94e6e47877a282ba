/** Places orders at the store's prices, and pays them. */
import type { CheckoutContext } from '../../api/operation.js';
import { notFound, Refusal } from '../../base/errors.js';
import { type JsonText, toJson } from '../../base/json.js';
import type { NormalizedRequest } from '../../base/normalized-request.js';
import type { PostalAddress } from '../../base/postal-address.js';
import { hashSecret } from '../../base/secrets.js';
import type { Change } from '../../database/change.js';
import { offerOnline } from '../catalogue/model.js';
import { findSellable } from '../catalogue/queries.js';
import { addWork } from '../due-work/actions.js';
import { resolveCreate } from '../payments/calls.js';
import { requireSource } from '../payments/outcomes.js';
import { findOnlinePayment } from '../payments/queries.js';
import { toReceiptRecord } from '../receipts/copies.js';
import type { Receipt } from '../receipts/model.js';
import { openSale } from '../sales/actions.js';
import { toNewOnlineSale } from '../sales/model.js';
import type { Store } from '../stores/model.js';
import { findStore } from '../stores/queries.js';
import { findStoreLocation, pickUpAddress } from '../stores/store-location.js';
import { recordOrderOutcome } from './actions.js';
import type { ShopperOrder } from './model.js';
import { chargeOnline } from './payment.js';
import { type OrderRequest, orderToken, type PricedRequest, priceOrder, requirePromoCode, toOrder } from './placing.js';
import { expireOrderWork, findOrderByToken, findPlacedOrder, readOrder } from './queries.js';
import { orders } from './table.js';

export interface NewOrder extends PricedRequest {
  /** The id that the store's page chose. */
  readonly clientId: string;
  readonly request: NormalizedRequest;
  readonly buyer: Omit<OrderRequest['buyer'], 'shippingAddress'>;
  /** Undefined for a pick-up. */
  readonly shippingAddress: JsonText<PostalAddress> | undefined;
}

/** An order with the token by which its shopper reads and pays it. */
export interface OrderWithToken {
  readonly order: ShopperOrder;
  readonly token: string;
}

/** A retry with the same client id returns the existing order in its current state. It counts too: it costs as much as a read. */
export async function placeOrder(context: CheckoutContext, input: NewOrder): Promise<OrderWithToken> {
  context.countWrite();
  return context.database.change(context.merchant.id, (change) => findOrPlaceOrder(change, context, input));
}

/** If a concurrent request has placed the order, this is decided again. */
async function findOrPlaceOrder(change: Change, context: CheckoutContext, input: NewOrder): Promise<OrderWithToken> {
  const { merchant, storefront } = context;
  const known = await findPlacedOrder(change.sql, merchant.id, { ...storefront, clientId: input.clientId });
  if (known && !input.request.matchesHash(known.requestHash)) {
    throw new Refusal('CONFLICT', { field: 'id', detail: `The id ${input.clientId} was used for another order.` });
  }
  if (known) return { order: known, token: orderToken(context.keyedHash, merchant.id, known.id) };
  const [receipt, shippingAddress] = await Promise.all([
    computeReceiptAtStore(context, input),
    input.shippingAddress ?? requirePickUpAddress(context),
  ]);
  const { locationId } = storefront;
  const orderRequest = { ...input, buyer: { ...input.buyer, shippingAddress } };
  const order = toOrder({ ...context, locationId, currency: merchant.currency }, orderRequest, receipt);
  const token = orderToken(context.keyedHash, merchant.id, order.id);
  openSale(change, toNewOnlineSale(order), {
    receipt: toReceiptRecord(receipt, merchant.currency),
    requestHash: null,
  });
  const hidden = { tokenHash: hashSecret(token), clientId: input.clientId, requestHash: input.request.hash };
  change.insert(orders, { ...order, ...hidden, trackingNumber: null });
  addWork(change, { ...expireOrderWork(order.id), dueAt: order.expiresAt });
  return { order: { ...order, tender: null, trackingNumber: null, receipt }, token };
}

/** Where shoppers pick up their orders. */
export async function requirePickUpAddress(context: CheckoutContext): Promise<JsonText<PostalAddress>> {
  const address = pickUpAddress((await findStoreLocation(context)).location.profile);
  if (address) return toJson(address);
  throw new Refusal('INVALID_VALUE', {
    field: 'fulfillment',
    detail: 'This store offers no pick-up: its location has no street in its address. Send SHIPMENT.',
  });
}

/** Computes the receipt with the current prices of the store. */
export async function computeReceiptAtStore(context: CheckoutContext, input: PricedRequest): Promise<Receipt> {
  const { database, merchant, storefront } = context;
  const key = { merchantId: merchant.id, locationId: storefront.locationId };
  const itemIds = input.items.map(({ itemId }) => itemId);
  const [store, sellable] = await Promise.all([
    findStore(database.sql, key),
    findSellable(database.sql, merchant.id, itemIds),
  ]);
  if (input.promoCode !== undefined) limitGuesses(context, store, input.promoCode);
  const items = offerOnline(sellable, storefront.locationId);
  return priceOrder({ store, items, merchantId: merchant.id, currency: merchant.currency }, input);
}

/** Counts the code before it is compared: beyond the limit a right code is refused like a wrong one. */
function limitGuesses(context: CheckoutContext, store: Store, promoCode: string): void {
  const counted = context.countPromoCode();
  requirePromoCode(store, promoCode);
  counted.uncount();
}

/** Finds an order by its token. */
export async function showOrder(
  { database, merchant, storefront }: CheckoutContext,
  token: string,
): Promise<ShopperOrder> {
  const key = { merchantId: merchant.id, locationId: storefront.locationId };
  const order = await findOrderByToken(database.sql, key, hashSecret(token));
  if (!order) throw notFound('order', token);
  return order;
}

/** Pays a PENDING order. For any other state it only returns the order, so a retry gets the same outcome. */
export async function payOrder(context: CheckoutContext, token: string, sourceId: string): Promise<ShopperOrder> {
  requireSource(sourceId);
  context.countWrite();
  const order = await showOrder(context, token);
  if (order.state !== 'PENDING') return order;
  const counted = context.countDecline();
  let isDeclined = false;
  try {
    const paymentInFlight = await startPayment(context, order.id, sourceId);
    if (paymentInFlight !== undefined)
      await resolveCreate({ ...context, onOutcome: recordOrderOutcome }, paymentInFlight);
    const paid = await showOrder(context, token);
    isDeclined = paid.state === 'REJECTED';
    return paid;
  } finally {
    if (!isDeclined) counted.uncount();
  }
}

/** Returns the id of the payment if its outcome is unknown. Otherwise the outcome is recorded, and the result is undefined. */
async function startPayment(context: CheckoutContext, orderId: string, sourceId: string): Promise<string | undefined> {
  const { database, merchant, storefront, now } = context;
  return database.change(merchant.id, async (change) => {
    const order = await readOrder(change, orderId, storefront.locationId);
    if (order?.state !== 'PENDING') return undefined;
    const existing = await findOnlinePayment(change.sql, merchant.id, order.saleId);
    if (existing) return existing.id;
    if (now >= order.expiresAt) {
      throw new Refusal('WRONG_STATE', { detail: `Order ${order.id} has expired, so it cannot be paid.` });
    }
    const sale = { ...order, orderId: order.id, due: order.total };
    const payment = await chargeOnline(change, context, sale, sourceId);
    if (payment.status === 'PENDING') return payment.id;
    await recordOrderOutcome(change, { ...payment, status: payment.status });
    return undefined;
  });
}
