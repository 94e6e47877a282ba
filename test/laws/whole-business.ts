/** A business that uses every surface: two locations with a register and an online store each, an application, an operator. */
import { randomUUID } from 'node:crypto';
import { changeClock } from '../support/clock.js';
import { createOwner, type TestOwner } from '../support/dashboard.js';
import type { ApiResponse } from '../support/http.js';
import * as online from '../support/orders.js';
import { openStore, type PlacedOrder, type TestStore } from '../support/orders.js';
import * as api from '../support/payments.js';
import { usd } from '../support/payments.js';
import { OPEN_DRAWER, openRegister, openShift, type Register } from '../support/people.js';
import { keep, sendQueue } from '../support/queue.js';
import { card, cash, DECLINED, item, SALES, tryToSell, type WireSale } from '../support/register-sales.js';
import type { TestServer } from '../support/server.js';
import { adjust, fail, hold, linkAccount, listed, release } from '../support/settlements.js';
import { part, tryToRefundV1 } from '../support/v1-refunds.js';

export const ZONES = ['America/New_York', 'Australia/Sydney'];
const HOUR_MS = 3_600_000;
const RECENT = 6;

/** One action of a caller. Its target is chosen by number from the existing records. */
export interface Act {
  readonly kind: ActKind;
  readonly place: number;
  readonly which: number;
  readonly units: number;
}

interface Place {
  readonly locationId: string;
  readonly register: Register;
  readonly store: TestStore;
  shiftId: string;
}

interface Sold {
  readonly id: string;
  readonly place: Place;
  readonly tenderIds: readonly string[];
}

/** The records created so far, by all callers. */
interface Known {
  readonly payments: { readonly id: string; readonly key: string }[];
  readonly sales: Sold[];
  readonly orders: { readonly store: TestStore; readonly order: PlacedOrder }[];
  /** Payments with a hold, or with one that was released. */
  readonly held: { readonly id: string }[];
}

const nothing = (): Known => ({ payments: [], sales: [], orders: [], held: [] });

export class WholeBusiness {
  readonly server: TestServer;
  readonly owner: TestOwner;
  readonly places: readonly Place[];
  readonly known: Known = nothing();
  now: number;

  private constructor(server: TestServer, owner: TestOwner, places: readonly Place[], start: string) {
    this.server = server;
    this.owner = owner;
    this.places = places;
    this.now = Date.parse(start);
  }

  static async open(server: TestServer, start: string): Promise<WholeBusiness> {
    const locations = ZONES.map((timezone) => ({ name: timezone, timezone }));
    const owner = await createOwner(server, { locations, clock: { now: start, frozen: true } });
    await linkAccount(owner);
    const hiring = { role: { permissions: [OPEN_DRAWER, 'REGISTER_ISSUE_REFUNDS'] } };
    const places: Place[] = [];
    for (const locationId of owner.merchant.locationIds) {
      const register = await openRegister(server, owner, { hiring, locationId });
      const store = await openStore(server, owner.merchant, { location_id: locationId });
      places.push({ locationId, register, store, shiftId: (await openShift(register)).id });
    }
    return new WholeBusiness(server, owner, places, start);
  }

  async wait(hours: number): Promise<void> {
    this.now += hours * HOUR_MS;
    await changeClock(this.server, this.owner.merchant.id, { now: new Date(this.now).toISOString() });
  }

  /** Undefined if there is no target yet. */
  async do(act: Act): Promise<ApiResponse | undefined> {
    return (await this.doTogether([act]))[0];
  }

  /** Does all acts at the same time. The order of their responses must not decide which records later acts are about. */
  async doTogether(acts: readonly Act[]): Promise<(ApiResponse | undefined)[]> {
    const done = acts.map((act) => {
      const [place, made] = [this.places[act.place] as Place, nothing()];
      const scene = { ...act, ...this, business: this, place, made, merchant: this.owner.merchant };
      return { made, answer: ACTS[act.kind](scene) };
    });
    const answers = await Promise.all(done.map(({ answer }) => answer));
    for (const { made } of done) {
      this.known.payments.push(...made.payments);
      this.known.sales.push(...made.sales);
      this.known.orders.push(...made.orders);
      this.known.held.push(...made.held);
    }
    return answers;
  }

  /** Chooses among the newest records: most older ones can no longer change. */
  pick<Thing>(things: readonly Thing[], which: number): Thing | undefined {
    const last = things.slice(-RECENT);
    return last[which % Math.max(last.length, 1)];
  }
}

