/** What the page is served with: the location whose store it is, and the key with which it calls the checkout. */

function readMeta(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
}

export const PUBLISHABLE_KEY = readMeta('publishable-key');
export const LOCATION_ID = readMeta('location-id');
