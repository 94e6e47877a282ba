/** A database from before there were settlements: what it owes is settled once there is a bank account. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Instant } from '../src/base/time.js';
import { askUntil, changeClock } from './support/clock.js';
import { newOwnerEmail, PASSWORD, signIn } from './support/dashboard.js';
import { openOlderDatabase } from './support/older-database.js';
import { startTestServer, type TestDatabase, type TestServer } from './support/server.js';
import { accountBody, made, settlementsOf } from './support/settlements.js';

let database: TestDatabase;
let server: TestServer;

/** As an older version left it: a merchant, two locations, and a movement at one of them. */
beforeAll(async () => {
  database = await openOlderDatabase(
    '0010',
    `insert into movements (merchant_id, movement_id, location_id, payment_id, kind, currency, amount, fee, occurred_at)
    values ('M1', 'MOVEMENT', 'L1', 'PAYMENT', 'CHARGE', 'USD', 1000, -59, '2019-05-01T12:00Z');`,
  );
  server = await startTestServer({ databaseUrl: database.url });
});
afterAll(async () => {
  await server.stop();
  await database.drop();
});

describe('a database from before there were settlements', () => {
  it('has its locations close their days from now on, and what waited is in the first settlement', async () => {
    const closes = async () => {
      const rows = await server.database.sql<{ place: string; dueAt: Instant }[]>`
        select subject_id as place, due_at from due_work where kind = 'CLOSE_DAY' order by subject_id`;
      return rows.map(({ place, dueAt }) => [place, new Date(dueAt).toISOString()]);
    };
    // The worker passes over the years in which nothing could be settled.
    const expected = [
      ['L1', '2020-02-26T22:00:00.000Z'],
      ['L2', '2020-02-27T08:00:00.000Z'],
    ];
    const isRight = (found: unknown) => JSON.stringify(found) === JSON.stringify(expected);
    expect(await askUntil(closes, isRight, 20_000)).toEqual(expected);

    const token = await server.createToken('M1', ['SETTLEMENTS_READ']);
    const merchant = { id: 'M1', token, locationIds: ['L1', 'L2'] };
    const cookie = await ownerOf('M1');
    made(await server.call('POST', '/api/dashboard/bank-accounts', { headers: { cookie }, body: accountBody() }));
    await changeClock(server, 'M1', { advance: 'P2D' });
    expect(await settlementsOf(server, merchant)).toMatchObject([
      {
        initiated_at: '2020-02-26T22:00:00Z',
        total_money: { amount: 941 },
        entries: [{ type: 'CHARGE', payment_id: 'PAYMENT' }],
      },
    ]);
  });
});

/** Lends the merchant the account of another one's owner, and gives the cookie of a session. */
async function ownerOf(merchantId: string): Promise<string> {
  const email = newOwnerEmail();
  await server.createMerchant({ owner: { email, password: PASSWORD } });
  await server.database.sql`update accounts set merchant_id = ${merchantId} where email = ${email}`;
  return String((await signIn(server, email)).headers['set-cookie']).split(';', 1)[0] ?? '';
}
