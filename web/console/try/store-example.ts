/** What examples need of an online store: an item that it sells, and an order. */
import { SAMPLE_IDS, SAMPLE_SECRETS } from '../../../src/api/sample-ids.js';
import { asProblem } from '../../client/problem.js';
import { sendAsProgram } from '../../client/send-as-program.js';
import { findPageKey } from './own-credentials.js';
import { placeOrder } from './register-state.js';
import { sendJson } from './send-json.js';

interface Offered {
  readonly items: readonly { readonly id: string; readonly variations: readonly unknown[] }[];
}

/** An item that a store sells, best without a choice of variations. */
export async function findItem(publishableKey: string): Promise<string | undefined> {
  const headers = { authorization: `Bearer ${publishableKey}` };
  const path = '/api/checkout/catalogue';
  const { status, text } = await sendAsProgram({ method: 'GET', path, headers, body: undefined });
  const { items } = status === 200 ? (JSON.parse(text) as Offered) : { items: [] };
  return (items.find(({ variations }) => variations.length === 1) ?? items[0])?.id;
}

/** The values of the merchant's store, by the samples in a text. A merchant without a store, or with an empty one, leaves the samples. */
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
  const samples = { [SAMPLE_IDS.item_id]: itemId };
  if (!needsOrder) return samples;
  try {
    const { token } = await placeOrder({
      newKey,
      send: (...request) => sendJson(request, { authorization: `Bearer ${publishableKey}` }),
      findStore: async () => ({ publishableKey, itemId }),
    });
    return { ...samples, [SAMPLE_SECRETS.order_token]: token };
  } catch (error) {
    throw asProblem(error);
  }
}
