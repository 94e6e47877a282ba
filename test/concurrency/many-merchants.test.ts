/** Payments of many merchants that arrive together. On one PostgreSQL they share statements. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ApiResponse } from '../support/http.js';
import { holdLock } from '../support/interleaving.js';
import {
  expectBooksInOrder,
  type Json,
  pay,
  paymentBody,
  tryToPay,
  usd,
  type WirePayment,
} from '../support/payments.js';
import { Receiver, subscribe } from '../support/receiver.js';
import { isCluster, startTestServer, type TestMerchant, type TestServer } from '../support/server.js';

const MERCHANTS = 12;
const PER_MERCHANT = 8;

const texts: string[] = [];
let server: TestServer;
let merchants: TestMerchant[];

beforeAll(async () => {
  server = await startTestServer({ onStatement: (text) => texts.push(text) });
  merchants = [];
  for (let count = 0; count < MERCHANTS; count++) merchants.push(await server.createMerchant());
  await Promise.all(merchants.map((merchant) => pay(server, merchant))); // from now on statements may be shared
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

/** Sends requests of all merchants in turn, before any response arrives. */
function together<Made>(count: number, send: (merchant: TestMerchant, turn: number) => Promise<Made>): Promise<Made[]> {
  const turns = Array.from({ length: count }, (_, turn) => turn);
  return Promise.all(turns.flatMap((turn) => merchants.map((merchant) => send(merchant, turn))));
}

function countShared(): number {
  return texts.filter((text) => text.includes('create_payments_of_merchants')).length;
}

const idOf = ({ body }: ApiResponse): string => body.payment.id;

interface Books {
  readonly merchantId: string;
  readonly payments: number;
  readonly sales: number;
  readonly movements: number;
  readonly works: number;
}

/** For each merchant, how many of these payments it has, with their sales, movements and due work. */
async function booksOf(ids: readonly string[]): Promise<Books[]> {
  return server.database.sql<Books[]>`
    select p.merchant_id, count(*) as payments, count(s.sale_id) as sales, count(m.movement_id) as movements,
      count(w.subject_id) as works
    from payments p
    left join sales s on s.merchant_id = p.merchant_id and s.sale_id = p.sale_id
    left join movements m on m.merchant_id = p.merchant_id and m.payment_id = p.payment_id
    left join due_work w on w.merchant_id = p.merchant_id and w.subject_id = p.payment_id
    where p.payment_id = any (${ids as string[]}::text[])
    group by p.merchant_id`;
}

