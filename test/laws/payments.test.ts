import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findBreaches } from '../../src/check/check.js';
import { changeClock, pollUntil } from '../support/clock.js';
import type { ApiResponse } from '../support/http.js';
import { repetitions } from '../support/long.js';
import { cancelByKey, type Json, movementsOf, usd, type WirePayment, walk } from '../support/payments.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';
import {
  type Effect,
  type Expected,
  feeOf,
  type ModelPayment,
  type ModelRefund,
  type NewPayment,
  PaymentModel,
  refundedOf,
  SOURCES,
} from './payment-model.js';

/** fast-check prints it with every failure, together with the path to the shortest failing history. */
const SEED = 20_200_226;
const HISTORIES = repetitions({ usual: 8, long: 100 });
/** Histories of different merchants that run at the same time, so that their requests share statements. */
const AT_ONCE = repetitions({ usual: 8, long: 10 });
/** After so many commands, and at the end, all records are compared. Each command compares the records that it is about. */
const COMPARED_AFTER = repetitions({ usual: 3, long: 1 });
const START = Date.parse('2020-02-26T10:00:00Z');
const PATIENCE_MS = 30_000;

type Command =
  | { readonly kind: 'create'; readonly given: NewPayment }
  | { readonly kind: 'create again'; readonly which: number; readonly changed: boolean }
  | { readonly kind: 'complete' | 'cancel'; readonly which: number }
  | { readonly kind: 'cancel by key'; readonly which: number }
  | { readonly kind: 'refund'; readonly which: number; readonly tenths: number; readonly appFee: number | null }
  | { readonly kind: 'refund again'; readonly which: number }
  | { readonly kind: 'advance'; readonly seconds: number }
  | { readonly kind: 'set a rule'; readonly effect: Effect; readonly times: number }
  | { readonly kind: 'clear the rules' };

const which = fc.nat(1000);
const sourceName = fc.oneof(
  { weight: 6, arbitrary: fc.constant('cnon:card-nonce-ok' as const) },
  { weight: 4, arbitrary: fc.constantFrom(...(Object.keys(SOURCES) as (keyof typeof SOURCES)[])) },
);
const DAY = 24 * 60 * 60;

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      given: fc.record({
        source: sourceName,
        amount: fc.integer({ min: 1, max: 3000 }),
        tip: fc.option(fc.nat(500), { freq: 3 }),
        appFee: fc.option(fc.nat(300), { freq: 2 }),
        autocomplete: fc.constantFrom(true, true, false),
        partial: fc.constantFrom(true, false, false, false, false, false),
      }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('create again' as const), which, changed: fc.boolean() }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constantFrom('complete' as const, 'cancel' as const), which }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel by key' as const), which }) },
  {
    weight: 7,
    arbitrary: fc.record({
      kind: fc.constant('refund' as const),
      which,
      tenths: fc.integer({ min: 1, max: 11 }),
      appFee: fc.option(fc.nat(300), { freq: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('refund again' as const), which }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('advance' as const),
      seconds: fc.constantFrom(2, 60, DAY, 6 * DAY, 7 * DAY, 400 * DAY),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('set a rule' as const),
      effect: fc.constantFrom<Effect>('DECLINE', 'TIME_OUT', 'FAIL_REFUND', 'DELAY'),
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'clear the rules' } as const) },
);

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterEach(async () => expect(await findBreaches(server.database)).toEqual([]));
afterAll(() => server.stop());

/** One merchant's history, applied to the server and to the model. Its clock is frozen unless it is moved. */
class History {
  readonly #merchant: TestMerchant;
  readonly #model = new PaymentModel(START);
  readonly #bodies = new Map<string, Json>();

  constructor(merchant: TestMerchant) {
    this.#merchant = merchant;
  }

  async run(commands: readonly Command[]): Promise<void> {
    for (const [index, each] of commands.entries()) {
      // No two records of a kind are due at the same moment, so the order of due work is known.
      await this.#advance(1);
      await this.#obey(each);
      await this.#keepForLater();
      if (index % COMPARED_AFTER === 0) await this.#compareAll();
    }
    await this.#finish();
  }

