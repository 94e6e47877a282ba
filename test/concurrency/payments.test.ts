import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { realNow } from '../../src/base/clock.js';
import { instant } from '../../src/base/time.js';
import { updateClock } from '../../src/business/merchants/queries.js';
import { changeClock, pollUntil, readClock } from '../support/clock.js';
import type { ApiResponse } from '../support/http.js';
import { repetitions } from '../support/long.js';
import {
  advance,
  approve,
  cancelByKey,
  expectBooksInOrder,
  getPayment,
  getRefund,
  later,
  movementsOf,
  pay,
  paymentBody,
  refund,
  tryToPay,
  tryToRefund,
  usd,
  type WirePayment,
  withoutServer,
} from '../support/payments.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const PATIENCE_MS = 30_000;
/** Enough rounds, because another request is first in each. */
const ROUNDS = repetitions({ usual: 20, long: 60 });
const AT_ONCE = repetitions({ usual: 80, long: 200 });

function times<Made>(count: number, make: (index: number) => Made): Made[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Sends all requests before any response arrives. */
function together<Made>(count: number, send: (index: number) => Promise<Made>): Promise<Made[]> {
  return Promise.all(times(count, send));
}

function codeOf({ body }: ApiResponse): string | undefined {
  return body.errors?.[0]?.code;
}

function statusesOf(answers: readonly ApiResponse[]): number[] {
  return answers.map(({ status }) => status).sort();
}

/**
 * On two servers that share a database: a race must not be safe only because of a lock inside one process. Many requests meet on the same
 * server too, so the races of one server need no run of their own.
 */
describe('payments on two servers', () => {
  let server: TestServer;
  let other: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
    other = await startTestServer({ databaseUrl: server.databaseUrl });
  });
  afterAll(async () => {
    await expectBooksInOrder(server);
    await other.stop();
    await server.stop();
  });

  /** The servers take turns after three requests, so some neighbours are on one server and some on both, whichever request is first. */
  function at(index: number): TestServer {
    return index % 6 < 3 ? server : other;
  }

  const complete = (one: TestServer, { token }: TestMerchant, { id }: WirePayment) =>
    one.call('POST', `/v2/payments/${id}/complete`, { token });
  const cancel = (one: TestServer, { token }: TestMerchant, { id }: WirePayment) =>
    one.call('POST', `/v2/payments/${id}/cancel`, { token });

  interface Books {
    readonly payments: number;
    readonly movements: number;
    readonly keys: number;
  }

  async function countOf({ id }: TestMerchant): Promise<Books | undefined> {
    const [row] = await server.database.sql<Books[]>`
      select
        (select count(*) from payments where merchant_id = ${id}) as payments,
        (select count(*) from movements where merchant_id = ${id}) as movements,
        (select count(*) from idempotency_keys where merchant_id = ${id}) as keys`;
    return row;
  }

  async function sumsOf({ id }: Pick<WirePayment, 'id'>): Promise<{ amount: number; fee: number }> {
    const movements = await movementsOf(server, id);
    const sum = (field: 'amount' | 'fee') => movements.reduce((total, movement) => total + movement[field], 0);
    return { amount: sum('amount'), fee: sum('fee') };
  }

  async function dueUpToNow(merchant: TestMerchant): Promise<number> {
    const { now } = (await server.operator('GET', `/api/sandbox/merchants/${merchant.id}/clock`)).body.clock;
    const [row] = await server.database.sql<{ count: number }[]>`
      select count(*) from due_work where merchant_id = ${merchant.id} and due_at <= ${now}::text::timestamptz`;
    return row?.count ?? -1;
  }

  describe(`${AT_ONCE} simultaneous creates with one key`, () => {
    it.each([
      { title: 'a captured payment', change: {}, status: 200, movements: 1 },
      { title: 'an approved payment', change: { autocomplete: false }, status: 200, movements: 0 },
      { title: 'a decline', change: { source_id: 'cnon:card-nonce-declined' }, status: 400, movements: 0 },
    ])('create $title once, and return it to all', async ({ change, status, movements }) => {
      const merchant = await server.createMerchant();
      const body = paymentBody(change);
      const answers = await together(AT_ONCE, (index) => at(index).call('POST', '/v2/payments', { ...merchant, body }));
      expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([status]));
      expect(new Set(answers.map(({ text }) => withoutServer(text))).size).toBe(1);
      expect(await countOf(merchant)).toEqual({ payments: 1, movements, keys: 1 });
      const fresh = answers.filter(({ headers }) => headers['idempotency-replayed'] === undefined);
      if (status === 200) expect(fresh).toHaveLength(1);
    });
  });

  it('give a key to one of two different requests and refuse the other, every time', async () => {
    const merchant = await server.createMerchant();
    for (const key of times(10, () => randomUUID())) {
      const amounts = [1000, 2000];
      const sent = times(20, (index) => ({
        amount: amounts[index % 2] ?? 0,
        answer: tryToPay(at(index >> 1), merchant, {
          idempotency_key: key,
          amount_money: usd(amounts[index % 2] ?? 0),
        }),
      }));
      const answers = await Promise.all(sent.map(async ({ amount, answer }) => ({ amount, ...(await answer) })));
      const won = answers.find(({ status }) => status === 200);
      expect(won?.body.payment.amount_money.amount).toBe(won?.amount);
      for (const { amount, status, text, body } of answers) {
        expect([amount, status], text).toEqual([amount, amount === won?.amount ? 200 : 400]);
        if (status === 200) expect(body.payment.id).toBe(won?.body.payment.id);
        else expect(body.errors).toMatchObject([{ code: 'IDEMPOTENCY_KEY_REUSED', field: 'idempotency_key' }]);
      }
    }
    expect(await countOf(merchant)).toEqual({ payments: 10, movements: 10, keys: 10 });
  });

  describe('a create and a cancel by its key', () => {
    const LEGAL = {
      COMPLETED: { keyIsTaken: true, movements: ['CHARGE'] },
      CANCELED: { keyIsTaken: false, movements: ['CHARGE', 'REVERSAL'] },
    };

    it(`result in one of the two valid histories, in each of ${ROUNDS} rounds`, async () => {
      const merchant = await server.createMerchant();
      await together(ROUNDS, async (round) => {
        const body = paymentBody();
        const create = () => at(round).call('POST', '/v2/payments', { ...merchant, body });
        const cancelIt = () => cancelByKey(at(round + 1), merchant, body['idempotency_key']);
        const [created, canceled] =
          round % 2 === 0
            ? await Promise.all([create(), cancelIt()])
            : (await Promise.all([cancelIt(), create()])).reverse();
        expect([created?.status, canceled?.status], created?.text).toEqual([200, 200]);
        expect(canceled?.body).toEqual({});

        const { id } = created?.body.payment ?? {};
        const { status } = await getPayment(server, merchant, id);
        expect(Object.keys(LEGAL)).toContain(status);
        const legal = LEGAL[status as keyof typeof LEGAL];
        expect((await movementsOf(server, id)).map(({ kind }) => kind)).toEqual(legal.movements);
        expect((await sumsOf({ id })).amount).toBe(legal.keyIsTaken ? 1000 : 0);
        const again = await create();
        expect(again.body.payment.id === id).toBe(legal.keyIsTaken);
      });
    });

    it('leave at most the last payment when many of both run at once', async () => {
      const merchant = await server.createMerchant();
      await together(12, async (round) => {
        const key = randomUUID();
        const answers = await together(9, (index) =>
          index % 3 === 2
            ? cancelByKey(at(round + index), merchant, key)
            : tryToPay(at(round + index), merchant, { idempotency_key: key }),
        );
        expect(new Set(statusesOf(answers)), answers.map(({ text }) => text).join()).toEqual(new Set([200]));
        const made = new Set<string>(answers.flatMap(({ body }) => (body.payment ? [body.payment.id] : [])));
        const standing: string[] = [];
        for (const id of made) {
          const { status } = await getPayment(server, merchant, id);
          if (status === 'COMPLETED') standing.push(id);
          else expect([status, await sumsOf({ id })]).toEqual(['CANCELED', { amount: 0, fee: 0 }]);
        }
        expect(standing.length).toBeLessThanOrEqual(1);
        const again = await tryToPay(server, merchant, { idempotency_key: key });
        expect(made.has(again.body.payment.id) ? [again.body.payment.id] : []).toEqual(standing);
      });
    });
  });

  describe('50 simultaneous refunds', () => {
    it('refund no more than the payment', async () => {
      const merchant = await server.createMerchant();
      const payment = await pay(server, merchant);
      const answers = await together(50, (index) =>
        tryToRefund(at(index), merchant, payment, { amount_money: usd(70) }),
      );
      const accepted = answers.filter(({ status }) => status === 200);
      expect(accepted).toHaveLength(14); // 14 * 70 <= 1000 < 15 * 70
      for (const answer of answers) if (answer.status !== 200) expect(codeOf(answer)).toBe('REFUND_AMOUNT_INVALID');
      await advance(server, merchant, 'PT1M');
      expect(await getPayment(server, merchant, payment.id)).toMatchObject({ refunded_money: usd(980) });
      expect(await sumsOf(payment)).toMatchObject({ amount: 20 });
    });

    it('are limited to 20', async () => {
      const merchant = await server.createMerchant();
      const payment = await pay(server, merchant);
      const answers = await together(50, (index) =>
        tryToRefund(at(index), merchant, payment, { amount_money: usd(1) }),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
      for (const answer of answers) if (answer.status !== 200) expect(codeOf(answer)).toBe('PAYMENT_NOT_REFUNDABLE');
      expect((await getPayment(server, merchant, payment.id)).refund_ids).toHaveLength(20);
    });

    it('create one refund when they share one key', async () => {
      const merchant = await server.createMerchant({ clock: { frozen: true } });
      const payment = await pay(server, merchant);
      const change = { idempotency_key: randomUUID(), amount_money: usd(70) };
      const answers = await together(50, (index) => tryToRefund(at(index), merchant, payment, change));
      expect(new Set(statusesOf(answers))).toEqual(new Set([200]));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(await getPayment(server, merchant, payment.id)).toMatchObject({ refunded_money: usd(70) });
    });
  });

  describe('complete and cancel at once', () => {
    it(`have exactly one winner in each of ${ROUNDS} rounds`, async () => {
      const merchant = await server.createMerchant();
      const payments = await together(ROUNDS, (round) => approve(at(round), merchant));
      await Promise.all(
        payments.map(async (payment, round) => {
          const send = [complete, cancel];
          if (round % 2 === 1) send.reverse();
          const answers = await Promise.all(send.map((one, index) => one(at(round + index), merchant, payment)));
          expect(statusesOf(answers), answers.map(({ text }) => text).join()).toEqual([200, 400]);
          const [won, lost] = answers[0]?.status === 200 ? answers : [...answers].reverse();
          const { status } = await getPayment(server, merchant, payment.id);
          expect(won?.body.payment.status).toBe(status);
          expect(lost?.body.errors).toMatchObject([{ code: 'BAD_REQUEST', detail: expect.stringContaining(status) }]);
          expect((await sumsOf(payment)).amount).toBe(status === 'COMPLETED' ? 1000 : 0);
        }),
      );
    });

    it('capture once when ten requests complete', async () => {
      const merchant = await server.createMerchant();
      const payment = await approve(server, merchant);
      const answers = await together(10, (index) => complete(at(index), merchant, payment));
      expect(statusesOf(answers)).toEqual([200, ...times(9, () => 400)]);
      expect(await movementsOf(server, payment.id)).toMatchObject([{ kind: 'CHARGE', amount: 1000 }]);
    });
  });

  it(`refund a payment exactly once when a refund meets a cancel by key, in each of ${ROUNDS} rounds`, async () => {
    const merchant = await server.createMerchant();
    const keys = times(ROUNDS, () => randomUUID());
    const payments = await Promise.all(keys.map((key, i) => pay(at(i), merchant, { idempotency_key: key })));
    const refunds = await Promise.all(
      payments.map(async (payment, round) => {
        const [refunded, canceled] = await Promise.all([
          tryToRefund(at(round), merchant, payment, { amount_money: usd(333) }),
          cancelByKey(at(round + 1), merchant, keys[round]),
        ]);
        expect(canceled.status).toBe(200);
        if (refunded.status !== 200) expect(codeOf(refunded)).toBe('PAYMENT_NOT_REFUNDABLE');
        return refunded.status === 200 ? refunded.body.refund.id : undefined;
      }),
    );
    await advance(server, merchant, 'PT1M');
    for (const [round, payment] of payments.entries()) {
      const refundId = refunds[round];
      expect(await getPayment(server, merchant, payment.id)).toMatchObject({ status: 'CANCELED' });
      if (refundId) expect((await getRefund(server, merchant, refundId)).status).toBe('COMPLETED');
      const kinds = (await movementsOf(server, payment.id)).map(({ kind }) => kind).sort();
      expect(kinds).toEqual(['CHARGE', ...(refundId ? ['REFUND'] : []), 'REVERSAL']);
      expect(await sumsOf(payment)).toEqual({ amount: 0, fee: 0 });
    }
  });

  it.each([
    { title: 'complete', send: complete, won: 'COMPLETED', lost: 400 },
    { title: 'cancel', send: cancel, won: 'CANCELED', lost: 400 },
  ])('void an expired payment or let $title win, never both', async ({ send, won, lost }) => {
    await together(4, async (round) => {
      const merchant = await server.createMerchant({ clock: { frozen: round % 2 === 0 } });
      const payments = await together(12, (index) => approve(at(index), merchant));
      // The advance is sent among the others, at another position each time.
      const answers = times(12, () => undefined as Promise<ApiResponse> | undefined);
      const send12 = (from: number, to: number) => {
        for (const [index, payment] of payments.entries())
          if (index >= from && index < to) answers[index] = send(at(round + index), merchant, payment);
      };
      send12(0, round * 3);
      const advanced = server.operator('POST', `/api/sandbox/merchants/${merchant.id}/clock`, { advance: 'P8D' });
      send12(round * 3, 12);
      expect((await advanced).status, (await advanced).text).toBe(200);
      for (const [index, payment] of payments.entries()) {
        const answer = await answers[index];
        expect([200, lost], answer?.text).toContain(answer?.status);
        const { status, updated_at } = await getPayment(server, merchant, payment.id);
        expect(status).toBe(answer?.status === 200 ? won : 'CANCELED');
        if (answer?.status !== 200) expect(updated_at).toBe(later(payment.created_at, 7 * DAY_MS));
        expect((await sumsOf(payment)).amount).toBe(status === 'COMPLETED' ? 1000 : 0);
      }
      expect(await dueUpToNow(merchant)).toBe(0);
    });
  });

  describe('due work', () => {
    async function expectCompletedOnce(merchant: TestMerchant, refundIds: readonly string[]): Promise<void> {
      const rows = await server.database.sql<{ refundId: string; status: string; movements: number }[]>`
        select
          refund_id, status,
          (
            select count(*)
            from movements m
            where m.merchant_id = r.merchant_id and m.refund_id = r.refund_id
          ) as movements
        from refunds r
        where merchant_id = ${merchant.id}
        order by refund_id`;
      const expected = [...refundIds].sort().map((refundId) => ({ refundId, status: 'COMPLETED', movements: 1 }));
      expect(rows.map((row) => ({ ...row }))).toEqual(expected);
    }

    async function refundMany(merchant: TestMerchant): Promise<string[]> {
      const payments = await together(5, (index) => pay(at(index), merchant));
      const refunds = await together(40, (index) =>
        refund(at(index), merchant, payments[index % 5] ?? { id: '' }, { amount_money: usd(10 + index) }),
      );
      return refunds.map(({ id }) => id);
    }

    it('is done once by the workers when it falls due', async () => {
      const merchant = await server.createMerchant();
      const refundIds = await refundMany(merchant);
      const pending = () =>
        server.database.sql`select 1 from refunds where merchant_id = ${merchant.id} and status = 'PENDING'`;
      await pollUntil(pending, ({ length }) => length === 0, PATIENCE_MS);
      await expectCompletedOnce(merchant, refundIds);
    });

    it('is done once when every server advances the clock at the same time', async () => {
      const merchant = await server.createMerchant({ clock: { frozen: true } });
      const refundIds = await refundMany(merchant);
      const answers = await together(4, (index) =>
        at(index).operator('POST', `/api/sandbox/merchants/${merchant.id}/clock`, {
          advance: 'PT1M',
          frozen: index % 2 === 0,
        }),
      );
      expect(statusesOf(answers), answers.map(({ text }) => text).join()).toEqual([200, 200, 200, 200]);
      await expectCompletedOnce(merchant, refundIds);
    });

    it('keeps up with a clock that moves while refunds are made', async () => {
      const merchant = await server.createMerchant();
      const payments = await together(4, (index) => pay(at(index), merchant));
      const refundIds: string[] = [];
      let refunding = 4;
      const refunders = payments.map(async (payment, index) => {
        for (let count = 0; count < 15; count++) {
          const answer = await tryToRefund(at(index + count), merchant, payment, { amount_money: usd(10) });
          expect(answer.status, answer.text).toBe(200);
          refundIds.push(answer.body.refund.id);
        }
        refunding--;
      });
      const mover = async (one: TestServer) => {
        while (refunding > 0) await advance(one, merchant, 'PT2S');
      };
      await Promise.all([...refunders, mover(server), mover(other)]);
      await advance(server, merchant, 'PT1M');
      await expectCompletedOnce(merchant, refundIds);
    });

    it('is done for many merchants whose clocks advance at the same time', async () => {
      const merchants = await together(15, (index) => at(index).createMerchant({ clock: { frozen: true } }));
      const made = await Promise.all(merchants.map((merchant, index) => refundOne(at(index), merchant)));
      await Promise.all(merchants.map((merchant, index) => advance(at(index), merchant, 'PT1M')));
      for (const [index, merchant] of merchants.entries()) await expectCompletedOnce(merchant, [made[index] ?? '']);
    });

    it('is done by the workers when the server that moved a frozen clock was killed', async () => {
      const merchant = await server.createMerchant({ clock: { frozen: true } });
      const payment = await approve(server, merchant);
      const refundId = await refundOne(server, merchant);
      // What a change of the clock commits before it runs the due work. A server that is killed here leaves this state.
      const { now } = await readClock(server, merchant.id);
      const clock = { offsetMs: 0, frozenAt: instant(Date.parse(now) + 8 * DAY_MS) };
      await server.database.statement((tx) =>
        updateClock(tx, merchant.id, { clock, movedAt: realNow(), works: [], overdueRunAt: realNow() }),
      );
      const left = () => dueUpToNow(merchant);
      expect(await pollUntil(left, (due) => due === 0, PATIENCE_MS)).toBe(0);
      await expectCompletedOnce(merchant, [refundId]);
      expect((await getPayment(server, merchant, payment.id)).status).toBe('CANCELED');
    });

    it('is done by the workers when it was created by a server that did not know of a clock change yet', async () => {
      const merchant = await server.createMerchant({ clock: { frozen: true } });
      const before = await approve(other, merchant);
      await changeClock(server, merchant.id, { advance: 'P8D' });
      const after = await approve(other, merchant);
      const left = () => dueUpToNow(merchant);
      expect(await pollUntil(left, (due) => due === 0, PATIENCE_MS)).toBe(0);
      const { status } = await getPayment(server, merchant, after.id);
      expect(status).toBe(after.created_at === before.created_at ? 'CANCELED' : 'APPROVED');
    });

    async function refundOne(one: TestServer, merchant: TestMerchant): Promise<string> {
      return (await refund(one, merchant, await pay(one, merchant))).id;
    }

    it.each([
      { title: 'runs', frozen: false },
      { title: 'stands still', frozen: true },
    ])(
      'leaves nothing behind where delayed payments are made while a clock that $title is moved',
      async ({ frozen }) => {
        const merchant = await server.createMerchant({ clock: { frozen } });
        const made: WirePayment[] = [];
        let moved: Promise<unknown> | undefined;
        await together(6, async (index) => {
          for (let count = 0; count < 15; count++) {
            made.push(await approve(at(index), merchant));
            // The clock moves once, in the middle. The other server learns of it a little later and uses the old time until then.
            if (made.length === 30) moved = changeClock(server, merchant.id, { advance: 'P8D' });
          }
        });
        await moved;

        const left = () => dueUpToNow(merchant);
        expect(await pollUntil(left, (due) => due === 0, PATIENCE_MS)).toBe(0);
        const { now } = (await server.operator('GET', `/api/sandbox/merchants/${merchant.id}/clock`)).body.clock;
        for (const { id, created_at } of made) {
          const { status, updated_at } = await getPayment(server, merchant, id);
          const end = later(created_at, 7 * DAY_MS);
          expect([status, updated_at]).toEqual(end <= now ? ['CANCELED', end] : ['APPROVED', created_at]);
        }
        const waiting = await server.database.sql<{ kind: string; isRight: boolean }[]>`
        select kind, run_at is not distinct from
          case when clock_frozen_at is null then due_at - clock_offset_ms * interval '1 millisecond' end as is_right
        from due_work
        join merchants using (merchant_id)
        where merchant_id = ${merchant.id}`;
        expect(waiting.filter(({ isRight }) => !isRight)).toEqual([]);
      },
    );
  });
});
