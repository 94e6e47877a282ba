/** What examples need of an online store: an item that it sells, and an order. */
import { SAMPLE_IDS, SAMPLE_SECRETS } from '../../../src/api/sample-ids.js';
import { sendAsProgram } from '../../client/send-as-program.js';
import { findPageKey } from './own-credentials.js';
import { placeOrder } from './register-state.js';
import { sendJson } from './send-json.js';

interface Offered {
  readonly items: readonly { readonly id: string; readonly variations: readonly unknown[] }[];
}

/** An item that a store sells, if possible one without a choice of variations. */
export async function findItem(publishableKey: string): Promise<string | undefined> {
  const headers = { authorization: `Bearer ${publishableKey}` };
  const path = '/api/checkout/catalogue';
  const { status, text } = await sendAsProgram({ method: 'GET', path, headers, body: undefined });
  const { items } = status === 200 ? (JSON.parse(text) as Offered) : { items: [] };
  return (items.find(({ variations }) => variations.length === 1) ?? items[0])?.id;
}

/**
 * The values of the merchant's store, by the samples in a text. The samples stay if the merchant has no store, if the store is empty, or if
 * it refuses the order.
 */
export async function findStoreSamples(
  text: string,
  merchantId: string,
  newKey: () => string,
): Promise<Readonly<Record<string, string>>> {
  const needsOrder = text.includes(SAMPLE_SECRETS.order_token);
  if (!needsOrder && !text.includes(SAMPLE_IDS.item_id)) return {};
  const publishableKey = await findPageKey(merchantId);
  const itemId = publishableKey === undefined ? undefined : await findItem(publishableKey);
  if (publishableKey === undefined || itemId === undefined) return {};
  const credentials = { authorization: `Bearer ${publishableKey}` };
  const order = needsOrder
    ? await placeOrder({
        newKey,
        send: (method, path, body) => sendJson({ method, path, body, credentials }),
        findStore: async () => ({ publishableKey, itemId }),
      }).catch(() => undefined)
    : undefined;
  return { [SAMPLE_IDS.item_id]: itemId, ...(order && { [SAMPLE_SECRETS.order_token]: order.token }) };
}