  /** The retries of a worker, due after 30 seconds, are delayed until the end of the history. */
  async #keepForLater(): Promise<void> {
    const { id } = this.#merchant;
    const { sql } = server.database;
    await sql`update processor_calls set retry_at = 'infinity' where merchant_id = ${id}`;
    await sql`update due_work set run_at = null where merchant_id = ${id}`;
  }

  async #finish(): Promise<void> {
    await this.#clearRules();
    await server.database.sql`
      update processor_calls set retry_at = '2000-01-01' where merchant_id = ${this.#merchant.id}`;
    const open = () => server.database.sql`select 1 from processor_calls where merchant_id = ${this.#merchant.id}`;
    expect(await pollUntil(open, ({ length }) => length === 0, PATIENCE_MS)).toHaveLength(0);
    this.#model.resolveAll();
    await this.#learnIds();
    await this.#advance(30 * DAY);
    await this.#compareAll();
    expect(this.#model.payments.filter(({ status }) => status === 'APPROVED' || status === undefined)).toEqual([]);
    await this.#compareMovements();
  }

  async #advance(seconds: number): Promise<void> {
    this.#model.advance(seconds * 1000);
    const { now } = await changeClock(server, this.#merchant.id, { advance: `PT${seconds}S` });
    expect(Date.parse(now)).toBe(this.#model.now);
  }

  async #clearRules(): Promise<void> {
    this.#model.rule = undefined;
    await server.operator('DELETE', `/api/sandbox/merchants/${this.#merchant.id}/processor-rules`);
  }

  /** A record whose id is known. */
  #pick(index: number): ModelPayment | undefined {
    const known = this.#model.payments.filter(({ id }) => id !== '');
    return known[index % known.length];
  }

  async #obey(given: Command): Promise<void> {
    switch (given.kind) {
      case 'create':
        return this.#create(given.given);
      case 'create again':
        return this.#createAgain(given);
      case 'complete':
      case 'cancel':
        return this.#move(given);
      case 'cancel by key': {
        const { payments } = this.#model;
        const payment = payments[given.which % payments.length];
        if (!payment) return;
        const expected = this.#model.cancelByKey(payment);
        return expectResponse(await cancelByKey(server, this.#merchant, payment.label), expected);
      }
      case 'refund':
        return this.#refund(given);
      case 'refund again':
        return this.#refundAgain(given);
      case 'advance':
        return this.#advance(given.seconds);
      case 'set a rule': {
        await this.#clearRules();
        const { effect, times } = given;
        this.#model.rule = { effect, remaining: times };
        const rule = { effect, times, ...(effect === 'DELAY' && { delay_ms: 1 }) };
        const path = `/api/sandbox/merchants/${this.#merchant.id}/processor-rules`;
        return expectResponse(await server.operator('POST', path, rule), { status: 200 });
      }
      case 'clear the rules':
        return this.#clearRules();
    }
  }

  #send(path: string, body?: Json): Promise<ApiResponse> {
    return server.call('POST', path, { token: this.#merchant.token, body });
  }

  async #create(given: NewPayment): Promise<void> {
    const label = randomUUID();
    const body = {
      idempotency_key: label,
      reference_id: label,
      source_id: given.source,
      customer_id: 'CUSTOMER',
      amount_money: usd(given.amount),
      ...(given.tip !== null && { tip_money: usd(given.tip) }),
      ...(given.appFee !== null && { app_fee_money: usd(given.appFee) }),
      autocomplete: given.autocomplete,
      accept_partial_authorization: given.partial,
    };
    this.#bodies.set(label, body);
    const { expected, payment } = this.#model.create(label, given);
    const answer = await this.#send('/v2/payments', body);
    expectResponse(answer, expected);
    if (payment) this.#readOutcome(payment, answer);
  }

  /** The outcome, as far as the response shows it. */
  #readOutcome(payment: ModelPayment, { body }: ApiResponse): void {
    if (payment.status === undefined) return;
    payment.id = body.payment.id;
    expectPayment(body.payment, payment);
  }

  async #createAgain({ which: index, changed }: Extract<Command, { kind: 'create again' }>): Promise<void> {
    const holders = this.#model.payments.filter(({ hasKey }) => hasKey);
    const payment = holders[index % holders.length];
    const body = payment && this.#bodies.get(payment.label);
    if (!payment || !body) return;
    if (changed) {
      const answer = await this.#send('/v2/payments', { ...body, note: 'another request' });
      return expectResponse(answer, { status: 400, code: 'IDEMPOTENCY_KEY_REUSED' });
    }
    // The worker would void an approval that arrives after its own expiry, at a moment that the model does not know.
    if (payment.status === undefined) await this.#clearRules();
    const expected = this.#model.createAgain(payment);
    const answer = await this.#send('/v2/payments', body);
    expectResponse(answer, expected);
    if (expected.status === 200) expect(answer.headers['idempotency-replayed']).toBe('true');
    this.#readOutcome(payment, answer);
    await this.#advance(1);
  }

  async #move({ kind, which: index }: { kind: 'complete' | 'cancel'; which: number }): Promise<void> {
    const payment = this.#pick(index);
    if (!payment) return;
    // Whether a used-up rule is still listed depends on the moment.
    if (this.#model.rule?.remaining === 0) await this.#clearRules();
    const expected = this.#model.move(payment, kind === 'complete' ? 'COMPLETE' : 'CANCEL');
    const answer = await this.#send(`/v2/payments/${payment.id}/${kind}`);
    expectResponse(answer, expected);
    if (expected.status === 200) expectPayment(answer.body.payment, payment);
  }

  async #refund({ which: index, tenths, appFee }: Extract<Command, { kind: 'refund' }>): Promise<void> {
    const payment = this.#pick(index);
    if (!payment) return;
    const left = payment.total - refundedOf(payment);
    const amount = Math.max(1, Math.ceil((left * tenths) / 10));
    const key = randomUUID();
    const body = {
      idempotency_key: key,
      payment_id: payment.id,
      amount_money: usd(amount),
      ...(appFee !== null && { app_fee_money: usd(appFee) }),
    };
    this.#bodies.set(key, body);
    const { expected, refund } = this.#model.refund(payment, { key, amount, appFee });
    const answer = await this.#send('/v2/refunds', body);
    expectResponse(answer, expected);
    if (refund) refund.id = answer.body.refund.id;
  }

  async #refundAgain({ which: index }: { which: number }): Promise<void> {
    const refunds = this.#model.payments.flatMap((payment) => payment.refunds);
    const refund = refunds[index % refunds.length];
    if (!refund) return;
    const answer = await this.#send('/v2/refunds', this.#bodies.get(refund.key));
    expectResponse(answer, { status: 200 });
    expect(answer.headers['idempotency-replayed']).toBe('true');
    expectRefund(answer.body.refund, refund);
  }

  /** Expects that every payment and refund matches the model, and that there are no others. */
  async #compareAll(): Promise<void> {
    const pages = await walk(server, this.#merchant, '/v2/payments?begin_time=2013-01-01T00:00:00Z');
    const shown = new Map<string, WirePayment>(
      pages.flatMap(({ body }) => (body.payments ?? []).map((payment: WirePayment) => [payment.id, payment] as const)),
    );
    const known = this.#model.payments.filter(({ id }) => id !== '');
    expect([...shown.keys()].sort()).toEqual(known.map(({ id }) => id).sort());
    for (const payment of known) {
      const found = shown.get(payment.id);
      if (found) expectPayment(found, payment);
    }
    const refundPages = await walk(server, this.#merchant, '/v2/refunds?begin_time=2013-01-01T00:00:00Z');
    const refunds = new Map(
      refundPages.flatMap(({ body }) =>
        (body.refunds ?? []).map((refund: { id: string }) => [refund.id, refund] as const),
      ),
    );
    const expected = known.flatMap((payment) => payment.refunds);
    expect([...refunds.keys()].sort()).toEqual(expected.map(({ id }) => id).sort());
    for (const refund of expected) expectRefund(refunds.get(refund.id), refund);
  }

  /** Payments that were resolved while no request waited for them. */
  async #learnIds(): Promise<void> {
    const rows = await server.database.sql<{ id: string; label: string }[]>`
      select payment_id as id, details ->> 'reference_id' as label
      from payments
      where merchant_id = ${this.#merchant.id}`;
    const ids = new Map(rows.map(({ id, label }) => [label, id]));
    for (const payment of this.#model.payments) payment.id = ids.get(payment.label) ?? 'missing';
  }

  async #compareMovements(): Promise<void> {
    for (const payment of this.#model.payments) {
      const { id, captured, total, given, returned, appFeeReturned } = payment;
      const movements = await movementsOf(server, id);
      const sum = (field: 'amount' | 'fee') => movements.reduce((so, movement) => so + movement[field], 0);
      const fee = feeOf(total);
      const feeReturned = Math.floor((2 * fee * returned + total) / (2 * total));
      const taken = -(fee + (given.appFee ?? 0)) + feeReturned + appFeeReturned;
      expect([id, sum('amount'), sum('fee')]).toEqual([id, captured ? total - returned : 0, captured ? taken : 0]);
      expect(sum('amount')).toBeGreaterThanOrEqual(0);
      expect(sum('fee')).toBeLessThanOrEqual(0);
      expect(refundedOf(payment)).toBeLessThanOrEqual(total);
    }
  }
}

