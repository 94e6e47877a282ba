/** The page of an online store (decision 0169): the program from web/store with the key with which it calls the checkout. */
import { html } from '../../api/html.js';
import type { Page, PageResponse } from '../../api/pages.js';
import { findStorePage } from './opening.js';

const PATH = '/store/:location_id';

function storePage(name: string, path: string): Page {
  return {
    surface: 'checkout',
    name,
    method: 'GET',
    path,
    guard: 'stores',
    async handle(context, { params: { location_id: id = '' } }) {
      // Longer values, and characters that no id has, are refused without a lookup.
      const found = /^[\w-]{1,64}$/.test(id) ? await findStorePage(context, id) : undefined;
      if (!found) return NOT_FOUND;
      const { publishableKey, storefront } = found;
      return {
        place: 'store',
        title: storefront.merchant.businessName,
        facts: { 'publishable-key': publishableKey, 'location-id': storefront.locationId },
      };
    },
  };
}

/** The program shows the rest of the address: the checkout, an order. */
export const storePages: readonly Page[] = [storePage('showStore', PATH), storePage('showStorePart', `${PATH}/*`)];

const NOT_FOUND: PageResponse = {
  status: 404,
  title: 'Store not found',
  body: html`<h1>There is no store at this address</h1>
<p>The address may be incomplete, or the store has been closed. Open the whole link, or ask the business for it.</p>`,
};
