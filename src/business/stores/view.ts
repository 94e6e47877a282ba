/** View of online stores for owners and operators. */
import { fromWireAmount, Money, toMoney, WireAmount } from '../../api/money.js';
import { fromRateText, RateText } from '../../api/rates.js';
import { about, model, optional, type Static, Type, text } from '../../api/wire.js';
import { printRate } from '../../base/decimal.js';
import { Refusal } from '../../base/errors.js';
import type { Store } from './model.js';

const PromoCode = Type.Object({
  code: about('What shoppers type.', text(64, { minLength: 1 })),
  rate: about('The share that is taken off, for example `0.1`.', RateText),
});

/** Both fields are required, because the body replaces the store: an omitted field must not delete its value. */
export const StoreBody = Type.Object({
  shipping_money: about('What shipping costs for each order.', WireAmount),
  promo_codes: about('The codes that take something off.', Type.Array(PromoCode, { maxItems: 100 })),
});

export const StoreView = model('OnlineStore', {
  location_id: about('The location that sells.', Type.String()),
  shipping_money: about('What shipping costs for each order.', Money),
  promo_codes: about('The codes that take something off.', Type.Array(PromoCode)),
  page_path: about('The address of its page on this server. Absent while the page is closed.', optional(Type.String())),
});

interface BodyContext {
  readonly locationId: string;
  readonly currency: string;
}

export function fromStoreBody(body: Static<typeof StoreBody>, { locationId, currency }: BodyContext): Store {
  const { shipping_money: shipping, promo_codes: codes } = body;
  const codesInUse = new Set(codes.map(({ code }) => code.toLowerCase()));
  if (codesInUse.size < codes.length) {
    throw new Refusal('INVALID_VALUE', { field: 'promo_codes', detail: 'promo_codes contains a code twice.' });
  }
  return {
    locationId,
    shipping: fromWireAmount(shipping, { currency, field: 'shipping_money', least: 0 }),
    promoCodes: codes.map(({ code, rate }) => ({ code, rate: fromRateText(rate) })),
  };
}

export function toStoreView(
  { locationId, shipping, promoCodes }: Store,
  { currency, isOpen }: { readonly currency: string; readonly isOpen: boolean },
): Static<typeof StoreView> {
  return {
    location_id: locationId,
    shipping_money: toMoney(shipping, currency),
    promo_codes: promoCodes.map(({ code, rate }) => ({ code, rate: printRate(rate) })),
    ...(isOpen && { page_path: storePath(locationId) }),
  };
}

/** The address of the store's page. */
export function storePath(locationId: string): string {
  return `/store/${locationId}`;
}
