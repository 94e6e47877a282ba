/** Functions of refunds that are stopped in the middle while something else commits. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { realNow } from '../../src/base/clock.js';
import { realIds } from '../../src/base/ids.js';
import { amount } from '../../src/base/money.js';
import { removeWork } from '../../src/business/due-work/actions.js';
import { reverseOrVoid } from '../../src/business/payments/capture.js';
import type { Payment, Refund } from '../../src/business/payments/model.js';
import { newRefundId, toRefundMovement } from '../../src/business/payments/outcomes.js';
import { findPayment, readPayment } from '../../src/business/payments/queries.js';
import { insertRefunds, moveRefundToCompleted, moveRefundToFailed } from '../../src/business/refunds/moves.js';
import { readRefund } from '../../src/business/refunds/queries.js';
import type { Change } from '../../src/database/change.js';
import { constraintOf } from '../../src/database/constraints.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { changeIn, holdLock } from '../support/interleaving.js';
import {
  cancelByKey,
  expectBooksInOrder,
  getPayment,
  getRefund,
  movementsOf,
  pay,
  refund,
  tryToRefund,
  usd,
} from '../support/payments.js';
import { ensureDefined } from '../support/people.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';

let server: TestServer;
let merchant: TestMerchant;
/** Connections of their own, so that two statements can wait at the same time. */
let one: Database;
let other: Database;

beforeAll(async () => {
  server = await startTestServer();
  [one, other] = [openDatabase(server.databaseUrl), openDatabase(server.databaseUrl)];
});
beforeEach(async () => {
  // With a frozen clock the worker finishes no refund.
  merchant = await server.createMerchant({ frozen: true });
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await Promise.all([one.close(), other.close()]);
  await server.stop();
});

const holdPayment = (id: string) =>
  holdLock(
    server,
    (tx) => tx`select from payments where merchant_id = ${merchant.id} and payment_id = ${id} for update`,
  );

const findModel = async (id: string): Promise<Payment> =>
  ensureDefined(await findPayment(server.database.sql, merchant.id, id));

/** Creates a refund by a change, once or until it has not lost. */
function create(database: Database, payment: Payment, part: number, isRepeated = false): Promise<unknown> {
  const at = payment.updatedAt;
  const made: Refund = {
    ...{ id: newRefundId(realIds, payment.id), paymentId: payment.id, locationId: payment.locationId },
    ...{ status: 'PENDING', sourceType: 'CARD', createdAt: at, updatedAt: at, currency: payment.currency },
    ...{ amount: amount(part), appFee: null, returnedFee: null, orderId: realIds.newId(43), reason: null },
    ...{ origin: 'API', type: 'PARTIAL', leaderId: null, breakdown: null, employeeId: null, accountId: null },
  };
  const work = async (change: Change) => {
    await readPayment(change, payment.id);
    insertRefunds(change, [made], at);
  };
  return isRepeated ? database.change(merchant.id, work) : changeIn(database.sql, merchant.id, work);
}

const refusalIn = (outcome: PromiseSettledResult<unknown> | undefined): unknown =>
  outcome?.status === 'rejected' ? constraintOf(outcome.reason) : undefined;

describe('two refunds that together exceed the payment', () => {
  it('are decided one after the other', async () => {
    const payment = await findModel((await pay(server, merchant, { amount_money: usd(1000) })).id);
    const held = await holdPayment(payment.id);
    const both = Promise.allSettled([create(one, payment, 700, true), create(other, payment, 600, true)]);
    await held.untilWaiting(2);
    await held.release();
    const outcomes = await both;
    expect(outcomes.map(refusalIn).sort()).toEqual(['payments_refunded', undefined]);
    const { refunded_money: refunded, refund_ids: ids } = await getPayment(server, merchant, payment.id);
    expect(refunded).toEqual(usd(outcomes[0]?.status === 'fulfilled' ? 700 : 600));
    expect(ids).toHaveLength(1);
    await expectBooksInOrder(server);
  });

  it('get one refund and one refusal over HTTP', async () => {
    const payment = await pay(server, merchant, { amount_money: usd(1000) });
    const held = await holdPayment(payment.id);
    const both = Promise.all(
      [700, 600].map((part) => tryToRefund(server, merchant, payment, { amount_money: usd(part) })),
    );
    await held.untilWaiting(2);
    await held.release();
    expect((await both).map(({ status }) => status).sort()).toEqual([200, 400]);
    expect((await getPayment(server, merchant, payment.id)).refund_ids).toHaveLength(1);
    await expectBooksInOrder(server);
  });
});

