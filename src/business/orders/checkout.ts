/** What a shopper does: places an order at the store's prices, and pays it once. */
import type { CheckoutContext } from '../../api/operation.js';
import { notFound, Refusal } from '../../base/errors.js';
import { hashSecret } from '../../base/secrets.js';
import type { UnderstoodRequest } from '../../base/understood.js';
import { resolveCreate } from '../payments/calls.js';
import { requireSource } from '../payments/outcomes.js';
import { findOnlinePayment } from '../payments/queries.js';
import type { Receipt } from '../receipts/model.js';
import { toReceiptRecord } from '../receipts/record.js';
import { findStore, listItemsByIds } from '../stores/queries.js';
import { recordOrderOutcome } from './actions.js';
import type { ShownOrder } from './model.js';
import { payOnline } from './payment.js';
import { orderToken, priceOrder, toOrder, type Wish } from './placing.js';
import { findOrderByToken, findPlacedOrder, insertOrder, lockOrder } from './queries.js';

export interface NewOrder extends Wish {
  /** The shop page's own id. */
  readonly clientId: string;
  readonly request: UnderstoodRequest;
}

/** An order with the token by which whoever placed it pays and reads it. */
export interface TokenedOrder {
  readonly order: ShownOrder;
  readonly token: string;
}

/** The same order again is the order as it is now. */
export async function placeOrder(context: CheckoutContext, given: NewOrder): Promise<TokenedOrder> {
  const { database, merchant, storefront } = context;
  const known = await findPlacedOrder(database.sql, merchant.id, { ...storefront, clientId: given.clientId });
  if (known && !given.request.isKnownAs(known.requestHash)) {
    throw new Refusal('CONFLICT', { field: 'id', detail: `The id ${given.clientId} was used for another order.` });
  }
  if (known) return { order: known, token: orderToken(context.keyedHash, merchant.id, known.id) };
  context.countWrite();
  const receipt = await price(context, given);
  const { locationId } = storefront;
  const order = toOrder({ ...context, locationId, currency: merchant.currency }, given, receipt);
  const token = orderToken(context.keyedHash, merchant.id, order.id);
  const placed = {
    order,
    tokenHash: hashSecret(token),
    clientId: given.clientId,
    requestHash: given.request.hash,
    receipt: toReceiptRecord(receipt, merchant.currency),
  };
  if (await database.statement((tx) => insertOrder(tx, merchant.id, placed))) {
    return { order: { ...order, tender: null }, token };
  }
  // Sent twice at the same moment: the other one placed it.
  return placeOrder(context, given);
}

/** At the store's prices of this moment. */
async function price({ database, merchant, storefront }: CheckoutContext, given: NewOrder): Promise<Receipt> {
  const key = { merchantId: merchant.id, locationId: storefront.locationId };
  const wished = given.items.map(({ itemId }) => itemId);
  const [store, items] = await Promise.all([findStore(database.sql, key), listItemsByIds(database.sql, key, wished)]);
  return priceOrder({ store, items, merchantId: merchant.id, currency: merchant.currency }, given);
}

/** By its token. */
export async function showOrder(
  { database, merchant, storefront }: CheckoutContext,
  token: string,
): Promise<ShownOrder> {
  const key = { merchantId: merchant.id, locationId: storefront.locationId };
  const order = await findOrderByToken(database.sql, key, hashSecret(token));
  if (!order) throw notFound('order', token);
  return order;
}

/** Paying again what is paid changes nothing, and a decline is answered again; what comes of it is in the order. */
export async function payOrder(context: CheckoutContext, token: string, sourceId: string): Promise<ShownOrder> {
  requireSource(sourceId);
  context.countWrite();
  const order = await showOrder(context, token);
  if (order.state !== 'PENDING') return order;
  const counted = context.countDecline();
  let isDeclined = false;
  try {
    const underWay = await startPaying(context, order.id, sourceId);
    if (underWay !== undefined) await resolveCreate({ ...context, onOutcome: recordOrderOutcome }, underWay);
    const paid = await showOrder(context, token);
    isDeclined = paid.state === 'REJECTED';
    return paid;
  } finally {
    if (!isDeclined) counted.takeBack();
  }
}

/** The id of a payment whose outcome is still to be asked for. */
async function startPaying(context: CheckoutContext, orderId: string, sourceId: string): Promise<string | undefined> {
  const { database, merchant, storefront, now } = context;
  return database.transaction(async (tx) => {
    const order = await lockOrder(tx, { merchantId: merchant.id, locationId: storefront.locationId }, orderId);
    if (order?.state !== 'PENDING') return undefined;
    const tried = await findOnlinePayment(tx, merchant.id, order.saleId);
    if (tried) return tried.id;
    if (now >= order.expiresAt) {
      throw new Refusal('WRONG_STATE', { detail: `Order ${order.id} could be paid until its time was up.` });
    }
    const sale = { ...order, orderId: order.id, due: order.total };
    const payment = await payOnline(tx, context, sale, sourceId);
    if (payment.status === 'PENDING') return payment.id;
    await recordOrderOutcome(tx, merchant.id, { ...payment, status: payment.status });
    return undefined;
  });
}
