/** The place in the register that is open. The address has it after the #, so that Back works and no request is sent. */
import type { RegisterPermission } from '../../../src/identity/permissions.js';
import { createStore } from '../../client/store.js';

export const PLACES = ['sell', 'charge', 'open-sales', 'orders', 'sales', 'drawer', 'settings'] as const;

export type Place = (typeof PLACES)[number];

/** One of these permissions opens the place. The others are open to everybody who is signed in. */
const NEEDS: Partial<Record<Place, readonly RegisterPermission[]>> = {
  sales: ['REGISTER_ACCESS_SALES_HISTORY', 'REGISTER_ISSUE_REFUNDS'],
  settings: ['REGISTER_CHANGE_SETTINGS'],
};

/** A place without its permission is not shown, even if somebody types its address. */
export function maySee(place: Place, permissions: ReadonlySet<string> | undefined): boolean {
  return NEEDS[place]?.some((permission) => permissions?.has(permission)) ?? true;
}

function readAddress(): Place {
  const [, name = ''] = /^#\/([\w-]+)/.exec(location.hash) ?? [];
  return (PLACES as readonly string[]).includes(name) ? (name as Place) : 'sell';
}

export const place = createStore<Place>(readAddress());

addEventListener('hashchange', () => place.set(readAddress()));

export function goTo(next: Place): void {
  if (place.get() !== next) location.hash = `#/${next}`;
  place.set(next);
}
