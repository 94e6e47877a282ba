/**
 * Places and pays an order so that it is never paid twice. The id of the order is chosen and kept before anything is sent. If a response
 * is lost, the same order is sent and paid again: the server returns the order that it has, and charges a card only once for it.
 */
import { DECLINE_CODES } from '../../../src/base/errors.js';
import type { InputOf } from '../../client/callable.js';
import { checkout } from '../../client/checkout-operations.js';
import { asProblem, type Problem } from '../../client/problem.js';
import { explainDecline } from '../../ui/decline-words.js';
import { ask } from '../ask.js';
import { type Attempt, type Cart, changeCart, emptyCart, readCart } from '../cart/cart.js';
import type { StoreFacts } from '../goods.js';

/** The outcome of an attempt. `unknown`: there was no response, so the card may have been charged. */
export type Outcome =
  | { readonly kind: 'paid'; readonly token: string }
  | { readonly kind: 'declined'; readonly words: string }
  | { readonly kind: 'refused'; readonly problem: Problem }
  | { readonly kind: 'unknown'; readonly problem: Problem };

export function toAttempt({ lines, promoCode, details }: Cart, { country }: StoreFacts, sourceId: string): Attempt {
  const { fulfillment, name, email, phone, note } = details;
  return {
    sourceId,
    order: {
      id: newId(),
      items: toOrderItems(lines),
      fulfillment,
      recipient: { name, ...(phone !== '' && { phone_number: phone }) },
      ...(fulfillment === 'SHIPMENT' && {
        shipping_address: {
          address_line_1: details.street,
          postal_code: details.postalCode,
          locality: details.town,
          administrative_district_level_1: details.region,
          country,
        },
      }),
      buyer_email: email,
      ...(note !== '' && { buyer_note: note }),
      ...(promoCode !== undefined && { promo_code: promoCode }),
    },
  };
}

/** Browsers have `randomUUID` only with https. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function toOrderItems(lines: Cart['lines']): InputOf<typeof checkout.priceOrder>['items'] {
  return lines.map(({ itemId, variationId, quantity, optionIds }) => ({
    item_id: itemId,
    variation_id: variationId,
    quantity,
    modifier_option_ids: [...optionIds],
  }));
}

/** Continues the payment that has no response yet, or makes the given one. */
export async function pay(given: Attempt): Promise<Outcome> {
  const attempt = readCart().attempt ?? given;
  changeCart({ attempt });
  try {
    const { order_token: token } = await ask(checkout.placeOrder, attempt.order);
    await ask(checkout.payOrder, { order_token: token, source_id: attempt.sourceId });
    emptyCart();
    return { kind: 'paid', token };
  } catch (error) {
    const problem = asProblem(error);
    if (isOutcomeUnknown(problem)) return { kind: 'unknown', problem };
    // The order is not paid and never will be. What the shopper chose and typed stays, for another order.
    changeCart({ attempt: undefined });
    const isDecline = (DECLINE_CODES as readonly string[]).includes(problem.code);
    if (isDecline) return { kind: 'declined', words: explainDecline(problem.code, problem.message) };
    return { kind: 'refused', problem };
  }
}

/** Also if there are too many requests: an earlier one may have paid. */
function isOutcomeUnknown({ isOutage, status }: Problem): boolean {
  return isOutage || status === 429 || status >= 500;
}
