/** A server on an external PostgreSQL that becomes unavailable in every way, with paying clients and without. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runHere } from '../support/commands.js';
import { isLong } from '../support/long.js';
import { OwnPostgres } from '../support/own-postgres.js';
import { expectOneLine, newDataDir, Program, run, Server } from '../support/process.js';
import { Wire } from '../support/wire.js';
import {
  CROWD_KEY,
  Crowd,
  expectAway,
  expectBooksInOrder,
  expectStops,
  ONE_KEY,
  paymentOf,
  type Timed,
  timed,
  untilEndsAreLogged,
  untilReady,
  untilReason,
} from './outage-fixture.js';
import { outagesOf } from './outages.js';

const MAX_CONNECTIONS = 30;

let database: OwnPostgres;
let wire: Wire;
let url: string;
let server: Server;

beforeAll(async () => {
  database = await OwnPostgres.make({ max_connections: MAX_CONNECTIONS, superuser_reserved_connections: 0 });
  await database.start();
  wire = await Wire.start(database.port);
  url = database.urlAt(`127.0.0.1:${wire.port}`);
  server = await startServer();
});
afterAll(async () => {
  await wire.become('pass');
  await server.stop();
  await expectBooksInOrder(['--database-url', database.url]); // nothing is ever deleted, so one look after all outages is enough
  await wire.stop();
  await database.stop();
});

async function startServer(): Promise<Server> {
  return Server.start({ dataDir: await newDataDir(), args: ['--database-url', url, '--demo', 'on'], env: ONE_KEY });
}

/** Takes all remaining connections that the database allows. */
async function takeAllConnections(): Promise<() => Promise<void>> {
  const neighbours = Array.from({ length: MAX_CONNECTIONS }, () =>
    postgres(database.url, { max: 1, fetch_types: false, idle_timeout: 0, onnotice: () => {} }),
  );
  await Promise.all(neighbours.map((sql) => sql`select 1`.catch(() => {})));
  return async () => {
    await Promise.all(neighbours.map((sql) => sql.end({ timeout: 0 })));
  };
}

const OUTAGES = outagesOf(() => ({ database, wire }));

describe.each(Object.entries(OUTAGES))('a database that %s', (_, { reason, begin, end }) => {
  it('repeatedly is reported to every request at once, and used again as soon as it is back', async () => {
    for (const seconds of [0.2, 1.5]) {
      await begin();
      await expectAway(server, reason);
      await sleep(seconds * 1000);
      await expectAway(server, reason);
      await end();
      await untilReady(server);
    }
  });

  it('while clients pay loses no acknowledged payment and makes none twice', async () => {
    const crowd = await Crowd.start(server);
    for (let round = 0; round < 2; round++) {
      await begin();
      await crowd.untilRefused(16);
      await end();
      await crowd.untilPaid(16);
    }
    await expectKept(crowd);
  });
});

async function expectKept(crowd: Crowd): Promise<void> {
  await crowd.finish();
  await crowd.expectAllKept();
}

describe('a connection with a payment in flight', () => {
  it.each(['cut', 'silence'] as const)('may be lost (%s): a retry returns the one payment', async (effect) => {
    const crowd = await Crowd.start(server, 4);
    // Every statement that creates the payment contains its key. The text of a statement is sent only when a connection prepares it.
    wire.ambush(CROWD_KEY, effect, 3);
    await crowd.untilRefused(1);
    await crowd.untilPaid(8);
    wire.ambush('', effect, 0);
    await expectKept(crowd);
  });
});

describe('due work', () => {
  it.each([
    ['refund', 'PT1H', 'COMPLETED'],
    ['delayed payment', 'P8D', 'CANCELED'],
  ])(
    'is done by the next move where the database was lost in the middle of it: a %s',
    async (what, advance, outcome) => {
      const { operator_key: operatorKey } = await server.demo();
      const body = { clock: { frozen: true } };
      const { merchant, access_token: token } = (
        await server.call('POST', '/api/sandbox/merchants', { token: operatorKey, body })
      ).body;
      const move = () =>
        timed(
          server.call('POST', `/api/sandbox/merchants/${merchant.id}/clock`, { token: operatorKey, body: { advance } }),
        );
      // The claim is committed, and its response is lost.
      wire.ambush('save_due_work', 'cut');
      let path = '';
      let moved: Timed | undefined;
      while (wire.ambushesLeft > 0) {
        path = await (what === 'refund' ? makeRefund(token) : makeDelayed(token));
        moved = await move();
      }
      expect([moved?.status, moved?.headers['retry-after']]).toEqual([503, '1']);
      const again = await move();
      expect(again.status).toBe(200);
      expect(again.ms).toBeLessThan(10_000); // the claim of the lost attempt would expire after 30 s
      const { body: found } = await server.call('GET', path, { token });
      expect((found.refund ?? found.payment).status).toBe(outcome);
    },
  );
});

async function makeDelayed(token: string): Promise<string> {
  const body = { ...paymentOf(randomUUID()), autocomplete: false };
  const { payment } = (await server.call('POST', '/v2/payments', { token, body })).body;
  return `/v2/payments/${payment.id}`;
}

