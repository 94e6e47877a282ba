/** The stored copy of a payment's v2 JSON: reads are right without one, and the worker renews old ones (decision 0131). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { updateOldCopies } from '../../src/business/payments/copy-queries.js';
import { fn } from '../../src/database/functions.js';
import { startCopyRenewal } from '../../src/worker/copies.js';
import { pollUntil } from '../support/clock.js';
import { holdLock } from '../support/interleaving.js';
import { approve, expectBooksInOrder, getPayment, pay, refund, usd, walk } from '../support/payments.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';

let server: TestServer;
let merchant: TestMerchant;

beforeAll(async () => {
  server = await startTestServer();
});
beforeEach(async () => {
  merchant = await server.createMerchant();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

interface Copy {
  readonly id: string;
  readonly v2Json: string | null;
  readonly isCurrent: boolean;
  readonly updatedAt: number;
}

async function listCopies(): Promise<Copy[]> {
  const { sql } = server.database;
  return [
    ...(await sql<Copy[]>`
      select payment_id as id, v2_json, updated_at,
        coalesce(v2_json_version = ${fn(sql, 'payment_copy_version')}(), false) as is_current
      from payments where merchant_id = ${merchant.id} order by payment_id`),
  ];
}

/** As an older version of the program left them: another text, and another version. */
async function age(version: number | null): Promise<void> {
  const { sql } = server.database;
  await sql`
    update payments
    set v2_json = ${version === null ? null : '{"id":"an older format"}'}, v2_json_version = ${version}
    where merchant_id = ${merchant.id}`;
  await sql`delete from payment_copies where merchant_id = ${merchant.id}`;
}

/** Runs the worker's loop until all copies are current. */
async function renew(): Promise<void> {
  const renewal = startCopyRenewal(server.database, (error) => expect.fail(String(error)));
  const isDone = (copies: readonly Copy[]) => copies.every(({ isCurrent }) => isCurrent);
  const copies = await pollUntil(listCopies, isDone, 10_000);
  await renewal.stop();
  expect(isDone(copies)).toBe(true);
}

const renewOnce = (limit: number) => server.database.statement((tx) => updateOldCopies(tx, merchant.id, limit));

describe.each([
  ['of an older version', 0],
  ['missing, as after a bulk insert', null],
])('a copy that is %s', (_, version) => {
  it('is not read, and is renewed without a change of the payment or an event', async () => {
    const { id } = await pay(server, merchant);
    await refund(server, merchant, { id }, { amount_money: usd(100) });
    await approve(server, merchant);
    const [payment, list, copies] = [
      await getPayment(server, merchant, id),
      (await walk(server, merchant, '/v2/payments')).map(({ text }) => text),
      await listCopies(),
    ];
    const countEvents = async () => (await server.database.sql`select event_id from webhook_events`).length;
    const events = await countEvents();

    await age(version);
    expect(await getPayment(server, merchant, id)).toEqual(payment);
    expect((await walk(server, merchant, '/v2/payments')).map(({ text }) => text)).toEqual(list);

    await renew();
    expect(await listCopies()).toEqual(copies);
    expect(await getPayment(server, merchant, id)).toEqual(payment);
    expect(await countEvents()).toBe(events);
  });
});

describe('the renewal', () => {
  it('goes on where the last one stopped, and reads no payment twice', async () => {
    for (let count = 0; count < 5; count++) await pay(server, merchant);
    await age(0);
    expect(await renewOnce(2)).toBe(true);
    expect((await listCopies()).map(({ isCurrent }) => isCurrent)).toEqual([true, true, false, false, false]);
    expect(await renewOnce(2)).toBe(true);
    expect(await renewOnce(2)).toBe(false);
    expect((await listCopies()).map(({ isCurrent }) => isCurrent)).toEqual([true, true, true, true, true]);
    await server.database.sql`update payments set v2_json_version = 0 where merchant_id = ${merchant.id}`;
    expect(await renewOnce(2)).toBe(false);
    expect((await listCopies()).some(({ isCurrent }) => isCurrent)).toBe(false);
    await age(0);
    await renew();
  });

  it('starts again for a higher version, and leaves copies of a newer program alone', async () => {
    await pay(server, merchant);
    await age(0);
    await server.database.sql`insert into payment_copies (merchant_id, version) values (${merchant.id}, 0)`;
    expect(await renewOnce(2)).toBe(false);
    expect((await listCopies()).map(({ isCurrent }) => isCurrent)).toEqual([true]);

    await server.database.sql`update payments set v2_json_version = 99 where merchant_id = ${merchant.id}`;
    await server.database
      .sql`update payment_copies set version = 99, renewed_up_to = '' where merchant_id = ${merchant.id}`;
    expect(await renewOnce(2)).toBe(false);
    expect((await listCopies()).map(({ isCurrent }) => isCurrent)).toEqual([false]);
    await age(0);
    await renew();
  });

  it('does not wait for a payment that is being changed, nor overwrite it', async () => {
    const [{ id }, other] = [await approve(server, merchant), await approve(server, merchant)];
    await age(0);
    const held = await holdLock(
      server,
      (tx) => tx`select from payments where merchant_id = ${merchant.id} and payment_id = ${id} for update`,
    );
    const completed = server.call('POST', `/v2/payments/${id}/complete`, { token: merchant.token });
    await held.untilWaiting(1);
    expect(await renewOnce(10)).toBe(false);
    expect((await listCopies()).map(({ isCurrent }) => isCurrent)).toEqual([false, true]);
    await held.release();
    expect((await completed).status).toBe(200);
    expect((await listCopies()).map(({ isCurrent }) => isCurrent)).toEqual([true, true]);
    expect((await getPayment(server, merchant, id)).status).toBe('COMPLETED');
    expect((await getPayment(server, merchant, other.id)).status).toBe('APPROVED');
  });

  it('prints what was committed after it began', async () => {
    const { id } = await approve(server, merchant);
    await age(0);
    // The renewal stops at the row that says how far it came, and the payment changes meanwhile.
    await server.database
      .sql`insert into payment_copies (merchant_id, version, renewed_up_to) values (${merchant.id}, 1, '')`;
    const held = await holdLock(
      server,
      (tx) => tx`select from payment_copies where merchant_id = ${merchant.id} for update`,
    );
    const renewed = renewOnce(10);
    await held.untilWaiting(1);
    await server.call('POST', `/v2/payments/${id}/complete`, { token: merchant.token });
    const payment = await getPayment(server, merchant, id);
    await held.release();
    expect(await renewed).toBe(false);
    expect(await getPayment(server, merchant, id)).toEqual(payment);
  });

  it('is done by a server that starts, for merchants that were never visited', async () => {
    const { id } = await pay(server, merchant);
    await age(null);
    const another = await startTestServer({ databaseUrl: server.databaseUrl });
    const copies = await pollUntil(listCopies, ([copy]) => copy?.isCurrent === true, 10_000);
    await another.stop();
    expect(copies).toEqual([expect.objectContaining({ id, isCurrent: true, v2Json: expect.stringContaining(id) })]);
  });
});
