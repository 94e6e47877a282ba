/** Stored copies: sales as v1 lists them (decision 0199), and the v2 JSON of payments (decision 0131). */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PAYMENT_PRINTER } from '../../../src/business/payments/copies.js';
import { hasCurrentCopy, updateOldCopies } from '../../../src/business/payments/copy-queries.js';
import { startCopyRenewal } from '../../../src/worker/copies.js';
import { pollUntil } from '../../support/clock.js';
import { runHere } from '../../support/commands.js';
import { callApi } from '../../support/http.js';
import { holdLock } from '../../support/interleaving.js';
import { advance, approve, expectBooksInOrder, getPayment, pay, refund, usd, walk } from '../../support/payments.js';
import { freePort } from '../../support/ports.js';
import {
  FULL_RECEIPT,
  FULL_TENDERS,
  insertRegisterSale,
  type MadeSale,
  priced,
  type WireSale,
} from '../../support/sales.js';
import { startTestServer, type TestMerchant, type TestServer, withServer } from '../../support/server.js';

/** A tender for returned goods is worth its exchanges, and no goods were returned here. */
const TENDERS = FULL_TENDERS.map((tender) =>
  tender.change?.isExchange ? { ...tender, change: { tenderName: 'Coupon' } } : tender,
);

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

describe('copies of sales', () => {
  const START = '2020-02-26T10:15:30.154Z';

  let merchant: TestMerchant;

  beforeEach(async () => {
    merchant = await server.createMerchant({ clock: { now: START, frozen: true } });
  });

  /** Lists twice, because only sales that are listed again have copies. */
  async function listText(query = ''): Promise<string> {
    await listOnce(query);
    return await listOnce(query);
  }

  async function listOnce(query = ''): Promise<string> {
    const answer = await server.call('GET', `/v1/me/payments${query}`, { token: merchant.token });
    expect(answer.status, answer.text).toBe(200);
    return answer.text;
  }

  const list = async (query = ''): Promise<WireSale[]> => JSON.parse(await listText(query));

  async function retrieve(id: string): Promise<WireSale> {
    return (await server.call('GET', `/v1/me/payments/${id}`, { token: merchant.token })).body;
  }

  const countCopies = async () =>
    (await server.database.sql`select from sale_copies where merchant_id = ${merchant.id}`).length;

  /** A mark that only copies have, so a list shows it only if it uses copies. */
  const MARK = '"creator_id":"the copy"';

  async function markCopies(): Promise<void> {
    await server.database.sql`
    update sale_copies
    set v1_json = regexp_replace(v1_json, '"creator_id":"[^"]*"', ${MARK})
    where merchant_id = ${merchant.id}`;
  }

  /** The ids of the sales that are listed from copies. */
  const listCopied = async () =>
    (await list()).filter(({ creator_id }) => creator_id === 'the copy').map(({ id }) => id);

  /** Marked copies would be reported as wrong at the end. */
  const forgetCopies = () => server.database.sql`delete from sale_copies where merchant_id = ${merchant.id}`;

  const ringUp = (): Promise<MadeSale> =>
    insertRegisterSale(server, merchant, { receipt: FULL_RECEIPT, tenders: TENDERS, at: START });

  describe('a list of v1 payments', () => {
    it('is the same from copies as printed, to the byte, in every order and page', async () => {
      await ringUp();
      const { id } = await pay(server, merchant, { note: 'Zwei „Kaffees“ – 咖啡' });
      await refund(server, merchant, { id }, { amount_money: usd(100), reason: 'Öl "verschüttet"' });
      await insertRegisterSale(server, merchant, {
        ...{ receipt: FULL_RECEIPT, tenders: FULL_TENDERS.slice(0, 1), at: START },
      });
      for (const query of ['', '?order=DESC', '?limit=1', '?include_partial=true']) {
        await forgetCopies();
        const printed = await listText(query);
        expect(await listOnce(query)).toBe(printed);
        expect(await countCopies()).toBe(query === '?limit=1' ? 1 : 2);
        expect(await listText(query)).toBe(printed);
        for (const sale of JSON.parse(printed)) expect(sale).toEqual(await retrieve(sale.id));
      }
    });

    it('uses the copies, and prints only sales without one', async () => {
      const [first, second] = [await ringUp(), await ringUp()];
      await list('?limit=1');
      await markCopies();
      const copied = await listCopied();
      expect(copied).toHaveLength(1);
      expect([first.id, second.id]).toContain(copied[0]);
      await forgetCopies();
    });

    it('keeps no copy of a sale that is not paid', async () => {
      await insertRegisterSale(server, merchant, {
        ...{ receipt: FULL_RECEIPT, tenders: FULL_TENDERS.slice(0, 1), at: START },
      });
      expect(await list('?include_partial=true')).toHaveLength(1);
      expect(await countCopies()).toBe(0);
    });

    it('ignores copies of another version of the printer, and replaces them', async () => {
      const { id } = await ringUp();
      await list();
      await markCopies();
      const { sql } = server.database;
      for (const change of [
        sql`update sale_copies set printer = 'another' where merchant_id = ${merchant.id}`,
        // As a server of the version before: it knows only the number.
        sql`update sale_copies set version = 3 where merchant_id = ${merchant.id}`,
      ]) {
        await change;
        expect(await listCopied()).toEqual([]);
        await markCopies();
        expect(await listCopied()).toEqual([id]);
      }
      await forgetCopies();
    });

    it('leaves out a sale that is removed between its two statements, as by a reset', async () => {
      const { id } = await ringUp();
      const free = await insertRegisterSale(server, merchant, { receipt: priced(0), tenders: [], at: START });
      // Only the second statement reads refunds.
      const held = await holdLock(server, async (tx) => {
        await tx`lock table refunds in access exclusive mode`;
        await tx`delete from sales where merchant_id = ${merchant.id} and sale_id = ${free.saleId}`;
      });
      const listing = listOnce();
      await held.untilWaiting(1);
      await held.release();
      expect(JSON.parse(await listing).map((sale: WireSale) => sale.id)).toEqual([id]);
    });

    it('lists a sale that somebody has written with microseconds', async () => {
      const { id, saleId } = await ringUp();
      // In two statements, because a distributed database refuses to compute a time from a column in an update.
      const [later] = await server.database.sql<{ at: string }[]>`
        select (created_at + interval '400 microseconds')::text as at
        from sales
        where merchant_id = ${merchant.id} and sale_id = ${saleId}`;
      await server.database.sql`
        update sales set created_at = ${later?.at ?? ''}::text::timestamptz
        where merchant_id = ${merchant.id} and sale_id = ${saleId}`;
      expect(JSON.parse(await listOnce())).toMatchObject([{ id }]);
    });

    it('keeps no copy of a sale that is listed once', async () => {
      await ringUp();
      await listOnce();
      expect(await countCopies()).toBe(0);
      await listOnce();
      expect(await countCopies()).toBe(1);
    });

    it('keeps each copy once if many list the same sales at the same time', async () => {
      for (let count = 0; count < 10; count++) await ringUp();
      const texts = await Promise.all(
        Array.from({ length: 8 }, (_, index) => listText(index % 2 === 0 ? '?order=ASC' : '?order=DESC')),
      );
      expect(new Set(texts).size).toBe(2);
      expect(await countCopies()).toBe(10);
    });
  });

  describe('a copy is not used any more', () => {
    it.each([
      [
        'a refund',
        async ({ tenderIds }: MadeSale) => {
          await refund(server, merchant, { id: tenderIds[0] ?? '' }, { amount_money: usd(100) });
        },
      ],
      [
        'the end of a refund that was pending',
        async ({ tenderIds }: MadeSale) => {
          await refund(server, merchant, { id: tenderIds[0] ?? '' }, { amount_money: usd(100) });
          await list();
          await markCopies();
          await advance(server, merchant, 'PT1H');
        },
      ],
      [
        'a v1 refund of another tender',
        async ({ id, tenderIds }: MadeSale) => {
          const body = {
            payment_id: tenderIds[1],
            type: 'PARTIAL',
            refunded_money: { amount: -100, currency_code: 'USD' },
          };
          const answer = await server.call('POST', `/v1/${merchant.locationIds[0]}/refunds`, {
            token: merchant.token,
            body: { ...body, reason: 'Cold', request_idempotence_key: id },
          });
          expect(answer.status, answer.text).toBe(200);
        },
      ],
    ])('after %s', async (_, change) => {
      const sale = await ringUp();
      const other = await ringUp();
      await list();
      await markCopies();
      expect(await listCopied()).toHaveLength(2);
      await change(sale);
      expect(await listCopied()).toEqual([other.id]);
      await forgetCopies();
      const [first, second] = [await list(), await list()];
      expect(second).toEqual(first);
      expect(first).toContainEqual(await retrieve(sale.id));
    });

    it('after a payment of an application is refunded, at the same time of a frozen clock', async () => {
      const { id } = await pay(server, merchant);
      await list();
      await markCopies();
      expect(await listCopied()).toEqual([id]);
      await refund(server, merchant, { id }, { amount_money: usd(1) });
      expect(await listCopied()).toEqual([]);
      expect(await list()).toEqual([await retrieve(id)]);
      await forgetCopies();
    });
  });

  it('shows addresses of the server that lists, from copies of any server', async () => {
    const { id } = await ringUp();
    const { id: otherId } = await ringUp();
    await list();
    await markCopies();
    const config = { port: await freePort(), publicUrl: 'https://till.example' };
    await withServer({ databaseUrl: server.databaseUrl, config }, async () => {
      const get = (path: string) => callApi(`http://127.0.0.1:${config.port}`, 'GET', path, { token: merchant.token });
      const retrieved = await get(`/v1/me/payments/${id}`);
      expect(retrieved.body.payment_url).toMatch(/^https:\/\/till\.example\/dashboard\//);
      const other = await get(`/v1/me/payments/${otherId}`);
      const copied = [retrieved, other].map(({ body }) => ({ ...body, creator_id: 'the copy' }));
      expect((await get('/v1/me/payments')).body).toEqual(copied.sort((one, two) => (one.id < two.id ? -1 : 1)));
    });
    await forgetCopies();
  });

  describe('erased data of a buyer', () => {
    const EMAIL = 'kim@example.com';
    const erase = () =>
      runHere([
        ...['buyer', 'erase', '--merchant', merchant.id, '--email', EMAIL],
        ...['--database-url', server.databaseUrl],
      ]);

    it('is in no copy', async () => {
      await pay(server, merchant, { buyer_email_address: EMAIL, note: 'Kim rings twice' });
      const other = await pay(server, merchant);
      expect(await list()).toHaveLength(2);
      expect((await erase()).code).toBe(0);
      const left = await server.database.sql<{ saleId: string; v1Json: string }[]>`
      select sale_id, v1_json from sale_copies where merchant_id = ${merchant.id}`;
      expect(left.map(({ saleId }) => saleId)).toEqual([other.id]);
      expect(await listText()).not.toContain('Kim rings');
      expect(await listText()).not.toContain('Kim rings');
    });

    it('does not come back with a list that was read before', async () => {
      const { id } = await pay(server, merchant, { buyer_email_address: EMAIL, note: 'Kim rings twice' });
      // The list has read the payment, and its copy waits for this lock.
      const held = await holdLock(server, (tx) => tx`lock table sale_copies in share row exclusive mode`);
      const listing = listText();
      await held.untilWaiting(1);
      const erasing = erase();
      await held.untilWaiting(2);
      await held.release();
      expect(await listing).toContain('Kim rings');
      expect((await erasing).code).toBe(0);
      const copies = await server.database.sql<{ v1Json: string }[]>`
      select v1_json from sale_copies where merchant_id = ${merchant.id}`;
      expect(copies.filter(({ v1Json }) => v1Json.includes('Kim rings'))).toEqual([]);
      expect(await list()).toEqual([await retrieve(id)]);
    });
  });
});

describe('copies of payments', () => {
  let merchant: TestMerchant;

  beforeEach(async () => {
    merchant = await server.createMerchant();
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
        coalesce(${hasCurrentCopy(sql)}, false) as is_current
      from payments where merchant_id = ${merchant.id} order by payment_id`),
    ];
  }

  /** As an older version of the program left them: another text, and another version. */
  async function age(version: number | null): Promise<void> {
    const { sql } = server.database;
    await sql`
    update payments
    set v2_json = ${version === null ? null : '{"id":"an older format"}'}, v2_json_version = ${version}, v2_json_printer = null
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

  const renewOnce = (limit: number) => updateOldCopies(server.database, merchant.id, limit);

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
    it('continues where the last one stopped, and reads no payment twice', async () => {
      for (let count = 0; count < 5; count++) await pay(server, merchant);
      await age(0);
      expect(await renewOnce(2)).toBe(true);
      expect((await listCopies()).map(({ isCurrent }) => isCurrent)).toEqual([true, true, false, false, false]);
      expect(await renewOnce(2)).toBe(true);
      expect(await renewOnce(2)).toBe(false);
      expect((await listCopies()).map(({ isCurrent }) => isCurrent)).toEqual([true, true, true, true, true]);
      await server.database.sql`update payments set v2_json_printer = 'older' where merchant_id = ${merchant.id}`;
      expect(await renewOnce(2)).toBe(false);
      expect((await listCopies()).some(({ isCurrent }) => isCurrent)).toBe(false);
      await age(0);
      await renew();
    });

    it('starts again for another printer, and leaves copies of one that came later alone', async () => {
      await pay(server, merchant);
      await age(0);
      await server.database
        .sql`insert into payment_copies (merchant_id, version, printers) values (${merchant.id}, 2, '{older}')`;
      expect(await renewOnce(2)).toBe(false);
      expect((await listCopies()).map(({ isCurrent }) => isCurrent)).toEqual([true]);

      await server.database.sql`update payments set v2_json_printer = 'later' where merchant_id = ${merchant.id}`;
      await server.database
        .sql`update payment_copies set printers = printers || '{later}', renewed_up_to = '' where merchant_id = ${merchant.id}`;
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
      // The renewal waits for the row that records its progress, and the payment changes meanwhile.
      await server.database.sql`insert into payment_copies (merchant_id, version, printers, renewed_up_to)
             values (${merchant.id}, 2, ${[PAYMENT_PRINTER]}, '')`;
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
});
