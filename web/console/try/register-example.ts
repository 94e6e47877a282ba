/**
 * Examples of the operations of registers. Most of them need something at the register first: an open shift, an open sale, an order. It is
 * made there when the example is opened, at the register of this page, which no person uses (decision 0192).
 */
import { call } from '../../client/call.js';
import type { InputOf } from '../../client/callable.js';
import { asProblem } from '../../client/problem.js';
import type { register } from '../../client/register-operations.js';
import { sandbox } from '../../client/sandbox-operations.js';
import { sendAsProgram } from '../../client/send-as-program.js';
import { SESSION_HEADER, type Values } from './composed.js';
import { findPageKey, type OwnRegister, PASSCODE } from './own-credentials.js';

/** What takes the place of the example that the description has. */
interface Prepared {
  readonly values?: Values;
  readonly body?: unknown;
}

type Name = keyof typeof register;
type Body<Operation extends Name> = InputOf<(typeof register)[Operation]>;
/** Without what stands in the path. */
type BodyAt<Operation extends Name, Parameter extends string> = Omit<Body<Operation>, Parameter>;

const ITEMS = [{ name: 'Loaf', single_quantity_money: { amount: 1000 } }];

// biome-ignore lint/suspicious/noExplicitAny: responses of several operations, of which a member or two is read
type Json = any;

/** Sends what has to be there before the example, as the register of this page or as a shopper. */
class Counter {
  readonly merchantId: string;
  readonly register: OwnRegister;
  readonly newKey: () => string;

  constructor(merchantId: string, own: OwnRegister, newKey: () => string) {
    this.merchantId = merchantId;
    this.register = own;
    this.newKey = newKey;
  }

  get(path: string): Promise<Json> {
    return this.#send('GET', `/api/register/${path}`);
  }

  post(path: string, body: object = {}): Promise<Json> {
    return this.#send('POST', `/api/register/${path}`, { id: this.newKey(), ...body });
  }

  async openShift(): Promise<string> {
    const { cash_drawer_shift: open } = await this.get('cash-drawer-shifts/open').catch(() => ({}));
    if (open) return open.id;
    const body = { opened_cash_money: { amount: 10_000 } };
    return (await this.post('cash-drawer-shifts', body)).cash_drawer_shift.id;
  }

  async endShift(): Promise<string> {
    const id = await this.openShift();
    await this.post(`cash-drawer-shifts/${id}/end`);
    return id;
  }

  async sell(more: object = {}): Promise<Json> {
    return (await this.post('sales', { itemizations: ITEMS, ...more })).sale;
  }

  /** Of the store at the location, which is opened if there is none. */
  async findItem(): Promise<{ readonly key: string; readonly id: string }> {
    const { merchantId, register: own } = this;
    const known = await findPageKey(merchantId, own.locationId);
    if (known !== undefined) {
      const { items } = await this.#send('GET', '/api/checkout/catalogue', undefined, known);
      const item = items.find(({ variations }: Json) => variations.length === 1) ?? items[0];
      if (item) return { key: known, id: item.id };
    }
    const { publishable_key: key, items } = await call(sandbox.openStore, {
      merchant_id: merchantId,
      location_id: own.locationId,
      shipping_money: { amount: 600 },
      promo_codes: [],
      items: [{ name: 'Mug', price_money: { amount: 1200 } }],
    });
    return { key, id: items[0]?.id ?? '' };
  }

  async order({ isPaid }: { readonly isPaid: boolean }): Promise<string> {
    const { key, id } = await this.findItem();
    const order = {
      id: this.newKey(),
      items: [{ item_id: id, quantity: 1 }],
      recipient: { name: 'Ana Ruiz' },
      shipping_address: { address_line_1: '1 Main Street', locality: 'Portland', postal_code: '97201' },
      buyer_email: 'ana@example.com',
    };
    const placed = await this.#send('POST', '/api/checkout/orders', order, key);
    const payment = { source_id: 'cnon:card-nonce-ok' };
    if (isPaid) await this.#send('POST', `/api/checkout/orders/${placed.order_token}/pay`, payment, key);
    return placed.order.id;
  }

  async #send(method: string, path: string, body?: object, key?: string): Promise<Json> {
    const { deviceToken, session } = this.register;
    const { status, text } = await sendAsProgram({
      method,
      path,
      headers: {
        authorization: `Bearer ${key ?? deviceToken}`,
        ...(key === undefined && { [SESSION_HEADER.name]: session }),
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body && JSON.stringify(body),
    });
    if (status !== 200) throw new Error(`${method} ${path} was refused with ${status}: ${text}`);
    return JSON.parse(text);
  }
}

const cash = (counter: Counter) => ({ id: counter.newKey(), type: 'CASH' as const });

const onOpenShift = async (counter: Counter): Promise<Prepared> => ({
  values: { shift_id: await counter.openShift() },
});

const moveCash = async (counter: Counter): Promise<Prepared> => {
  const body: BodyAt<'paidIn', 'shift_id'> = {
    id: counter.newKey(),
    amount_money: { amount: 500 },
    description: 'Change',
  };
  return { ...(await onOpenShift(counter)), body };
};

