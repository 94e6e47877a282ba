/** What an order comes to at a store's prices, and the order that is made of it. Pure. */
import { parseQuantity, QUANTITY_OF_ONE } from '../../base/decimal.js';
import { Refusal, unknownReference } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import type { JsonText } from '../../base/json.js';
import { type Instant, wholeSecond } from '../../base/time.js';
import type { Address } from '../merchants/address.js';
import { leastAmount } from '../payments/model.js';
import { ID_LENGTH } from '../payments/outcomes.js';
import { identifyLines } from '../receipts/line-ids.js';
import { computeReceipt, type DiscountInput, type ItemInput, type Receipt } from '../receipts/model.js';
import { newOrderId } from '../sales/model.js';
import { type CatalogueItem, findPromoCode, type Store } from '../stores/model.js';
import { expiryOf, type Order } from './model.js';

/** What a shopper says: what and how many, never for how much. */
export interface Wish {
  readonly items: readonly { readonly itemId: string; readonly count: number }[];
  readonly promoCode: string | undefined;
  readonly buyer: Pick<Order, 'buyerEmail' | 'recipientName' | 'recipientPhoneNumber' | 'buyerNote'> & {
    readonly shippingAddress: JsonText<Address>;
  };
}

/** A store with what it sells of the things that are wished for. */
export interface Offer {
  readonly store: Store;
  readonly items: readonly CatalogueItem[];
  readonly merchantId: string;
  readonly currency: string;
}

export function priceOrder(offer: Offer, wish: Pick<Wish, 'items' | 'promoCode'>): Receipt {
  const { store, items, currency } = offer;
  const sold = new Map(items.map((item) => [item.id, item]));
  const wished = {
    items: wish.items.map(({ itemId, count }) => toReceiptItem(requireItem(sold, itemId), count)),
    discounts: wish.promoCode === undefined ? [] : [toDiscount(store, wish.promoCode)],
    taxes: [],
    surcharges: store.shipping > 0 ? [{ name: 'Shipping', kind: 'CUSTOM', amount: store.shipping } as const] : [],
  };
  const receipt = computeReceipt(identifyLines(wished, offer.merchantId));
  const least = leastAmount(currency);
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
  throw unknownReference('item', id, 'items.item_id');
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

/** Where and when it is placed. */
export interface Placing {
  readonly locationId: string;
  readonly currency: string;
  readonly ids: Ids;
  readonly now: Instant;
}

export function toOrder({ locationId, currency, ids, now }: Placing, wish: Wish, receipt: Receipt): Order {
  const createdAt = wholeSecond(now);
  return {
    id: newOrderId(ids),
    locationId,
    state: 'PENDING',
    createdAt,
    updatedAt: createdAt,
    expiresAt: expiryOf(createdAt),
    saleId: ids.newId(ID_LENGTH),
    currency,
    subtotal: receipt.gross,
    shipping: receipt.surcharge,
    tax: receipt.additiveTax,
    discount: receipt.discount,
    total: receipt.due,
    ...wish.buyer,
    promoCode: wish.promoCode ?? null,
    completedNote: null,
    canceledNote: null,
    refundedNote: null,
    history: [{ action: 'ORDER_PLACED', createdAt }],
  };
}

/** By which whoever placed it pays and reads it. Unguessable without the server's secret, so that it need not be kept. */
export function orderToken(keyedHash: (text: string) => Buffer, merchantId: string, orderId: string): string {
  return keyedHash(`order token ${merchantId} ${orderId}`).toString('base64url');
}
