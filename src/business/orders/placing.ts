/** Computes the receipt of an order at a store's prices, and creates the order. Pure. */
import { parseQuantity, QUANTITY_OF_ONE } from '../../base/decimal.js';
import { Refusal, unknownReference } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { ZERO } from '../../base/money.js';
import { type Instant, wholeSecond } from '../../base/time.js';
import type { OfferedItem, Variation } from '../catalogue/model.js';
import { minimumCharge } from '../payments/model.js';
import { ID_LENGTH } from '../payments/outcomes.js';
import { identifyLines } from '../receipts/line-ids.js';
import { computeReceipt, type DiscountInput, type ItemInput, type Receipt } from '../receipts/model.js';
import { newOrderId } from '../sales/model.js';
import { findPromoCode, type PromoCode, type Store } from '../stores/model.js';
import { expiryOf, type Fulfillment, type Order } from './model.js';

export interface RequestedItem {
  readonly itemId: string;
  readonly variationId?: string;
  readonly count: number;
  /** The chosen options of the item's modifier lists, for each piece. */
  readonly optionIds: readonly string[];
}

/** What a shopper sends: items, variations, options and counts, but no prices. */
export interface OrderRequest {
  readonly items: readonly RequestedItem[];
  readonly promoCode: string | undefined;
  readonly fulfillment: Fulfillment;
  readonly buyer: Pick<
    Order,
    'buyerEmail' | 'recipientName' | 'recipientPhoneNumber' | 'buyerNote' | 'shippingAddress'
  >;
}

/** A store, with the ordered items that it sells. */
export interface StorePricing {
  readonly store: Store;
  readonly items: readonly OfferedItem[];
  readonly merchantId: string;
  readonly currency: string;
}

/** What the price of an order depends on. */
export type PricedRequest = Pick<OrderRequest, 'items' | 'promoCode' | 'fulfillment'>;

export function priceOrder(pricing: StorePricing, orderRequest: PricedRequest): Receipt {
  const { store, items, currency } = pricing;
  const shipping = orderRequest.fulfillment === 'SHIPMENT' ? store.shipping : ZERO;
  const sold = new Map(items.map((item) => [item.id, item]));
  const receiptInput = {
    items: orderRequest.items.map((requested) => toReceiptItem(requireItem(sold, requested.itemId), requested)),
    discounts: orderRequest.promoCode === undefined ? [] : [toDiscount(store, orderRequest.promoCode)],
    taxes: [],
    surcharges: shipping > 0 ? [{ name: 'Shipping', kind: 'CUSTOM', amount: shipping } as const] : [],
  };
  const receipt = computeReceipt(identifyLines(receiptInput, pricing.merchantId));
  const minimum = minimumCharge(currency);
  if (receipt.due < minimum) {
    throw new Refusal('INVALID_VALUE', {
      field: 'items',
      detail: `The total of the order is ${receipt.due}, but the minimum charge is ${minimum}.`,
    });
  }
  return receipt;
}

function requireItem(sold: ReadonlyMap<string, OfferedItem>, id: string): OfferedItem {
  const item = sold.get(id);
  if (item) return item;
  throw unknownReference('item', id, 'items.item_id');
}

/** The only variation need not be named. */
function requireVariation({ name, variations }: OfferedItem, id: string | undefined): Variation {
  const [first] = variations;
  if (id === undefined && first && variations.length === 1) return first;
  const field = 'items.variation_id';
  if (id === undefined) {
    throw new Refusal('MISSING_REQUIRED_PARAMETER', {
      field,
      detail: `${field} is required: ${name} has several variations.`,
    });
  }
  const variation = variations.find((each) => each.id === id);
  if (variation) return variation;
  throw unknownReference('variation', id, field);
}

/** Returns the chosen options in the order of the catalogue. Refuses too few or too many options of a modifier list. */
function requireOptions(item: OfferedItem, ids: readonly string[]): ItemInput['modifiers'] {
  const field = 'items.modifier_option_ids';
  const offered = new Set(item.modifierLists.flatMap(({ options }) => options.map(({ id }) => id)));
  const unknown = ids.find((id) => !offered.has(id));
  if (unknown !== undefined) throw unknownReference('modifier option', unknown, field);
  if (new Set(ids).size < ids.length)
    throw new Refusal('INVALID_VALUE', { field, detail: 'An option is named twice.' });
  return item.modifierLists.flatMap(({ name, least, most, options }) => {
    const chosen = options.filter(({ id }) => ids.includes(id));
    if (chosen.length < least || (most !== null && chosen.length > most)) {
      const range = most === null ? `at least ${least}` : least === most ? `${most}` : `${least} to ${most}`;
      throw new Refusal('INVALID_VALUE', {
        field,
        detail: `Of ${name}, ${range} must be chosen for ${item.name}, but there are ${chosen.length}.`,
      });
    }
    return chosen.map((option) => ({ name: option.name, optionId: option.id, price: option.price }));
  });
}

function toReceiptItem(item: OfferedItem, { variationId, count, optionIds }: RequestedItem): ItemInput {
  const variation = requireVariation(item, variationId);
  return {
    kind: 'ITEM',
    name: item.name,
    variationName: variation.name,
    // The schema allows only whole numbers from 1, so the fallback is never used.
    quantity: parseQuantity(count) ?? QUANTITY_OF_ONE,
    price: variation.price,
    detail: {
      categoryName: item.categoryName ?? '',
      sku: variation.sku ?? '',
      itemId: item.id,
      itemVariationId: variation.id,
    },
    modifiers: requireOptions(item, optionIds),
    discounts: [],
    taxes: item.taxes.map(({ id, name, rate, inclusion }) => ({ id, name, rate, inclusion })),
  };
}

function toDiscount(store: Store, promoCode: string): DiscountInput {
  const promo = requirePromoCode(store, promoCode);
  return { name: promo.code, rate: promo.rate, restricted: false };
}

export function requirePromoCode(store: Store, promoCode: string): PromoCode {
  const promo = findPromoCode(store, promoCode);
  if (promo) return promo;
  throw new Refusal('INVALID_VALUE', { field: 'promo_code', detail: 'The promo code is not valid in this store.' });
}

export interface OrderPlacement {
  readonly locationId: string;
  readonly currency: string;
  readonly ids: Ids;
  readonly now: Instant;
}

export function toOrder(
  { locationId, currency, ids, now }: OrderPlacement,
  orderRequest: OrderRequest,
  receipt: Receipt,
): Order {
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
    tax: receipt.tax,
    discount: receipt.discount,
    total: receipt.due,
    fulfillment: orderRequest.fulfillment,
    ...orderRequest.buyer,
    promoCode: orderRequest.promoCode ?? null,
    completedNote: null,
    canceledNote: null,
    refundedNote: null,
    history: [{ action: 'ORDER_PLACED', createdAt }],
  };
}

/**
 * The token by which a shopper reads and pays an order. It is derived with the server's secret, so a retry gets the same
 * token, although only its hash is stored.
 */
export function orderToken(keyedHash: (text: string) => Buffer, merchantId: string, orderId: string): string {
  return keyedHash(`order token ${merchantId} ${orderId}`).toString('base64url');
}
