/**
 * Makes what the examples of register operations need: an open shift, an open sale, an order (decision 0192). The console does it when an
 * example is opened, and `test/docs/examples.test.ts` before it sends the example of the API reference.
 */
import { SAMPLE_IDS, SAMPLE_SECRETS, SAMPLE_VALUES } from '../../../src/api/sample-ids.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of several operations, of which a member or two is read
type Json = any;

/** A register with a signed-in employee who has all permissions. */
export interface Counter {
  readonly employeeId: string;
  /** Returns a new id for a write. */
  readonly newKey: () => string;
  /** Sends a request with the credentials of the register, or with a publishable key. Throws if it is refused. */
  readonly send: (method: 'GET' | 'POST', path: string, body?: object, publishableKey?: string) => Promise<Json>;
  /** The online store of the location, and an item that it sells. */
  readonly findStore: () => Promise<{ readonly publishableKey: string; readonly itemId: string }>;
}

export interface Prepared {
  /** The values of this register, by the samples in the example. */
  readonly samples: Readonly<Record<string, string>>;
  /** Members of the body that leave a record of the business as it is. */
  readonly unchanged?: object;
}

const ITEMS = [{ name: 'Loaf', single_quantity_money: { amount: 1000 } }];

const post = (counter: Counter, path: string, body: object = {}): Promise<Json> =>
  counter.send('POST', `/api/register/${path}`, { id: counter.newKey(), ...body });

const get = (counter: Counter, path: string): Promise<Json> => counter.send('GET', `/api/register/${path}`);

async function openShift(counter: Counter): Promise<string> {
  const { cash_drawer_shift: open } = await get(counter, 'cash-drawer-shifts/open').catch(() => ({}));
  if (open) return open.id;
  const body = { opened_cash_money: { amount: 10_000 } };
  return (await post(counter, 'cash-drawer-shifts', body)).cash_drawer_shift.id;
}

async function endShift(counter: Counter): Promise<string> {
  const id = await openShift(counter);
  await post(counter, `cash-drawer-shifts/${id}/end`);
  return id;
}

async function park(counter: Counter): Promise<Json> {
  return (await post(counter, 'sales', { itemizations: ITEMS, label: 'Table 4' })).sale;
}

async function sell(counter: Counter): Promise<Json> {
  return (await post(counter, 'sales', { itemizations: ITEMS, tenders: [{ id: 'cash', type: 'CASH' }] })).sale;
}

interface PlacedOrder {
  readonly id: string;
  readonly token: string;
  readonly pay: () => Promise<unknown>;
}

export async function placeOrder(counter: Pick<Counter, 'newKey' | 'send' | 'findStore'>): Promise<PlacedOrder> {
  const { publishableKey, itemId } = await counter.findStore();
  const body = {
    id: counter.newKey(),
    items: [{ item_id: itemId, quantity: 1 }],
    recipient: { name: 'Ana Ruiz' },
    shipping_address: { address_line_1: '1 Main Street', locality: 'Portland', postal_code: '97201' },
    buyer_email: 'ana@example.com',
  };
  const { order, order_token } = await counter.send('POST', '/api/checkout/orders', body, publishableKey);
  const source = { source_id: 'cnon:card-nonce-ok' };
  const pay = () => counter.send('POST', `/api/checkout/orders/${order_token}/pay`, source, publishableKey);
  return { id: order.id, token: order_token, pay };
}

type Preparation = (counter: Counter) => Promise<Prepared>;

const asEmployee: Preparation = async ({ employeeId }) => ({ samples: { [SAMPLE_IDS.employee_id]: employeeId } });

const withCode: Preparation = async (counter) => {
  const { device_token } = await post(counter, 'pairing-codes');
  return { samples: { [SAMPLE_SECRETS.device_token]: device_token } };
};

const withOpenShift: Preparation = async (counter) => ({
  samples: { [SAMPLE_IDS.shift_id]: await openShift(counter) },
});

const withOpenSale: Preparation = async (counter) => {
  const { id, version } = await park(counter);
  return { samples: { [SAMPLE_IDS.sale_id]: id, [SAMPLE_VALUES.version]: version } };
};

const withPaidSale: Preparation = async (counter) => {
  const { id, payment_id } = await sell(counter);
  return { samples: { [SAMPLE_IDS.sale_id]: id, [SAMPLE_IDS.payment_id]: payment_id } };
};

const withPaidOrder: Preparation = async (counter) => {
  const { id, pay } = await placeOrder(counter);
  await pay();
  return { samples: { [SAMPLE_IDS.order_id]: id } };
};

const PREPARATIONS: Readonly<Record<string, Preparation>> = {
  showPairing: withCode,
  answerPairing: withCode,
  async updateDeviceSettings(counter) {
    const { version, name } = (await get(counter, 'device')).settings;
    return { samples: { [SAMPLE_VALUES.version]: version }, unchanged: { name } };
  },
  signIn: asEmployee,
  giveApproval: asEmployee,
  async clockIn(counter) {
    await post(counter, 'timecards/clock-out').catch(() => {}); // refused if the employee is not clocked in
    return { samples: {} };
  },
  async clockOut(counter) {
    await post(counter, 'timecards/clock-in').catch(() => {});
    return { samples: {} };
  },
  async openShift(counter) {
    await endShift(counter); // a device has one open shift
    return { samples: {} };
  },
  showOpenShift: withOpenShift,
  listShifts: withOpenShift,
  showShiftReport: withOpenShift,
  noSale: withOpenShift,
  paidIn: withOpenShift,
  paidOut: withOpenShift,
  endShift: withOpenShift,
  async closeShift(counter) {
    return { samples: { [SAMPLE_IDS.shift_id]: await endShift(counter) } };
  },
  listOpenSales: withOpenSale,
  editSale: withOpenSale,
  takeTender: withOpenSale,
  cancelSale: withOpenSale,
  listSales: withPaidSale,
  showSale: withPaidSale,
  findSales: withPaidSale,
  issueRefund: withPaidSale,
  async editItemAtRegister(counter) {
    const { itemId } = await counter.findStore();
    const { catalogue } = await get(counter, 'catalogue');
    const { version, name, variations } = catalogue.items.find(({ id }: Json) => id === itemId);
    return {
      samples: { [SAMPLE_IDS.item_id]: itemId, [SAMPLE_IDS.variation_id]: variations[0].id },
      unchanged: { version, name, variations: variations.map(({ id, price_money }: Json) => ({ id, price_money })) },
    };
  },
  listOrders: withPaidOrder,
  showOrder: withPaidOrder,
  completeOrder: withPaidOrder,
  async cancelOrder(counter) {
    return { samples: { [SAMPLE_IDS.order_id]: (await placeOrder(counter)).id } };
  },
  async sendQueue(counter) {
    const { now } = await get(counter, 'device');
    return {
      samples: {
        [SAMPLE_VALUES.now]: now,
        [SAMPLE_VALUES.kept_write_id]: counter.newKey(),
        [SAMPLE_IDS.employee_id]: counter.employeeId,
      },
    };
  },
};

/** Calls `counter` only if the example of the operation needs something. */
export async function prepareRegister(operation: string, counter: () => Promise<Counter>): Promise<Prepared> {
  const prepare = PREPARATIONS[operation.replace(/^register\./, '')];
  return prepare ? prepare(await counter()) : { samples: {} };
}
