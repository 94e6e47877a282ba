/**
 * What a register sends again: the same content under the same id gets the stored response, other content 409 with the id. Online, in the
 * queue, and online first and then in the queue (decision 0212).
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeClock } from '../../support/clock.js';
import type { TestOwner } from '../../support/dashboard.js';
import type { ApiResponse } from '../../support/http.js';
import { expectBooksInOrder } from '../../support/payments.js';
import {
  type Hiring,
  hire,
  OPEN_DRAWER,
  openBusiness,
  openShift,
  pairDevice,
  type Register,
  signInAt,
} from '../../support/people.js';
import { keep, sendQueue } from '../../support/queue.js';
import { CARD, card, cash, DECLINED, item, SALES, sell, type WireSale } from '../../support/register-sales.js';
import { startTestServer, type TestServer } from '../../support/server.js';

const NOW = '2020-02-26T10:00:00.500Z';
const ANOTHER_CARD = 'cnon:test-visa-credit-emv';
const PERMISSIONS = [OPEN_DRAWER, 'REGISTER_ISSUE_REFUNDS', 'REGISTER_ACCESS_SALES_HISTORY'];

let server: TestServer;
let owner: TestOwner;
let till: Register;
let shiftId: string;

beforeAll(async () => {
  server = await startTestServer();
  const clock = { now: NOW, frozen: true };
  ({ owner, register: till } = await openBusiness(server, { clock }, { role: { permissions: PERMISSIONS } }));
  shiftId = (await openShift(till)).id;
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

type Body = Record<string, unknown>;
type Way = 'online' | 'in the queue';

/** The outcome of a write: its response, or the refusal. */
interface Outcome {
  readonly response?: unknown;
  readonly refusal?: readonly unknown[];
}

interface Operation {
  readonly name: string;
  readonly method?: string;
  readonly path: string;
  /** The ids in the path, which a queue has in the body. */
  readonly params?: Body;
}

async function online({ method = 'POST', path }: Operation, body: Body, register = till): Promise<Outcome> {
  const answer = await register.call(method, path, { body });
  if (answer.status === 200) return { response: answer.body };
  const [error] = answer.body.errors;
  return { refusal: [answer.status, error.code, error.field, error.detail] };
}

async function queued({ name, params }: Operation, { id, ...body }: Body, register = till): Promise<Outcome> {
  const { occurred_at: _, ...rest } = body;
  const write = keep(register, name, { id: String(id), occurred_at: NOW, body: { ...rest, ...params } });
  const answer: ApiResponse = await sendQueue(register, NOW, [write]);
  expect(answer.status, answer.text).toBe(200);
  const [{ status, response, error }] = answer.body.results;
  return status === 'ACCEPTED' ? { response } : { refusal: [409, error.code, error.field, error.detail] };
}

const WAYS: Readonly<Record<Way, typeof online>> = { online, 'in the queue': queued };
const ORDERS: readonly (readonly [Way, Way])[] = [
  ['online', 'online'],
  ['online', 'in the queue'],
  ['in the queue', 'in the queue'],
  ['in the queue', 'online'],
];

const conflict = (id: unknown) => ({ refusal: [409, 'CONFLICT', 'id', expect.stringContaining(String(id))] });

/** Sends the write, then its retry, then each of the others under the same id. Returns the response. */
async function tryRetries(
  operation: Operation,
  body: Body,
  others: readonly Body[],
  [first, second]: readonly [Way, Way],
  register = till,
): Promise<unknown> {
  const id = randomUUID();
  const made = await WAYS[first](operation, { ...body, id }, register);
  expect(made.refusal).toBeUndefined();
  expect(await WAYS[second](operation, { ...body, id }, register)).toEqual(made);
  for (const other of others) {
    const again = await WAYS[second](operation, { ...body, ...other, id }, register);
    expect(again, JSON.stringify(other)).toEqual(conflict(id));
  }
  expect(await WAYS[second](operation, { ...body, id }, register)).toEqual(made);
  return made.response;
}

const RING_UP: Operation = { name: 'ringUpSale', path: SALES };
const takeTenderOf = ({ id }: WireSale): Operation => ({
  ...{ name: 'takeTender', path: `${SALES}/${id}/tenders` },
  params: { sale_id: id },
});
const atDrawer = (name: string, path: string): Operation => ({
  ...{ name, path: `/api/register/cash-drawer-shifts/${shiftId}/${path}` },
  params: { shift_id: shiftId },
});

