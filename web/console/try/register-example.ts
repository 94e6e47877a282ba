/** The example of a register operation, with what it needs made at the register of this page, which no person uses (decision 0192). */
import { replaceSamples } from '../../../src/api/example-ids.js';
import { call } from '../../client/call.js';
import { asProblem } from '../../client/problem.js';
import { sandbox } from '../../client/sandbox-operations.js';
import { sendAsProgram } from '../../client/send-as-program.js';
import { type Composed, SESSION_HEADER } from './composed.js';
import { findPageKey, type OwnRegister } from './own-credentials.js';
import { type Counter, prepareRegister } from './register-state.js';

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

/** The store at the location. One with an item is opened if there is none. */
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
  async (method, path, body, publishableKey) => {
    const { status, text } = await sendAsProgram({
      method,
      path,
      headers: {
        authorization: `Bearer ${publishableKey ?? deviceToken}`,
        ...(publishableKey === undefined && { [SESSION_HEADER.name]: session }),
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body && JSON.stringify(body),
    });
    if (status !== 200) throw new Error(`${method} ${path} was refused with ${status}: ${text}`);
    return JSON.parse(text);
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