describe('payments of many merchants', () => {
  it('are all created, each with its own books, in statements that merchants share', async () => {
    texts.length = 0;
    const kinds: Json[] = [
      {},
      { autocomplete: false },
      { source_id: 'cnon:card-nonce-declined' },
      { tip_money: usd(7) },
    ];
    const answers = await together(PER_MERCHANT, (merchant, turn) => tryToPay(server, merchant, kinds[turn % 4]));
    const statuses = (wanted: number) => answers.filter(({ status }) => status === wanted);
    const captured = statuses(200).filter(({ body }) => body.payment.status === 'COMPLETED');
    const approved = statuses(200).filter(({ body }) => body.payment.status === 'APPROVED');
    expect([captured.length, approved.length]).toEqual([MERCHANTS * 4, MERCHANTS * 2]);
    expect(answers.length - statuses(200).length).toBe(MERCHANTS * 2);
    expect(countShared() > 0).toBe(!isCluster);
    expect(await booksOf(captured.map(idOf))).toHaveLength(MERCHANTS);
    for (const books of await booksOf(captured.map(idOf)))
      expect(books).toMatchObject({ payments: 4, sales: 4, movements: 4, works: 0 });
    for (const books of await booksOf(approved.map(idOf)))
      expect(books).toMatchObject({ payments: 2, sales: 0, movements: 0, works: 2 });
    for (const [index, { body }] of answers.entries()) {
      const locationId = body.payment?.location_id;
      if (locationId) expect(merchants[index % MERCHANTS]?.locationIds).toContain(locationId);
    }
  });

  it('are created once for each key, and the same key of another merchant is another key', async () => {
    const body = paymentBody();
    const answers = await together(3, (merchant) =>
      server.call('POST', '/v2/payments', { token: merchant.token, body }),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const ofMerchant = merchants.map((_, at) => answers.filter((_answer, index) => index % MERCHANTS === at));
    expect(ofMerchant.map((own) => new Set(own.map(idOf)).size)).toEqual(merchants.map(() => 1));
    expect(new Set(answers.map(idOf)).size).toBe(MERCHANTS);
    expect(answers.filter(({ headers }) => headers['idempotency-replayed'] !== 'true')).toHaveLength(MERCHANTS);
  });

  it('fail alone', async () => {
    // No request can make the database refuse a payment, so the database gets a rule of its own.
    await server.database.sql.unsafe('alter table payments add constraint refused check (total <> 66613) not valid');
    const [first] = merchants;
    const answers = await together(PER_MERCHANT, (merchant, turn) =>
      tryToPay(server, merchant, { amount_money: usd(merchant === first && turn === 5 ? 66_613 : 1000) }),
    );
    await server.database.sql.unsafe('alter table payments drop constraint refused');
    const failed = answers.flatMap(({ status }, index) => (status === 200 ? [] : [index]));
    expect(failed).toEqual([5 * MERCHANTS]);
    const made = answers.filter(({ status }) => status === 200).map(idOf);
    const counts = (await booksOf(made)).map(({ payments, movements }) => [payments, movements]);
    expect(counts.sort()).toEqual([[7, 7], ...merchants.slice(1).map(() => [8, 8])]);
  });

  it('do not wait for a merchant whose rows are locked', async () => {
    // Few enough that each has its own connection: a statement that is sent behind one that waits would wait too.
    const [locked, ...others] = merchants.slice(0, 4) as [TestMerchant, ...TestMerchant[]];
    const held = await holdLock(server, (tx) => tx`select from merchants where merchant_id = ${locked.id} for update`);
    // A payment that is voided later reads the merchant's clock.
    const approve = (merchant: TestMerchant) => tryToPay(server, merchant, { autocomplete: false });
    const waiting = Promise.all([approve(locked), approve(locked)]);
    const free = await Promise.all(others.map(approve));
    expect(free.map(({ status }) => status)).toEqual([200, 200, 200]);
    await held.untilWaiting(1);
    await held.release();
    expect((await waiting).map(({ status }) => status)).toEqual([200, 200]);
  });

  it('are read together, each by its own merchant only, also if a stored copy is old', async () => {
    const made = await together(2, (merchant) => pay(server, merchant));
    const [first] = made as [WirePayment];
    await server.database.sql`
      update payments set v2_json = '{}', v2_json_version = 0
      where merchant_id = ${merchants[0]?.id ?? ''} and payment_id = ${first.id}`;
    texts.length = 0;
    const idAt = (merchant: TestMerchant, turn: number, shift: number) =>
      made[turn * MERCHANTS + ((merchants.indexOf(merchant) + shift) % MERCHANTS)]?.id ?? '';
    const read = (shift: number) =>
      together(2, (merchant, turn) =>
        server.call('GET', `/v2/payments/${idAt(merchant, turn, shift)}`, { token: merchant.token }),
      );
    const expectOwnOnly = async (): Promise<void> => {
      const [own, ofOthers] = await Promise.all([read(0), read(1)]);
      expect(own.map(({ body }) => body.payment.id)).toEqual(made.map(({ id }) => id));
      expect(own.map(({ body }) => body.payment.status)).toEqual(made.map(() => 'COMPLETED'));
      expect(ofOthers.map(({ status }) => status)).toEqual(made.map(() => 404));
    };
    const isShared = () => texts.some((text) => text.includes('from unnest(') && text.includes('from payments'));
    await expectOwnOnly();
    if (isCluster) return expect(isShared()).toBe(false);
    // Repeated, because on a busy machine requests may come one after the other, and then share no statement.
    await vi.waitUntil(async () => isShared() || (await expectOwnOnly()), { timeout: 60_000 });
  });

  it('are announced to the subscriptions of their own merchant', async () => {
    const receiver = await Receiver.open();
    const [one, two, ...rest] = merchants as [TestMerchant, TestMerchant, ...TestMerchant[]];
    await Promise.all([one, two].map((merchant) => subscribe(server, merchant, receiver.url)));
    texts.length = 0;
    const made = await together(PER_MERCHANT, (merchant) => tryToPay(server, merchant));
    expect(countShared() > 0).toBe(!isCluster);
    const events = await server.database.sql<{ merchantId: string; entityId: string }[]>`
      select merchant_id, entity_id from webhook_events where kind = 'payment.created'`;
    const ownIds = ({ id }: TestMerchant) =>
      made.filter((_, index) => merchants[index % MERCHANTS]?.id === id).map(idOf);
    for (const merchant of [one, two]) {
      const announced = events.filter(({ merchantId }) => merchantId === merchant.id).map(({ entityId }) => entityId);
      expect(announced.sort()).toEqual(ownIds(merchant).sort());
    }
    expect(events.filter(({ merchantId }) => rest.some(({ id }) => id === merchantId))).toEqual([]);
    await receiver.close();
  });
});
