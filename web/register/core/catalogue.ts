/** What this location sells, kept for the time without a network. */
import type { Store } from '../../client/store.js';
import { call, register } from './call.js';
import { createKept } from './storage/kept.js';
import type { WireCatalogue, WireItem, WireVariation } from './wire.js';

export interface Catalogue extends WireCatalogue {
  readonly version: number;
}

const kept = createKept<Catalogue | undefined>('catalogue', undefined);

export const catalogue: Pick<Store<Catalogue | undefined>, 'get' | 'subscribe'> = kept;

/** The server returns the catalogue only if it has a newer version than this device. */
export async function refreshCatalogue(): Promise<void> {
  const known = kept.get()?.version;
  const { version, catalogue: found } = await call(register.listCatalogue, { known_version: known });
  if (found) await kept.save({ ...found, version });
}

/** A scanner types the digits of a barcode, which is the SKU of a variation. */
export function findByBarcode(digits: string): { item: WireItem; variation: WireVariation } | undefined {
  for (const item of kept.get()?.items ?? []) {
    const variation = item.variations.find(({ sku }) => sku === digits);
    if (variation) return { item, variation };
  }
  return undefined;
}