describe('two refunds that fit', () => {
  it('are both added to the sums, and do not wait for each other', async () => {
    const payment = await findModel((await pay(server, merchant, { amount_money: usd(1000) })).id);
    // The lock that the foreign key of another new refund takes stops neither of them.
    const keyed = await holdLock(
      server,
      (tx) => tx`select from payments where merchant_id = ${merchant.id} and payment_id = ${payment.id} for key share`,
    );
    await create(one, payment, 100, true);
    await keyed.release();
    const held = await holdPayment(payment.id);
    const both = Promise.all([create(one, payment, 600, true), create(other, payment, 300, true)]);
    await held.untilWaiting(2);
    await held.release();
    await both;
    expect(await getPayment(server, merchant, payment.id)).toMatchObject({ refunded_money: usd(1000) });
    await expectBooksInOrder(server);
  });
});

describe('a refund and a cancellation of its payment', () => {
  const cancel = (payment: Payment) =>
    changeIn(other.sql, merchant.id, async (change) => {
      await readPayment(change, payment.id);
      await reverseOrVoid(change, { ids: realIds, at: payment.updatedAt, notifyProcessor: false }, payment);
    });

  it('are decided one after the other: the second is refused because the first has changed the payment', async () => {
    for (const isRefundFirst of [true, false]) {
      const payment = await findModel((await pay(server, merchant, { amount_money: usd(1000) })).id);
      const held = await holdPayment(payment.id);
      const steps = [() => create(one, payment, 300), () => cancel(payment)];
      const started: Promise<unknown>[] = [];
      for (const step of isRefundFirst ? steps : steps.toReversed()) {
        started.push(step());
        await held.untilWaiting(started.length);
      }
      const both = Promise.allSettled(started);
      await held.release();
      const [first, second] = await both;
      expect(first?.status).toBe('fulfilled');
      expect(second).toMatchObject({ status: 'rejected', reason: { code: '40001' } });
      await expectBooksInOrder(server);
    }
  });

  it('both succeed or the refund is refused, over HTTP', async () => {
    const key = randomUUID();
    const payment = await pay(server, merchant, { idempotency_key: key, amount_money: usd(1000) });
    const held = await holdPayment(payment.id);
    const both = Promise.all([
      tryToRefund(server, merchant, payment, { amount_money: usd(300) }),
      cancelByKey(server, merchant, key),
    ]);
    await held.untilWaiting(2);
    await held.release();
    const [refunded, canceled] = await both;
    expect(canceled?.status).toBe(200);
    expect([200, 400]).toContain(refunded?.status);
    expect((await getPayment(server, merchant, payment.id)).status).toBe('CANCELED');
    await expectBooksInOrder(server);
  });
});

describe('the outcome of a refund', () => {
  const outcomesOf = async (payment: Payment, id: string) => {
    const at = realNow();
    const record = (database: Database, work: (change: Change, refund: Refund) => void) =>
      database.change(merchant.id, async (change) => {
        const refund = ensureDefined(await readRefund(change, id));
        await readPayment(change, payment.id);
        work(change, refund);
        // The worker does this in the same commit.
        removeWork(change, { kind: 'FINISH_REFUND', subjectId: id });
      });
    return {
      complete: (database: Database) =>
        record(database, (change, refund) => {
          const back = { part: refund.amount, kind: 'REFUND', refundId: id, at, remainingAppFee: null } as const;
          moveRefundToCompleted(change, { refund, at, ...toRefundMovement(realIds, payment, back) });
        }),
      fail: (database: Database) =>
        record(database, (change, refund) =>
          moveRefundToFailed(change, { refund, at, reversal: undefined, processorWork: undefined, blocks: true }),
        ),
    };
  };

  it('is recorded once, whether it completes or fails', async () => {
    const paid = await pay(server, merchant, { amount_money: usd(1000) });
    const { id } = await refund(server, merchant, paid, { amount_money: usd(300) });
    const { complete, fail } = await outcomesOf(await findModel(paid.id), id);
    const held = await holdPayment(paid.id);
    const all = Promise.all([complete(one), complete(other), fail(one)]);
    await held.untilWaiting(3);
    await held.release();
    await all;
    const { status } = await getRefund(server, merchant, id);
    expect(await movementsOf(server, paid.id)).toHaveLength(status === 'COMPLETED' ? 2 : 1);
    await expectBooksInOrder(server);
  });

  it('is added to the sums of the payment beside that of another refund', async () => {
    const paid = await pay(server, merchant, { amount_money: usd(1000) });
    const ids = [
      (await refund(server, merchant, paid, { amount_money: usd(300) })).id,
      (await refund(server, merchant, paid, { amount_money: usd(200) })).id,
    ] as const;
    const payment = await findModel(paid.id);
    const [first, second] = [await outcomesOf(payment, ids[0]), await outcomesOf(payment, ids[1])];
    const held = await holdPayment(paid.id);
    const both = Promise.all([first.complete(one), second.complete(other)]);
    await held.untilWaiting(2);
    await held.release();
    await both;
    expect((await findModel(paid.id)).returned).toBe(500);
  });
});
