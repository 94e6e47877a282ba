/** Where in the register the person is. It stands behind the # of the address, so that Back works and no request is sent. */
import { createStore } from '../../client/store.js';

export const PLACES = ['sell', 'charge', 'open-sales', 'orders', 'sales', 'drawer', 'settings'] as const;

export type Place = (typeof PLACES)[number];

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