const EXAMPLES: Readonly<Partial<Record<Name, (counter: Counter) => Promise<Prepared>>>> = {
  async showPairing(counter) {
    const { device_token } = await counter.post('pairing-codes');
    return { body: { device_token } satisfies Body<'showPairing'> };
  },
  async updateDeviceSettings(counter) {
    const { settings } = await counter.get('device');
    return { body: { ...settings, lock_after_seconds: 300 } satisfies Body<'updateDeviceSettings'> };
  },
  async signIn({ register: { employeeId } }) {
    return { body: { employee_id: employeeId, passcode: PASSCODE } satisfies Body<'signIn'> };
  },
  async clockIn(counter) {
    await counter.post('timecards/clock-out').catch(() => {}); // refused if the employee is not clocked in
    return { body: { id: counter.newKey() } satisfies Body<'clockIn'> };
  },
  async clockOut(counter) {
    await counter.post('timecards/clock-in').catch(() => {});
    return { body: { id: counter.newKey() } satisfies Body<'clockOut'> };
  },
  async openShift(counter) {
    await counter.endShift(); // a device has one open shift
    return { body: { id: counter.newKey(), opened_cash_money: { amount: 10_000 } } satisfies Body<'openShift'> };
  },
  async showOpenShift(counter) {
    await counter.openShift();
    return {};
  },
  showShiftReport: onOpenShift,
  async noSale(counter) {
    return { ...(await onOpenShift(counter)), body: { id: counter.newKey() } satisfies BodyAt<'noSale', 'shift_id'> };
  },
  paidIn: moveCash,
  paidOut: moveCash,
  async endShift(counter) {
    return { ...(await onOpenShift(counter)), body: { id: counter.newKey() } satisfies BodyAt<'endShift', 'shift_id'> };
  },
  async closeShift(counter) {
    const body: BodyAt<'closeShift', 'shift_id'> = { id: counter.newKey(), closed_cash_money: { amount: 10_000 } };
    return { values: { shift_id: await counter.endShift() }, body };
  },
  async ringUpSale(counter) {
    const body: Body<'ringUpSale'> = { id: counter.newKey(), itemizations: ITEMS, tenders: [cash(counter)] };
    return { body };
  },
  async listOpenSales(counter) {
    await counter.sell({ label: 'Table 4' });
    return {};
  },
  async showSale(counter) {
    return { values: { sale_id: (await counter.sell({ tenders: [cash(counter)] })).id } };
  },
  async editSale(counter) {
    const { id, version } = await counter.sell({ label: 'Table 4' });
    const itemizations = ITEMS.map((item) => ({ ...item, quantity: '2' }));
    return {
      values: { sale_id: id },
      body: { id: counter.newKey(), version, itemizations } satisfies BodyAt<'editSale', 'sale_id'>,
    };
  },
  async takeTender(counter) {
    const body: BodyAt<'takeTender', 'sale_id'> = {
      id: counter.newKey(),
      type: 'CARD',
      source_id: 'cnon:card-nonce-ok',
    };
    return { values: { sale_id: (await counter.sell()).id }, body };
  },
  async cancelSale(counter) {
    const body: BodyAt<'cancelSale', 'sale_id'> = { id: counter.newKey() };
    return { values: { sale_id: (await counter.sell()).id }, body };
  },
  async findSales(counter) {
    await counter.sell({ tenders: [cash(counter)] });
    return { values: { query: '10.00' } };
  },
  async issueRefund(counter) {
    const { payment_id } = await counter.sell({ tenders: [cash(counter)] });
    const body: Body<'issueRefund'> = { id: counter.newKey(), payment_id, type: 'FULL', reason: 'Spilled' };
    return { body };
  },
  async editItemAtRegister(counter) {
    const { id } = await counter.findItem();
    const { catalogue } = await counter.get('catalogue');
    const { version, name, variations } = catalogue.items.find((item: Json) => item.id === id) ?? catalogue.items[0];
    const prices = variations.map(({ id: variation, price_money }: Json) => ({ id: variation, price_money }));
    return {
      values: { item_id: id },
      body: { version, name, variations: prices } satisfies BodyAt<'editItemAtRegister', 'item_id'>,
    };
  },
  async showOrder(counter) {
    return { values: { order_id: await counter.order({ isPaid: true }) } };
  },
  async completeOrder(counter) {
    const body: BodyAt<'completeOrder', 'order_id'> = { id: counter.newKey(), note: 'Handed over' };
    return { values: { order_id: await counter.order({ isPaid: true }) }, body };
  },
  async cancelOrder(counter) {
    const body: BodyAt<'cancelOrder', 'order_id'> = { id: counter.newKey(), note: 'Sold out' };
    return { values: { order_id: await counter.order({ isPaid: false }) }, body };
  },
  async sendQueue(counter) {
    const { now } = await counter.get('device');
    const write = {
      id: counter.newKey(),
      operation: 'ringUpSale' as const,
      employee_id: counter.register.employeeId,
      occurred_at: now,
      body: { itemizations: ITEMS, tenders: [cash(counter)] },
    };
    return { body: { sent_at: now, writes: [write] } satisfies Body<'sendQueue'> };
  },
};

/** Undefined: nothing has to be there, and nothing has to be sent. */
export async function prepareRegisterExample(
  operation: string,
  merchantId: string,
  own: () => Promise<OwnRegister>,
  newKey: () => string,
): Promise<Prepared | undefined> {
  const prepare = EXAMPLES[operation.replace(/^register\./, '') as Name];
  if (!prepare) return undefined;
  try {
    return await prepare(new Counter(merchantId, await own(), newKey));
  } catch (error) {
    throw asProblem(error);
  }
}
