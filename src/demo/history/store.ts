/** Generates the online store of a location. */
import { amount } from '../../base/money.js';
import type { Store } from '../../business/stores/model.js';
import { rate } from './menu.js';

/** Flat shipping cost per order, and one promo code. */
export function toStore(locationId: string): Store {
  return { locationId, shipping: amount(600), promoCodes: [{ code: 'JUNIPER10', rate: rate('0.1') }] };
}