interface Scene extends Omit<Act, 'place'> {
  readonly business: WholeBusiness;
  readonly server: TestServer;
  readonly owner: TestOwner;
  readonly merchant: TestOwner['merchant'];
  readonly known: Known;
  /** For the records that the act makes. */
  readonly made: Known;
  readonly place: Place;
}

type Body = Readonly<Record<string, unknown>>;

const few = (units: number) => Math.ceil(units / 100);

const ON_US = { discounts: [{ name: 'On us', rate: '1' }] };
const EXTRAS = {
  discounts: [{ name: 'Regulars', amount_money: { amount: 7 } }],
  taxes: [{ name: 'Tax', rate: '0.08625' }],
  surcharges: [{ name: 'Service', rate: '0.05' }],
};

type Doing = (scene: Scene) => Promise<ApiResponse | undefined>;

/** Sells one item and remembers the sale. */
const selling =
  (tenders: (units: number) => readonly Body[], more: Body = {}): Doing =>
  (scene) =>
    sellAndRemember(scene, { tenders: tenders(scene.units), ...more });

async function sellAndRemember({ place, units, made }: Scene, body: Body): Promise<ApiResponse> {
  const answer = await tryToSell(place.register, { itemizations: [item(units)], ...body });
  if (answer.status === 200) made.sales.push(soldAt(place, answer.body.sale));
  return answer;
}

export const soldAt = (place: Place, { id, tenders }: WireSale): Sold => ({
  id,
  place,
  tenderIds: tenders.map((tender) => tender.id),
});

/** A register without a network: it acts on a sale that somebody else may change meanwhile, and says so later. */
const offline = (operation: string, body: (scene: Scene) => Body): Doing =>
  toSale((scene, { id, place: { register } }) => {
    const occurred_at = new Date(scene.business.now).toISOString();
    return sendQueue(register, occurred_at, [
      keep(register, operation, { occurred_at, body: { sale_id: id, ...body(scene) } }),
    ]);
  });

/** Goods of an earlier sale come back and pay for new ones, as far as they are worth it. */
const exchanging = (worth: (units: number) => number, more: (units: number) => Body): Doing =>
  toSale((scene, { id }) =>
    sellAndRemember(scene, {
      returns: [{ payment_id: id, amount_money: { amount: worth(scene.units) }, reason: 'too small' }],
      ...more(scene.units),
    }),
  );

const paying =
  (more: Record<string, unknown>): Doing =>
  async ({ server, merchant, place, units, made }) => {
    const key = randomUUID();
    const body = { idempotency_key: key, amount_money: usd(units), location_id: place.locationId, ...more };
    const answer = await api.tryToPay(server, merchant, body);
    if (answer.status === 200) made.payments.push({ id: answer.body.payment.id, key });
    return answer;
  };

type Paid = Known['payments'][number];

const toPayment =
  (change: (scene: Scene, payment: Paid) => Promise<ApiResponse>): Doing =>
  async (scene) => {
    const payment = scene.business.pick(scene.known.payments, scene.which);
    return payment && change(scene, payment);
  };

function toSale(change: (scene: Scene, sale: Sold) => Promise<ApiResponse>): Doing {
  return async (scene) => {
    const sale = scene.business.pick(scene.known.sales, scene.which);
    return sale && change(scene, sale);
  };
}

/** Acts on one tender of a sale, as a program does that knows only v2. */
const toTender = (change: (scene: Scene, tender: { readonly id: string }) => Promise<ApiResponse>): Doing =>
  toSale((scene, { tenderIds }) => change(scene, { id: tenderIds[scene.which % tenderIds.length] ?? 'none' }));

/** As the owner does it: asks what a refund would return, and then makes it. */
function byOwner(part: (which: number) => Body, { overrules = false } = {}): Doing {
  return toSale(async ({ owner, which }, { id }) => {
    const quote = await owner.call('POST', `/api/dashboard/sales/${id}/refund-quotes`, { body: part(which) });
    if (quote.status !== 200) return quote;
    const { amount_money, disputes } = quote.body;
    const overruled_disputes = disputes.map((dispute: { id: string }) => dispute.id);
    return owner.call('POST', `/api/dashboard/sales/${id}/refunds`, {
      body: {
        ...{ ...part(which), idempotency_key: randomUUID(), amount_money },
        ...(overrules && { overruled_disputes }),
      },
    });
  });
}

const toOrder =
  (change: (scene: Scene, order: Known['orders'][number]) => Promise<ApiResponse>): Doing =>
  async (scene) => {
    const order = scene.business.pick(scene.known.orders, scene.which);
    return order && change(scene, order);
  };

const updating = (action: string): Doing =>
  toOrder(({ server }, { store, order }) => online.update(server, store, order, action));