async function makeRefund(token: string): Promise<string> {
  const { payment } = (await server.call('POST', '/v2/payments', { token, body: paymentOf(randomUUID()) })).body;
  const body = { idempotency_key: randomUUID(), payment_id: payment.id, amount_money: payment.amount_money };
  const { refund } = (await server.call('POST', '/v2/refunds', { token, body })).body;
  return `/v2/refunds/${refund.id}`;
}

describe('a database whose connections are all taken', () => {
  it('serves as many requests as it can: payments continue with the remaining connections', async () => {
    const crowd = await Crowd.start(server, 2);
    const giveBack = await takeAllConnections();
    await crowd.untilPaid(20);
    await giveBack();
    await expectKept(crowd);
  });

  it('is unavailable if the server has no connection left, and back when it gets some', async () => {
    const crowd = await Crowd.start(server, 4);
    await wire.become('refuse');
    const giveBack = await takeAllConnections();
    await wire.become('pass');
    await untilReason(server, /no free connection/);
    await expectAway(server, /no free connection/);
    await crowd.untilRefused(8);
    await giveBack();
    await crowd.untilPaid(8);
    await expectKept(crowd);
  });
});

describe('a database that is slow', () => {
  it('is waited for even if it accepts no new connection: the open ones show that it works', async () => {
    const { access_token: token } = await server.demo();
    const crowd = await Crowd.start(server, 4); // so that there are several
    await crowd.finish();
    await wire.become('stall');
    const asked = await database.ask((sql) =>
      sql.begin(async (tx) => {
        await tx`lock table employees in access exclusive mode`;
        const pending = timed(server.call('GET', '/v2/employees', { token }));
        await sleep(3000);
        return { pending };
      }),
    );
    expect((await asked.pending).status).toBe(200);
    await wire.become('pass');
    await untilReady(server);
  });

  it('is waited for: a request behind a lock gets its response when the lock is released', async () => {
    const { access_token: token } = await server.demo();
    const asked = await database.ask(async (sql) => {
      const asking = await sql.begin(async (tx) => {
        await tx`lock table employees in access exclusive mode`;
        const pending = timed(server.call('GET', '/v2/employees', { token }));
        await sleep(4000);
        return { pending };
      });
      return asking.pending;
    });
    expect(asked.status).toBe(200);
    expect(asked.ms).toBeGreaterThan(3000);
  });

  it('is not reported as unavailable, however much work a busy server has', async () => {
    await untilReady(server);
    await untilEndsAreLogged(server);
  });
});

/**
 * A server that stops sees no difference between a database that is stopped, killed or unreachable: its connections are closed, and it gets
 * no new one.
 */
const SEEN = Object.entries(OUTAGES).filter(([outage]) => isLong || /killed|silent/.test(outage));

describe('a server that receives a signal', () => {
  it.each(SEEN)('while its database %s exits within 10 s', async (_, { begin, end }) => {
    const stopping = await startServer();
    const crowd = await Crowd.start(stopping, 4);
    await begin();
    await crowd.untilRefused(1);
    await expectStops(stopping);
    await crowd.giveUp();
    await end();
  });

  it('at the moment when its database falls silent exits within 10 s', async () => {
    const stopping = await startServer();
    const crowd = await Crowd.start(stopping, 4);
    await wire.become('hang');
    await expectStops(stopping);
    await crowd.giveUp();
    await wire.become('pass');
  });

  it('while requests and its own work wait for a lock exits within 10 s, and responds to the waiting requests', async () => {
    const stopping = await startServer();
    const { access_token: token } = await stopping.demo();
    const asked = await database.ask((sql) =>
      sql.begin(async (tx) => {
        await tx`lock table payments, due_work in access exclusive mode`;
        const waiting = stopping.call('POST', '/v2/payments', { token, body: paymentOf(randomUUID()) });
        const waiters = () => tx`select distinct relation from pg_locks where not granted`;
        while ((await waiters()).length < 2) await sleep(50);
        await expectStops(stopping);
        return waiting;
      }),
    );
    expect([asked.status, asked.headers['retry-after']]).toEqual([503, expect.any(String)]);
  });

  it('while it starts and waits for a lock exits within 10 s', async () => {
    const program = await database.ask((sql) =>
      sql.begin(async (tx) => {
        await tx`lock table schema_migrations in access exclusive mode`;
        const starting = await Program.start(['serve', '--port', '0', '--data-dir', await newDataDir()], {
          env: { DATABASE_URL: url },
        });
        while ((await tx`select from pg_locks where not granted`).length === 0) await sleep(50);
        const since = performance.now();
        starting.signal('SIGTERM');
        await starting.exited;
        expect(performance.now() - since).toBeLessThan(10_000);
        return starting;
      }),
    );
    expect(program.stdout).toBe('');
  });
});

describe('a command', () => {
  it.each([
    ['refuse', /ECONNREFUSED/],
    ['hang', /did not respond in time/],
  ] as const)('on a database that does not respond (%s) reports it in one line', async (behaviour, words) => {
    await wire.become(behaviour);
    const at = ['--database-url', url];
    const others = async () => [await runHere(['migrate', ...at]), await runHere(['check', ...at])];
    const [served, rest] = await Promise.all([run(['serve', '--port', '0', ...at]), others()]);
    await wire.become('pass');
    for (const { code, stderr } of [served, ...rest]) {
      expectOneLine(stderr);
      expect([code, stderr]).toEqual([1, expect.stringMatching(words)]);
    }
  });
});
