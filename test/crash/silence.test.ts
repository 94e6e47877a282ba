/** A processor that does not respond for some merchants: no other merchant waits for it, and no lock is held meanwhile. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { pollUntil } from '../support/clock.js';
import {
  createFaultyProcessor,
  expectAgreement,
  type FaultyProcessor,
  type ProcessorAction,
} from '../support/faulty-processor.js';
import { createStore, place, tryToPay as tryToPayOrder } from '../support/orders.js';
import {
  advance,
  approve,
  cancelByKey,
  expectBooksInOrder,
  expectRefusal,
  getPayment,
  getRefund,
  later,
  movementsOf,
  pay,
  refund,
  tryToPay,
  tryToRefund,
  usd,
  type WirePayment,
  type WireRefund,
} from '../support/payments.js';
import { openBusiness } from '../support/people.js';
import { card, tryToSell } from '../support/register-sales.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';

const PATIENCE_MS = 60_000;
const FROZEN = { clock: { frozen: true } };

let server: TestServer;
let processor: FaultyProcessor;

beforeAll(async () => {
  processor = createFaultyProcessor();
  server = await startTestServer({ processor });
});
afterEach(async () => {
  const left = () => server.database.sql`
    select 1 from processor_calls
    union all
    select 1 from due_work where kind not in ('EXPIRE_PAYMENT', 'CLOSE_DAY', 'ROLL_UP_DAYS')`;
  await pollUntil(left, ({ length }) => length === 0, PATIENCE_MS);
  await expectAgreement(server.database, processor.books);
});
afterAll(async () => {
  await expectBooksInOrder(server); // each test has merchants of its own
  await server.stop();
});

const statusOf = async (of: TestMerchant, { id }: Pick<WireRefund, 'id'>, at = server) =>
  (await getRefund(at, of, id)).status;

async function untilCompleted(of: TestMerchant, made: Pick<WireRefund, 'id'>, at = server): Promise<void> {
  const status = await pollUntil(
    () => statusOf(of, made, at),
    (found) => found === 'COMPLETED',
    PATIENCE_MS,
  );
  expect(status).toBe('COMPLETED');
}

/** Starts a refund call to which the processor does not respond until it is released. */
async function silentRefund(merchant: TestMerchant) {
  const payment = await pay(server, merchant);
  const held = processor.holdNext(merchant.id, 'refund');
  const made = await refund(server, merchant, payment, { amount_money: usd(400) });
  await held.arrived;
  return { payment, made, release: held.release };
}

/** How long after its due time a refund is finished. */
async function delayOfRefund(merchant: TestMerchant): Promise<number> {
  const payment = await pay(server, merchant);
  const made = await refund(server, merchant, payment, { amount_money: usd(400) });
  await untilCompleted(merchant, made);
  return Date.now() - Date.parse(later(made.created_at, 3000));
}