const changing = (action: string): Doing =>
  toPayment(({ server, merchant: { token } }, { id }) =>
    server.call('POST', `/v2/payments/${id}/${action}`, { token, body: {} }),
  );

const atDrawer =
  (action: string): Doing =>
  ({ place: { register, shiftId }, units }) =>
    register.write(`/api/register/cash-drawer-shifts/${shiftId}/${action}`, {
      amount_money: { amount: units },
      description: 'change',
    });

/** Every action, through its surface. */
const ACTS = {
  // at the register
  'sell for cash': selling(() => [cash()]),
  'sell by card': selling(() => [card(undefined, { tip_money: { amount: 150 } })]),
  'split a sale': selling((units) => [card(Math.ceil(units / 2)), cash()]),
  'leave a sale open': selling((units) => [cash(Math.ceil(units / 3)), card(Math.ceil(units / 4))]),
  'leave a taxed sale open': selling((units) => [card(Math.ceil(units / 3))], EXTRAS),
  'sell with taxes, a discount and a surcharge': selling((units) => [cash(Math.ceil(units / 3)), card()], EXTRAS),
  'give something away': selling(() => [], ON_US),
  'sell on a card that declines': selling(() => [card(undefined, { source_id: DECLINED })]),
  'pay the rest of a sale': toSale((_scene, { id, place }) => place.register.write(`${SALES}/${id}/tenders`, card())),
  'give a sale up': toSale((_scene, { id, place }) => place.register.write(`${SALES}/${id}/cancel`)),
  'give back at the register': toSale(({ units }, { id, place }) =>
    place.register.write('/api/register/refunds', {
      ...{ payment_id: id, type: 'PARTIAL', reason: 'stale' },
      refunded_money: { amount: Math.ceil(units / 10) },
    }),
  ),
  'give something away for a tip': selling(() => [card(undefined, { tip_money: { amount: 90 } })], ON_US),
  'exchange goods': exchanging(
    (units) => Math.ceil(units / 4),
    () => ({ tenders: [cash()] }),
  ),
  'exchange goods, and leave the rest open': exchanging(
    (units) => Math.ceil(units / 3),
    () => ({}),
  ),
  'exchange for the same': exchanging(few, (units) => ({ itemizations: [item(few(units))] })),
  'send a queue': ({ business, place: { register, shiftId }, units }) => {
    const now = new Date(business.now).toISOString();
    const occurred_at = new Date(business.now - HOUR_MS * (units % 70)).toISOString();
    const sale = (tenders: unknown[]) =>
      keep(register, 'ringUpSale', { occurred_at, body: { itemizations: [item(units)], tenders } });
    const paidIn = { shift_id: shiftId, amount_money: { amount: units } };
    const writes = [sale([cash()]), sale([card()]), keep(register, 'paidIn', { occurred_at: now, body: paidIn })];
    return sendQueue(register, now, writes);
  },
  'pay the rest of a sale without a network': offline('takeTender', () => cash()),
  'give a sale up without a network': offline('cancelSale', () => ({})),
  'give back without a network': toSale(({ business, units }, { id, place: { register } }) => {
    const occurred_at = new Date(business.now).toISOString();
    const body = { payment_id: id, type: 'PARTIAL', reason: 'stale', refunded_money: { amount: few(units) } };
    return sendQueue(register, occurred_at, [keep(register, 'issueRefund', { occurred_at, body })]);
  }),
  'change what an open sale sells': toSale(async ({ units }, { id, place: { register } }) => {
    const { body } = await register.call('GET', '/api/register/open-sales');
    const open = body.sales.find((sale: { id: string }) => sale.id === id);
    const edited = {
      id: randomUUID(),
      version: open?.version ?? 'none',
      itemizations: [item(units), item(few(units))],
      ...EXTRAS,
    };
    return register.call('PUT', `${SALES}/${id}`, { body: edited });
  }),
  'put cash in': atDrawer('paid-in'),
  'take cash out': atDrawer('paid-out'),
  'count the drawer': async ({ place, units }) => {
    const shifts = '/api/register/cash-drawer-shifts';
    const ended = await place.register.write(`${shifts}/${place.shiftId}/end`);
    if (ended.status !== 200) return ended;
    await place.register.write(`${shifts}/${place.shiftId}/close`, {
      closed_cash_money: { amount: units % 5 ? units : 0 },
    });
    place.shiftId = (await openShift(place.register)).id;
    return ended;
  },
  'clock in': ({ place: { register } }) => register.write('/api/register/timecards/clock-in'),
  'clock out': ({ place: { register } }) => register.write('/api/register/timecards/clock-out'),
  // through the API
  'take a payment': paying({}),
  'authorise a payment': paying({ autocomplete: false }),
  'try a card that declines': paying({ source_id: DECLINED }),
  'complete a payment': changing('complete'),
  'cancel a payment': changing('cancel'),
  'cancel by key': toPayment(({ server, merchant }, { key }) => api.cancelByKey(server, merchant, key)),
  'refund in v2': toPayment(({ server, merchant, units }, payment) =>
    api.tryToRefund(server, merchant, payment, { amount_money: usd(Math.ceil(units / 5)) }),
  ),
  'refund a tender in v2': toTender(({ server, merchant, units }, tender) =>
    api.tryToRefund(server, merchant, tender, { amount_money: usd(few(units)) }),
  ),
  'refund a tender in v1': toTender(({ server, merchant, place: { locationId } }, { id }) =>
    tryToRefundV1(server, { ...merchant, at: locationId }, { payment_id: id }),
  ),
  'refund a part of a tender in v1': toTender(({ server, merchant, place: { locationId }, units }, { id }) =>
    tryToRefundV1(server, { ...merchant, at: locationId }, part(id, few(units))),
  ),
  'refund a whole sale in v1': toSale(({ server, merchant }, { id, place: { locationId } }) =>
    tryToRefundV1(server, { ...merchant, at: locationId }, { payment_id: id }),
  ),
  'refund in v1': toSale(({ server, merchant, units }, { id, place: { locationId } }) =>
    tryToRefundV1(server, { ...merchant, at: locationId }, part(id, Math.ceil(units / 5))),
  ),
  // on the dashboard
  'refund an item': byOwner((which) => ({
    type: 'ITEMS',
    items: [{ line: which % 2, quantity: which % 3 ? '1' : '0.5' }],
  })),
  'refund a whole sale, whatever is disputed': byOwner(() => ({ type: 'WHOLE' }), { overrules: true }),
  'erase a buyer': ({ owner }) =>
    owner.call('POST', '/api/dashboard/buyers/erase', { body: { email: 'ana@example.com' } }),
  // at the online store
  'place an order': async ({ place: { store }, made, which }) => {
    const items = [{ item_id: store.itemIds[which % store.itemIds.length], quantity: 1 + (which % 5) }];
    const answer = await online.tryToPlace(store, { items });
    if (answer.status === 200) made.orders.push({ store, order: orderIn(answer) });
    return answer;
  },
  'buy online': async ({ place: { store }, made }) => {
    const order = await online.place(store);
    made.orders.push({ store, order });
    return online.tryToPay(store, order);
  },
  'pay an order': toOrder((_scene, { store, order }) => online.tryToPay(store, order)),
  'pay an order in vain': toOrder((_scene, { store, order }) => online.tryToPay(store, order, DECLINED)),
  'send an order': updating('COMPLETE'),
  'cancel an order': updating('CANCEL'),
  'refund an order': updating('REFUND'),
  // the bank and its trouble
  'hold money': toPayment(async ({ server, merchant, units, made }, { id }) => {
    const answer = await hold(server, merchant, id, Math.ceil(units / 3));
    if (answer.status === 200) made.held.push({ id });
    return answer;
  }),
  'hold the money of a sale': toTender(async ({ server, merchant, made }, tender) => {
    const answer = await hold(server, merchant, tender.id);
    if (answer.status === 200) made.held.push(tender);
    return answer;
  }),
  'release a hold': async ({ business, server, merchant, known, which }) => {
    const payment = business.pick(known.held, which);
    return payment && release(server, merchant, payment.id);
  },
  'adjust the balance': ({ server, merchant, place: { locationId }, units }) =>
    adjust(server, { ...merchant, locationId }, units % 2 ? units : -units),
  'refuse a settlement': async ({ business, server, merchant, which }) => {
    const sent = (await listed(server, merchant, 'me/settlements')).filter(({ status }) => status === 'SENT');
    const settlement = business.pick(sent, which);
    return settlement && fail(server, merchant, settlement.id);
  },
  'link another account': async ({ owner, which }) => {
    await linkAccount(owner, { account_number: `${10_000 + which}` }).catch(() => {}); // may be linked already
    return undefined;
  },
} satisfies Record<string, Doing>;

type ActKind = keyof typeof ACTS;

/** The outcome of a declined card, and of a lost response. */
export const NEED_NOT_WORK: readonly string[] = [
  'try a card that declines',
  'pay an order in vain',
  'link another account',
] satisfies ActKind[];

export const ACT_KINDS = Object.keys(ACTS) as readonly ActKind[];

function orderIn({ body }: ApiResponse): PlacedOrder {
  return { id: body.order.id, token: body.order_token };
}
