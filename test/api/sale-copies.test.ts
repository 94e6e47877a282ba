/** Copies of sales as v1 lists them: they are used, they are never old, and they keep no erased data (decision 0199). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runHere } from '../support/commands.js';
import { callApi } from '../support/http.js';
import { holdLock } from '../support/interleaving.js';
import { advance, expectBooksInOrder, pay, refund, usd } from '../support/payments.js';
import { freePort } from '../support/ports.js';
import {
  FULL_RECEIPT,
  FULL_TENDERS,
  insertRegisterSale,
  type MadeSale,
  priced,
  type WireSale,
} from '../support/sales.js';
import { startTestServer, type TestMerchant, type TestServer, withServer } from '../support/server.js';

const START = '2020-02-26T10:15:30.154Z';

let server: TestServer;
let merchant: TestMerchant;

beforeAll(async () => {
  server = await startTestServer();
});
beforeEach(async () => {
  merchant = await server.createMerchant({ clock: { now: START, frozen: true } });
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

/** Twice, because only sales that are listed again have copies. */
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

/** Lists show it only if they use copies. */
const MARK = '"creator_id":"the copy"';

async function markCopies(): Promise<void> {
  await server.database.sql`
    update sale_copies
    set v1_json = regexp_replace(v1_json, '"creator_id":"[^"]*"', ${MARK})
    where merchant_id = ${merchant.id}`;
}

/** The ids of the sales that are listed from copies. */
const listCopied = async () => (await list()).filter(({ creator_id }) => creator_id === 'the copy').map(({ id }) => id);

/** They would be wrong copies at the end. */
const forgetCopies = () => server.database.sql`delete from sale_copies where merchant_id = ${merchant.id}`;

const ringUp = (): Promise<MadeSale> =>
  insertRegisterSale(server, merchant, { receipt: FULL_RECEIPT, tenders: FULL_TENDERS, at: START });

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
    await server.database.sql`update sale_copies set version = version + 1 where merchant_id = ${merchant.id}`;
    expect(await listCopied()).toEqual([]);
    await markCopies();
    expect(await listCopied()).toEqual([id]);
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
    await server.database.sql`
      update sales set created_at = created_at + interval '400 microseconds'
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
    expect(await listText()).not.toContain('Kim');
    expect(await listText()).not.toContain('Kim');
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
    expect(await listing).toContain('Kim');
    expect((await erasing).code).toBe(0);
    const copies = await server.database.sql<{ v1Json: string }[]>`
      select v1_json from sale_copies where merchant_id = ${merchant.id}`;
    expect(copies.filter(({ v1Json }) => v1Json.includes('Kim'))).toEqual([]);
    expect(await list()).toEqual([await retrieve(id)]);
  });
});