describe('a processor that is silent for 15 seconds', () => {
  it('blocks neither a second refund of the payment nor its cancellation by key', async () => {
    const merchant = await server.createMerchant();
    const key = randomUUID();
    const payment = await pay(server, merchant, { idempotency_key: key });
    const held = processor.holdNext(merchant.id, 'refund');
    const first = await refund(server, merchant, payment, { amount_money: usd(400) });
    await held.arrived;
    const second = await refund(server, merchant, payment, { amount_money: usd(100) });
    const tooMuch = await tryToRefund(server, merchant, payment, { amount_money: usd(501) });
    const refused = { code: 'REFUND_AMOUNT_INVALID', category: 'REFUND_ERROR', field: 'amount_money.amount' };
    expectRefusal(tooMuch, refused);
    expect((await cancelByKey(server, merchant, key)).status).toBe(200);
    expect((await getPayment(server, merchant, payment.id)).status).toBe('CANCELED');
    expect(await statusOf(merchant, first)).toBe('PENDING');
    held.release();
    await untilCompleted(merchant, first);
    await untilCompleted(merchant, second);
    const amounts = (await movementsOf(server, payment.id)).map(({ kind, amount }) => [kind, amount]);
    expect(amounts.sort()).toEqual([
      ['CHARGE', 1000],
      ['REFUND', -100],
      ['REFUND', -400],
      ['REVERSAL', -500],
    ]);
  });

  it('receives no further call for its merchant in the same round, which continues with the others', async () => {
    const impatient = await startTestServer({ databaseUrl: server.databaseUrl, processor, processorTimeLimitMs: 6000 });
    const merchant = await impatient.createMerchant(FROZEN);
    const payment = await pay(impatient, merchant);
    const refunds: WireRefund[] = [];
    for (let times = 0; times < 3; times++) {
      refunds.push(await refund(impatient, merchant, payment, { amount_money: usd(100) }));
    }
    const held = processor.holdNext(merchant.id, 'refund');
    const now = await advance(impatient, merchant, 'P3D');
    expect(processor.asked(merchant.id, 'refund')).toBe(1);
    const { sql } = server.database;
    const closes = await sql<{ late: boolean }[]>`
      select due_at <= ${now}::text::timestamptz as late
      from due_work where merchant_id = ${merchant.id} and kind = 'CLOSE_DAY'`;
    expect(closes.map(({ late }) => late)).toEqual([false]);
    held.release();
    await sql`update due_work set run_at = now() where merchant_id = ${merchant.id} and kind = 'FINISH_REFUND'`;
    for (const made of refunds) await untilCompleted(merchant, made);
    await impatient.stop();
  });

  it('is called by one of two servers only', async () => {
    const second = await startTestServer({ databaseUrl: server.databaseUrl, processor });
    const merchant = await server.createMerchant();
    const other = await server.createMerchant();
    const { made, release } = await silentRefund(merchant);
    // Both servers have looked for work several times by the time that another merchant's is done.
    for (let times = 0; times < 2; times++) await delayOfRefund(other);
    expect(processor.asked(merchant.id, 'refund')).toBe(1);
    release();
    await untilCompleted(merchant, made);
    expect(processor.asked(merchant.id, 'refund')).toBe(1);
    await second.stop();
  });

  it('does not block two clock changes: both wait for the call in flight, and it is done once', async () => {
    const merchant = await server.createMerchant(FROZEN);
    const payment = await pay(server, merchant);
    const made = await refund(server, merchant, payment, { amount_money: usd(400) });
    const held = processor.holdNext(merchant.id, 'refund');
    const moves = [advance(server, merchant, 'PT1M')];
    await held.arrived;
    moves.push(advance(server, merchant, 'PT1M'));
    held.release();
    await Promise.all(moves);
    expect(await getRefund(server, merchant, made.id)).toMatchObject({
      status: 'COMPLETED',
      updated_at: later(made.created_at, 3000),
    });
    expect(processor.asked(merchant.id, 'refund')).toBe(1);
  });
});

describe('a server that is stopped while the processor is silent', () => {
  it('exits immediately, and the next one finishes the refund without waiting', async () => {
    const leaving = await startTestServer({ processor });
    const merchant = await leaving.createMerchant();
    const payment = await pay(leaving, merchant);
    const held = processor.holdNext(merchant.id, 'refund');
    const made = await refund(leaving, merchant, payment);
    await held.arrived;
    const before = processor.books.done.refund;
    const since = performance.now();
    await leaving.stopServer();
    expect(performance.now() - since).toBeLessThan(10_000);
    const left = await leaving.database.sql`
      select leased_until, run_at <= now() as is_due from due_work where kind = 'FINISH_REFUND'`;
    expect(left.map((row) => ({ ...row }))).toEqual([{ leasedUntil: null, isDue: true }]);
    const next = await startTestServer({ databaseUrl: leaving.databaseUrl, processor });
    await untilCompleted(merchant, made, next);
    held.release();
    expect(processor.books.done.refund - before).toBe(1);
    await next.stop();
    await leaving.stop();
    forgetAccounts([payment]);
  });

  it('responds within ten seconds that the outcome is unknown, and the next server finds it', async () => {
    const leaving = await startTestServer({ processor });
    const merchant = await leaving.createMerchant();
    const held = processor.holdNext(merchant.id, 'authorize');
    const idempotency_key = randomUUID();
    const asked = tryToPay(leaving, merchant, { idempotency_key });
    await held.arrived;
    const since = performance.now();
    await leaving.stopServer();
    expect(performance.now() - since).toBeLessThan(10_000);
    expectRefusal(await asked, { status: 503, code: 'TEMPORARY_ERROR', category: 'API_ERROR' });
    held.release();
    const next = await startTestServer({ databaseUrl: leaving.databaseUrl, processor });
    const { payment } = (await tryToPay(next, merchant, { idempotency_key })).body;
    expect(payment.status).toBe('COMPLETED');
    await next.stop();
    await leaving.stop();
    forgetAccounts([payment]);
  });

  /** Removes the payments of the other database from the books, since this database does not know them. */
  function forgetAccounts(payments: readonly Pick<WirePayment, 'id'>[]): void {
    for (const { id } of payments) processor.books.accounts.delete(id);
  }
});

