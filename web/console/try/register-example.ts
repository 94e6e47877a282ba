/** Makes what the example of a register operation needs, at a register that only this page uses (decision 0192). */
import { replaceSamples } from '../../../src/api/example-ids.js';
import { call } from '../../client/call.js';
import { asProblem } from '../../client/problem.js';
import { sandbox } from '../../client/sandbox-operations.js';
import { type Composed, SESSION_HEADER } from './composed.js';
import { findPageKey, type OwnRegister } from './own-credentials.js';
import { type Counter, prepareRegister } from './register-state.js';
import { sendJson } from './send-json.js';
import { findItem } from './store-example.js';

/** The store at the location. If there is none with an item, one is opened. */
async function findStore(merchantId: string, locationId: string): ReturnType<Counter['findStore']> {
  const known = await findPageKey(merchantId, locationId);
  const itemId = known === undefined ? undefined : await findItem(known);
  if (known !== undefined && itemId !== undefined) return { publishableKey: known, itemId };
  const { publishable_key, items } = await call(sandbox.openStore, {
    merchant_id: merchantId,
    location_id: locationId,
    shipping_money: { amount: 600 },
    promo_codes: [],
    items: [{ name: 'Mug', price_money: { amount: 1200 } }],
  });
  return { publishableKey: publishable_key, itemId: items[0]?.id ?? '' };
}

const send =
  ({ deviceToken, session }: OwnRegister): Counter['send'] =>
  (method, path, body, publishableKey) => {
    const credentials =
      publishableKey === undefined
        ? { authorization: `Bearer ${deviceToken}`, [SESSION_HEADER.name]: session }
        : { authorization: `Bearer ${publishableKey}` };
    return sendJson({ method, path, body, credentials });
  };

export async function completeRegisterExample(
  { operation, values, body }: Composed,
  merchantId: string,
  own: () => Promise<OwnRegister>,
  newKey: () => string,
): Promise<Composed> {
  try {
    const { samples, unchanged } = await prepareRegister(operation.name, async () => {
      const register = await own();
      const { employeeId, locationId } = register;
      return { employeeId, newKey, send: send(register), findStore: () => findStore(merchantId, locationId) };
    });
    const filled = JSON.parse(replaceSamples(JSON.stringify({ values, body }), samples));
    return { operation, values: filled.values, body: unchanged ? { ...filled.body, ...unchanged } : filled.body };
  } catch (error) {
    throw asProblem(error);
  }
}