function expectResponse({ status, body, text }: ApiResponse, expected: Expected): void {
  const code = body.errors?.[0]?.code;
  expect({ status, ...(code !== undefined && { code }) }, text).toEqual(expected);
}

function expectPayment(shown: WirePayment, payment: ModelPayment): void {
  const refunded = refundedOf(payment);
  expect({
    id: shown.id,
    status: shown.status,
    amount: shown.amount_money.amount,
    total: shown.total_money.amount,
    refunded: shown.refunded_money?.amount ?? 0,
    refunds: shown.refund_ids ?? [],
    created: Date.parse(shown.created_at),
  }).toEqual({
    id: payment.id,
    status: payment.status,
    amount: payment.amount,
    total: payment.total,
    refunded,
    refunds: payment.refunds.map(({ id }) => id),
    created: payment.createdAt,
  });
}

function expectRefund(shown: unknown, { id, status, amount, createdAt }: ModelRefund): void {
  expect(shown).toMatchObject({ id, status, amount_money: usd(amount), created_at: new Date(createdAt).toISOString() });
}

const history = fc.array(command, { minLength: 15, maxLength: 40, size: 'max' });

async function play(commands: readonly Command[]): Promise<void> {
  const merchant = await server.createMerchant({ clock: { now: '2020-02-26T10:00:00Z', frozen: true } });
  await new History(merchant).run(commands);
}