/** Another register, with an employee of its own. */
const registerOf = async (hiring?: Hiring) =>
  signInAt(await pairDevice(server, owner, { name: 'Till 2' }), (await hire(server, owner, hiring)).id);

/** An open sale of which nothing is paid, so that any tender is possible. */
const parked = () => sell(till, { itemizations: [item(1000)] });
const money = (amount: number) => ({ amount_money: { amount } });

describe.each(ORDERS)('a write %s, then %s', (...ways) => {
  it.each<[string, Body, Body[]]>([
    [
      'card',
      { type: 'CARD', source_id: CARD, ...money(400) },
      [
        { source_id: ANOTHER_CARD },
        { source_id: DECLINED },
        money(300),
        money(399),
        { amount_money: undefined },
        { tip_money: { amount: 5 } },
        { entry_method: 'KEYED' },
        { type: 'GIFT_CARD' },
        { type: 'CASH', source_id: undefined },
      ],
    ],
    [
      'card that pays all that is left',
      { type: 'CARD', source_id: CARD },
      [{ source_id: ANOTHER_CARD }, money(1), { tip_money: { amount: 5 } }],
    ],
    ['card that was declined', { type: 'CARD', source_id: DECLINED, ...money(400) }, [{ source_id: CARD }, money(300)]],
    [
      'gift card',
      { type: 'GIFT_CARD', source_id: 'cnon:gift-card-nonce-insufficient-funds', ...money(900) },
      [money(800), money(1000), { type: 'CARD' }],
    ],
    [
      'cash',
      { type: 'CASH', ...money(400), tendered_money: { amount: 500 } },
      [money(300), { tendered_money: { amount: 600 } }, { tip_money: { amount: 5 } }, { type: 'OTHER' }],
    ],
    ['voucher', { type: 'OTHER', name: 'Voucher', ...money(400) }, [{ name: 'Cheque' }, money(300)]],
    [
      'card of a terminal',
      { type: 'EXTERNAL_CARD', card_brand: 'VISA', last_4: '1111', ...money(400) },
      [{ card_brand: 'MASTERCARD' }, { last_4: '2222' }, { reference: 'A1' }],
    ],
  ])('is a tender: %s', async (_name, body, others) => {
    await tryRetries(takeTenderOf(await parked()), body, others, ways);
  });

  it('is a sale with its tenders', async () => {
    const body = { itemizations: [item(1000)], tenders: [cash(400, { id: 'c' })], label: 'Table 4' };
    await tryRetries(
      RING_UP,
      body,
      [
        { itemizations: [item(999)] },
        { tenders: [cash(500, { id: 'c' })] },
        { tenders: [card(400, { id: 'c' })] },
        { tenders: [] },
        { label: 'Table 5' },
        { discounts: [{ name: 'Off', amount_money: { amount: 1 } }] },
        { approval: { id: randomUUID() } },
      ],
      ways,
    );
  });

  it('is a refund', async () => {
    const { id } = await sell(till, { itemizations: [item(1000)], tenders: [cash()] });
    const operation = { name: 'issueRefund', path: '/api/register/refunds' };
    const body = { payment_id: id, type: 'PARTIAL', reason: 'cold', refunded_money: { amount: 100 } };
    const another = await sell(till);
    await tryRetries(
      operation,
      body,
      [{ refunded_money: { amount: 101 } }, { type: 'FULL' }, { reason: 'warm' }, { payment_id: another.id }],
      ways,
    );
  });

  it('is cash that is put in or taken out', async () => {
    const body = { ...money(100), description: 'change' };
    const others = [money(101), { description: 'milk' }];
    await tryRetries(atDrawer('paidIn', 'paid-in'), body, others, ways);
    await tryRetries(atDrawer('paidOut', 'paid-out'), body, others, ways);
    await tryRetries(atDrawer('noSale', 'no-sale'), { description: 'a note' }, [{ description: 'milk' }], ways);
  });

  it('is a shift: opened, ended and closed', async () => {
    const second = await registerOf({ role: { permissions: PERMISSIONS } });
    const shifts = '/api/register/cash-drawer-shifts';
    const by = (operation: Operation, body: Body, others: Body[]) => tryRetries(operation, body, others, ways, second);
    const opened = await by(
      { name: 'openShift', path: shifts },
      { opened_cash_money: { amount: 100 }, description: 'front' },
      [{ opened_cash_money: { amount: 101 } }, { description: 'back' }],
    );
    const shift_id = (opened as { cash_drawer_shift: { id: string } }).cash_drawer_shift.id;
    const at = (name: string, path: string) => ({ name, path: `${shifts}/${shift_id}/${path}`, params: { shift_id } });
    await by(at('endShift', 'end'), {}, []);
    await by(at('closeShift', 'close'), { closed_cash_money: { amount: 100 } }, [
      { closed_cash_money: { amount: 99 } },
    ]);
  });

  it('is a canceled sale', async () => {
    const { id } = await parked();
    await tryRetries({ name: 'cancelSale', path: `${SALES}/${id}/cancel`, params: { sale_id: id } }, {}, [], ways);
  });

  it('is a clock-in or clock-out, which belongs to its employee', async () => {
    const one = await registerOf();
    const other = await signInAt(one.device, (await hire(server, owner)).id);
    for (const [name, path] of [
      ['clockIn', 'clock-in'],
      ['clockOut', 'clock-out'],
    ] as const) {
      const operation = { name, path: `/api/register/timecards/${path}` };
      const id = randomUUID();
      const made = await WAYS[ways[0]](operation, { id }, one);
      expect(made.refusal).toBeUndefined();
      expect(await WAYS[ways[1]](operation, { id }, one)).toEqual(made);
      expect(await WAYS[ways[1]](operation, { id }, other)).toEqual(conflict(id));
    }
  });
});