interface Way {
  readonly way: string;
  readonly action: ProcessorAction;
  /** Returns the merchant, and a function that triggers the call. */
  prepare(): Promise<{ readonly merchant: { readonly id: string }; begin(): Promise<unknown> }>;
}

const WAYS: readonly Way[] = [
  {
    way: 'v2.createPayment',
    action: 'authorize',
    async prepare() {
      const merchant = await server.createMerchant();
      return { merchant, begin: () => pay(server, merchant) };
    },
  },
  {
    way: 'v2.completePayment',
    action: 'capture',
    async prepare() {
      const merchant = await server.createMerchant();
      const { id } = await approve(server, merchant);
      return { merchant, begin: () => server.call('POST', `/v2/payments/${id}/complete`, merchant) };
    },
  },
  {
    way: 'v2.cancelPayment',
    action: 'void',
    async prepare() {
      const merchant = await server.createMerchant();
      const { id } = await approve(server, merchant);
      return { merchant, begin: () => server.call('POST', `/v2/payments/${id}/cancel`, merchant) };
    },
  },
  {
    way: "a register's sale",
    action: 'authorize',
    async prepare() {
      const { owner, register } = await openBusiness(server);
      return { merchant: owner.merchant, begin: () => tryToSell(register, { tenders: [card()] }) };
    },
  },
  {
    way: "an online order's payment",
    action: 'authorize',
    async prepare() {
      const store = await createStore(server);
      const order = await place(store);
      return { merchant: store.merchant, begin: () => tryToPayOrder(store, order) };
    },
  },
  {
    way: 'a refund that is due',
    action: 'refund',
    async prepare() {
      const merchant = await server.createMerchant();
      const payment = await pay(server, merchant);
      return { merchant, begin: () => refund(server, merchant, payment) };
    },
  },
  {
    way: 'a refund that becomes due when a clock moves',
    action: 'refund',
    async prepare() {
      const merchant = await server.createMerchant(FROZEN);
      await refund(server, merchant, await pay(server, merchant));
      return { merchant, begin: () => advance(server, merchant, 'PT1M') };
    },
  },
  {
    way: 'an expired payment',
    action: 'void',
    async prepare() {
      const merchant = await server.createMerchant(FROZEN);
      await approve(server, merchant);
      return { merchant, begin: () => advance(server, merchant, 'P8D') };
    },
  },
  ...(
    [
      ['approved', { autocomplete: false }, 'void'],
      ['captured', {}, 'refund'],
    ] as const
  ).map(([state, change, action]) => ({
    way: `the cancelling by key of a payment that is ${state}`,
    action,
    async prepare() {
      const merchant = await server.createMerchant();
      const idempotency_key = randomUUID();
      await pay(server, merchant, { ...change, idempotency_key });
      return { merchant, begin: () => cancelByKey(server, merchant, idempotency_key) };
    },
  })),
];

describe('during a call to the processor', () => {
  it.each(WAYS)('no transaction is open: $way', async ({ action, prepare }) => {
    const { merchant, begin } = await prepare();
    const held = processor.holdNext(merchant.id, action);
    const pending = begin();
    await held.arrived;
    const { sql } = server.database;
    const [moment] = await sql<{ asked: string }[]>`select now()::text as asked`;
    const olderThanTheCall = () => sql`
      select query
      from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and xact_start <= ${moment?.asked ?? ''}::text::timestamptz`;
    expect(await pollUntil(olderThanTheCall, ({ length }) => length === 0, 5000)).toHaveLength(0);
    held.release();
    await pending;
  });
});