describe('payments and refunds', () => {
  it('agree with a simple model in every history', async () => {
    await fc.assert(fc.asyncProperty(history, play), { seed: SEED, numRuns: HISTORIES });
  }, 300_000);

  it('agree with it while many merchants have one at the same time', async () => {
    await Promise.all(fc.sample(history, { seed: SEED + 1, numRuns: AT_ONCE }).map(play));
  }, 300_000);

  it.each([
    { title: 'a timeout of every call', effect: 'TIME_OUT' as const },
    { title: 'failing refunds', effect: 'FAIL_REFUND' as const },
  ])('agree with it during $title', async ({ effect }) => {
    const given: NewPayment = {
      source: 'cnon:card-nonce-ok',
      amount: 999,
      tip: 1,
      appFee: 77,
      autocomplete: true,
      partial: false,
    };
    const rule = { kind: 'set a rule', effect, times: 1 } as const;
    const merchant = await server.createMerchant({ clock: { now: '2020-02-26T10:00:00Z', frozen: true } });
    await new History(merchant).run([
      { kind: 'create', given },
      { kind: 'create', given: { ...given, autocomplete: false } },
      rule,
      { kind: 'create', given },
      { kind: 'create again', which: 2, changed: false },
      rule,
      { kind: 'complete', which: 1 },
      { kind: 'cancel', which: 1 },
      { kind: 'refund', which: 0, tenths: 3, appFee: 10 },
      { kind: 'refund', which: 0, tenths: 3, appFee: null },
      rule,
      { kind: 'advance', seconds: 60 },
      { kind: 'cancel by key', which: 0 },
      { kind: 'create again', which: 0, changed: true },
      { kind: 'advance', seconds: 60 },
      { kind: 'refund', which: 0, tenths: 1, appFee: null },
      { kind: 'refund again', which: 0 },
      { kind: 'advance', seconds: 8 * DAY },
    ]);
  });
});
