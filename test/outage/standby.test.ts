/** A server on a primary and its standby: it uses the host that accepts writes, and loses nothing during failover. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OwnPostgres } from '../support/own-postgres.js';
import { newDataDir, run, Server } from '../support/process.js';
import { Wire } from '../support/wire.js';
import { Crowd, expectAway, expectBooksInOrder, ONE_KEY, untilReady, untilReason } from './outage-fixture.js';

let primary: OwnPostgres;
let standby: OwnPostgres;
let url: string;
let server: Server;

beforeAll(async () => {
  primary = await OwnPostgres.make({ synchronous_standby_names: 'second' });
  standby = await primary.makeStandby('second');
  await primary.start();
  await standby.start();
  url = primary.urlAt(`127.0.0.1:${standby.port},127.0.0.1:${primary.port}`);
  const args = ['--database-url', `${url}?target_session_attrs=read-write`, '--demo', 'on'];
  server = await Server.start({ dataDir: await newDataDir(), args, env: ONE_KEY });
});
afterAll(async () => {
  await server.stop();
  await standby.stop();
  await primary.stop('immediate'); // a former primary would wait for its standby
});

function countPayments(database: OwnPostgres): Promise<number> {
  return database.ask(async (sql) => Number((await sql`select count(*) from payments`)[0]?.['count']));
}

it('moves to the promoted standby when the primary dies, with every acknowledged payment', async () => {
  const crowd = await Crowd.start(server);
  await primary.stop('kill');
  await crowd.untilRefused(8);
  await untilReason(server, /read-only/);
  await expectAway(server, /read-only/);
  await standby.ask((sql) => sql`select pg_promote()`);
  await crowd.untilPaid(16);
  await crowd.finish();
  await crowd.expectAllKept();
  await expectBooksInOrder(['--database-url', standby.url]);
});

it('does not return to a former primary that still believes it is the primary', async () => {
  await primary.start();
  const [before, behind] = [await countPayments(standby), await countPayments(primary)];
  const crowd = await Crowd.start(server);
  await standby.ask(
    (sql) => sql`
    select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tillhouse'`,
  );
  await crowd.untilPaid(16);
  await crowd.finish();
  await crowd.expectAllKept();
  expect(await countPayments(standby)).toBe(before + crowd.acknowledged.size);
  expect(await countPayments(primary)).toBe(behind);
});

it('serves reads and refuses writes with 503 while its only host is read-only, and reports it', async () => {
  const wire = await Wire.start(standby.port);
  const single = await Server.start({
    dataDir: await newDataDir(),
    args: ['--database-url', standby.urlAt(`127.0.0.1:${wire.port}`), '--demo', 'on'],
    env: ONE_KEY,
  });
  const { access_token: token } = await single.demo();
  const setReadOnly = (value: 'on' | 'off') =>
    standby.ask(async (sql) => {
      await sql`set default_transaction_read_only = off`;
      await sql.unsafe(`alter system set default_transaction_read_only = ${value}`);
    });
  const reload = () => standby.ask((sql) => sql`select pg_reload_conf()`);
  await setReadOnly('on');
  await reload();
  const body = { first_name: 'Late', last_name: 'Comer' };
  const hire = () => single.call('POST', '/v1/me/employees', { token, body });
  let refused = await hire();
  while (refused.status === 200) {
    await sleep(20);
    refused = await hire();
  }
  expect([refused.status, refused.body.type, refused.headers['retry-after']]).toEqual([
    503,
    'service_unavailable',
    '1',
  ]);
  expect((await single.call('GET', '/v2/employees', { token })).status).toBe(200);
  const ready = await single.call('GET', '/readyz');
  expect([ready.status, ready.body.errors[0].detail]).toEqual([503, 'The database is read-only.']);
  await setReadOnly('off');
  // An attempt to write whose response is lost is not waited for: there are others.
  wire.ambush('tillhouse_tries_writing', 'silence');
  while (wire.ambushesLeft > 0) await sleep(20);
  await reload();
  await untilReady(single);
  expect((await hire()).status).toBe(200);
  await single.stop();
  await wire.stop();
});

it('is refused if its settings request a read-only host', async () => {
  const { code, stderr } = await run(['serve', '--database-url', `${url}?target_session_attrs=standby`]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/target_session_attrs=standby.*use read-write/)]);
});
