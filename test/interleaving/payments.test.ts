/** Functions of payments that are stopped in the middle while something else commits. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { realIds } from '../../src/base/ids.js';
import { recordPaymentOutcome } from '../../src/business/payments/calls.js';
import { insertPayments } from '../../src/business/payments/create-queries.js';
import type { Payment } from '../../src/business/payments/model.js';
import { findPayment, readPayment } from '../../src/business/payments/queries.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { holdLock } from '../support/interleaving.js';
import { approve, expectBooksInOrder, getPayment, movementsOf } from '../support/payments.js';
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
  merchant = await server.createMerchant();
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

describe('create_payments', () => {
  let model: Payment;

  beforeEach(async () => {
    const { id } = await approve(server, merchant);
    model = ensureDefined(await findPayment(server.database.sql, merchant.id, id));
  });

  const keyOf = (key: string) => ({ applicationId: 'A', operation: 'createPayment', key }) as const;

  const toItem = (key: string, merchantId = merchant.id) => {
    const id = realIds.newId(27);
    return { merchantId, payment: { ...model, id, saleId: id }, key: keyOf(key), requestHash: Buffer.from(key) };
  };
  const toItems = (keys: readonly string[]) => keys.map((key) => toItem(key));

  /** Creates a payment for each key, in the order given. Returns the keys of the payments that were created. */
  async function create(database: Database, keys: readonly string[]): Promise<string[]> {
    const created = await database.statement((tx) => insertPayments(tx, toItems(keys)));
    return keys.filter((_, index) => created[index] !== undefined);
  }

  /** Payments with these keys that are not committed yet. */
  const holdKeys = (keys: readonly string[]) => holdLock(server, (tx) => insertPayments(tx, toItems(keys)));

  it('creates one payment for each key when two calls have the same keys in another order', async () => {
    // Each call stops between its own two keys: in the order given, each would then hold the key that the other one needs.
    const held = await holdKeys(['held-1', 'held-2']);
    const both = Promise.all([create(one, ['x', 'held-1', 'y']), create(other, ['y', 'held-2', 'x'])]);
    await held.untilWaiting(2);
    await held.release();
    expect((await both).flat().sort()).toEqual(['x', 'y']);
    const { sql } = server.database;
    const rows = await sql`
      select key from payments
      join idempotency_keys on idempotency_keys.merchant_id = payments.merchant_id and made_id = payment_id
      where payments.merchant_id = ${merchant.id} and key in ('x', 'y')`;
    expect(rows).toHaveLength(2);
  });

  it('writes nothing for a key that is taken while it waits for it, and everything for the others', async () => {
    const held = await holdKeys(['b']);
    const created = create(one, ['a', 'b', 'c']);
    await held.untilWaiting(1);
    await held.release();
    expect(await created).toEqual(['a', 'c']);
    const { sql } = server.database;
    expect(await sql`select payment_id from payments where merchant_id = ${merchant.id}`).toHaveLength(4);
    expect(
      await sql`select subject_id from due_work where merchant_id = ${merchant.id} and kind = 'EXPIRE_PAYMENT'`,
    ).toHaveLength(4);
  });

  it('does not let other merchants wait for the key of one', async () => {
    const others = [await server.createMerchant(), await server.createMerchant()];
    const create = (key: string, { id }: TestMerchant = merchant) => one.batched(insertPayments, toItem(key, id));
    await create('first'); // from now on it is known whether merchants may share statements
    const held = await holdKeys(['held']);
    // They share a statement: three are in flight before.
    const before = Promise.all(['1', '2', '3'].map((key) => create(key)));
    const waiting = create('held');
    const free = others.map((other) => create('held', other));
    expect((await Promise.all(free)).map((created) => created !== undefined)).toEqual([true, true]);
    expect(await before).not.toContain(undefined);
    await held.untilWaiting(1);
    await held.release();
    expect(await waiting).toBeUndefined();
  });
});

describe('complete_payment and cancel_payment', () => {
  it('decide a payment once', async () => {
    const { id } = await approve(server, merchant);
    const held = await holdPayment(id);
    const both = Promise.all(
      ['complete', 'cancel'].map((action) =>
        server.call('POST', `/v2/payments/${id}/${action}`, { token: merchant.token }),
      ),
    );
    await held.untilWaiting(2);
    await held.release();
    const answers = await both;
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    const [completed] = answers;
    expect((await getPayment(server, merchant, id)).status).toBe(completed?.status === 200 ? 'COMPLETED' : 'CANCELED');
    expect(await movementsOf(server, id)).toHaveLength(completed?.status === 200 ? 1 : 0);
    await expectBooksInOrder(server);
  });

  it('complete a payment once', async () => {
    const { id } = await approve(server, merchant);
    const held = await holdPayment(id);
    const both = Promise.all(
      [1, 2].map(() => server.call('POST', `/v2/payments/${id}/complete`, { token: merchant.token })),
    );
    await held.untilWaiting(2);
    await held.release();
    expect((await both).map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(await movementsOf(server, id)).toHaveLength(1);
    await expectBooksInOrder(server);
  });
});

describe('record_payment_outcome', () => {
  it('refuses a payment that has an outcome', async () => {
    const { id } = await approve(server, merchant);
    const payment = ensureDefined(await findPayment(server.database.sql, merchant.id, id));
    const recording = one.change(merchant.id, async (change) => {
      await readPayment(change, id);
      recordPaymentOutcome(change, payment, undefined);
    });
    await expect(recording).rejects.toThrow(/^payment_state: /);
  });
});