describe('the id of a tender', () => {
  it('of a sale that was rung up with it is known when the tender is sent again by itself', async () => {
    const tender = card(400);
    const sale = await sell(till, { itemizations: [item(1000)], tenders: [tender] });
    const again = await online(takeTenderOf(sale), tender);
    expect(again).toEqual({ response: { sale } });
    expect(await online(takeTenderOf(sale), { ...tender, ...money(300) })).toEqual(conflict(tender['id']));
    expect(await online(takeTenderOf(sale), { ...tender, source_id: DECLINED })).toEqual(conflict(tender['id']));
  });

  it('is used once in a sale, and may be used in another sale', async () => {
    const same = { id: 'cash' };
    expect(
      await online(RING_UP, {
        id: randomUUID(),
        itemizations: [item(1000)],
        tenders: [cash(400, same), cash(600, same)],
      }),
    ).toEqual(conflict('cash'));
    expect(
      await online(RING_UP, {
        id: randomUUID(),
        itemizations: [item(1000)],
        tenders: [cash(500, same), cash(500, same)],
      }),
    ).toEqual(conflict('cash'));
    for (let sale = 0; sale < 2; sale++)
      expect((await sell(till, { tenders: [cash(1000, same)] })).state).toBe('COMPLETED');
  });

  it('gets its response however late it is sent again, and whatever became of its sale', async () => {
    const own = await openBusiness(server, { clock: { now: NOW, frozen: true } });
    const sale = await sell(own.register, { itemizations: [item(1000)] });
    const tender: Body = { ...cash(400), occurred_at: NOW };
    await online(takeTenderOf(sale), tender, own.register);
    await own.register.write(`${SALES}/${sale.id}/cancel`);
    await changeClock(server, own.owner.merchant.id, { advance: 'P5D' });
    const [late, other] = await Promise.all([
      online(takeTenderOf(sale), tender, own.register),
      online(takeTenderOf(sale), { ...tender, ...money(300) }, own.register),
    ]);
    expect(late).toMatchObject({ response: { sale: { state: 'CANCELED' } } });
    expect(other).toEqual(conflict(tender['id']));
  });

  it('that two requests with other content use at once is taken by one of them', async () => {
    const sale = await parked();
    const id = randomUUID();
    const outcomes = await Promise.all(
      [100, 200, 300].map((amount) =>
        online(takeTenderOf(sale), { id, type: 'CARD', source_id: CARD, ...money(amount) }),
      ),
    );
    expect(outcomes.filter(({ refusal }) => refusal === undefined)).toHaveLength(1);
    expect(outcomes.filter(({ refusal }) => refusal?.[0] === 409)).toHaveLength(2);
  });
});

describe('the id of an edit of a parked sale', () => {
  it('returns the sale for the same edit, and 409 for another one, also with another approval', async () => {
    const { id, version } = await parked();
    const operation = { name: 'editSale', method: 'PUT', path: `${SALES}/${id}` };
    const body = { version, itemizations: [item(900)], label: 'Table 9' };
    await tryRetries(
      operation,
      body,
      [{ itemizations: [item(901)] }, { label: 'Table 8' }, { approval: { id: randomUUID() } }, { version: '1' }],
      ['online', 'online'],
    );
  });
});
