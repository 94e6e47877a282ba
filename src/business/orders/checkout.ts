/** What a shopper does: places an order at the store's prices, and pays it once. */
import type { CheckoutContext } from '../../api/operation.js';
import { parseQuantity, QUANTITY_OF_ONE } from '../../base/decimal.js';
import { notFound, Refusal } from '../../base/errors.js';
import { newId } from '../../base/ids.js';
import type { JsonText } from '../../base/json.js';
import { hashSecret } from '../../base/secrets.js';
import { wholeSecond } from '../../base/time.js';
import { faultOf } from '../../processor/sources.js';
import type { Address } from '../merchants/address.js';
import { resolveCreate } from '../payments/calls.js';
import { leastAmount } from '../payments/model.js';
import { payOnline } from '../payments/online.js';
import { ID_LENGTH, refuseSource } from '../payments/outcomes.js';
import { findOnlinePayment } from '../payments/queries.js';
import { computeReceipt, type DiscountInput, type ItemInput, type Receipt } from '../payments/receipt.js';
import { printReceipt } from '../payments/v1.receipt.js';
import { type CatalogueItem, findPromoCode, type Store } from '../stores/model.js';
import { findStore, listItemsByIds } from '../stores/queries.js';
import { recordOrderOutcome } from './actions.js';
import { expiryOf, type Order, type ShownOrder } from './model.js';
import { findOrderByToken, findPlacedOrder, insertOrder, lockOrder } from './queries.js';

export interface NewOrder {
  /** The shop page's own id, and its whole request in one form. */
  readonly clientId: string;
  readonly request: string;
  readonly items: readonly { readonly itemId: string; readonly count: number }[];
  readonly promoCode: string | undefined;
  readonly buyer: Pick<Order, 'buyerEmail' | 'recipientName' | 'recipientPhoneNumber' | 'buyerNote'> & {
    readonly shippingAddress: JsonText<Address>;
  };
}

/** An order with the token by which whoever placed it pays and reads it. */
export interface TokenedOrder {
  readonly order: ShownOrder;
  readonly token: string;
}

/** The same order again is the order as it is now. */
export async function placeOrder(context: CheckoutContext, given: NewOrder): Promise<TokenedOrder> {
  const { database, merchant, storefront } = context;
  const requestHash = hashSecret(given.request);
  const known = await findPlacedOrder(database.sql, merchant.id, { ...storefront, clientId: given.clientId });
  if (known && !known.requestHash.equals(requestHash)) {
    throw new Refusal('CONFLICT', { field: 'id', detail: `The id ${given.clientId} was used for another order.` });
  }
  if (known) return { order: known, token: tokenOf(context, known.id) };
  context.countWrite();
  const receipt = await price(context, given);
  const order = toOrder(context, given, receipt);
  const token = tokenOf(context, order.id);
  const placed = {
    order,
    tokenHash: hashSecret(token),
    clientId: given.clientId,
    requestHash,
    receipt: printReceipt(receipt, merchant.currency),
  };
  if (await database.statement((tx) => insertOrder(tx, merchant.id, placed))) {
    return { order: { ...order, tender: null }, token };
  }
  // Sent twice at the same moment: the other one placed it.
  return placeOrder(context, given);
}

/** Unguessable without this server's secret, so that it need not be kept to be told again. */
function tokenOf({ merchant, keyedHash }: CheckoutContext, orderId: string): string {
  return keyedHash(`order token ${merchant.id} ${orderId}`).toString('base64url');
}

/** At the store's prices of this moment: a shopper says what and how many, never for how much. */
async function price({ database, merchant, storefront }: CheckoutContext, given: NewOrder): Promise<Receipt> {
  const key = { merchantId: merchant.id, locationId: storefront.locationId };
  const [store, items] = await Promise.all([
    findStore(database.sql, key),
    listItemsByIds(
      database.sql,
      key,
      given.items.map(({ itemId }) => itemId),
    ),
  ]);
  const sold = new Map(items.map((item) => [item.id, item]));
  const receipt = computeReceipt({
    items: given.items.map(({ itemId, count }) => toReceiptItem(requireItem(sold, itemId), count)),
    discounts: given.promoCode === undefined ? [] : [toDiscount(store, given.promoCode)],
    taxes: [],
    surcharges: store.shipping > 0 ? [{ name: 'Shipping', kind: 'CUSTOM', amount: store.shipping }] : [],
  });
  const least = leastAmount(merchant.currency);
  if (receipt.due < least) {
    throw new Refusal('INVALID_VALUE', {
      field: 'items',
      detail: `The order comes to ${receipt.due}; at least ${least} can be paid here.`,
    });
  }
  return receipt;
}

function requireItem(sold: ReadonlyMap<string, CatalogueItem>, id: string): CatalogueItem {
  const item = sold.get(id);
  if (item) return item;
  throw new Refusal('INVALID_VALUE', { field: 'items.item_id', detail: notFound('item', id).message });
}

function toReceiptItem(item: CatalogueItem, count: number): ItemInput {
  const { taxName, taxRate } = item;
  return {
    kind: 'ITEM',
    name: item.name,
    // A whole number from one on, so it can be read.
    quantity: parseQuantity(count) ?? QUANTITY_OF_ONE,
    price: item.price,
    detail: { categoryName: item.category ?? '', sku: item.sku ?? '', itemId: item.id },
    modifiers: [],
    discounts: [],
    taxes: taxName === null || taxRate === null ? [] : [{ name: taxName, rate: taxRate, inclusion: 'ADDITIVE' }],
  };
}

function toDiscount(store: Store, typed: string): DiscountInput {
  const promo = findPromoCode(store, typed);
  if (promo) return { name: promo.code, rate: promo.rate, restricted: false };
  throw new Refusal('INVALID_VALUE', { field: 'promo_code', detail: 'This promo code does not hold here.' });
}

function toOrder({ merchant, storefront, now }: CheckoutContext, given: NewOrder, receipt: Receipt): Order {
  const createdAt = wholeSecond(now);
  return {
    id: newId(ID_LENGTH),
    locationId: storefront.locationId,
    state: 'PENDING',
    createdAt,
    updatedAt: createdAt,
    expiresAt: expiryOf(createdAt),
    saleId: newId(ID_LENGTH),
    currency: merchant.currency,
    subtotal: receipt.gross,
    shipping: receipt.surcharge,
    tax: receipt.additiveTax,
    discount: receipt.discount,
    total: receipt.due,
    ...given.buyer,
    promoCode: given.promoCode ?? null,
    completedNote: null,
    canceledNote: null,
    refundedNote: null,
    history: [{ action: 'ORDER_PLACED', createdAt }],
  };
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
  // Before anything is written down: what is no source may be a card number.
  const fault = faultOf(sourceId);
  if (fault) throw refuseSource({ kind: 'unusable', why: fault });
  context.countWrite();
  const { id } = await showOrder(context, token);
  const underWay = await startPaying(context, id, sourceId);
  if (underWay !== undefined) await resolveCreate({ ...context, onOutcome: recordOrderOutcome }, underWay);
  return showOrder(context, token);
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
