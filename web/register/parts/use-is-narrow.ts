/** Whether the screen is that of a phone: the cart is a sheet there. */
import { useSyncExternalStore } from 'react';

const query = matchMedia('(max-width: 44em)');

function subscribe(listener: () => void): () => void {
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => query.matches);
}
