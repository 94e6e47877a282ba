import { createServer, type Server } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createNetServer,
  type Server as NetServer,
  type Socket,
} from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { METRICS } from '../../../src/metrics/declarations.js';
import { ProcessorUnavailable } from '../../../src/processor/contract.js';
import { simulator } from '../../../src/processor/simulator.js';
import { changeClock, pollUntil } from '../../support/clock.js';
import { scrape } from '../../support/metrics.js';
import { until } from '../../support/process.js';
import { subscribe } from '../../support/receiver.js';
import {
  cloneDatabase,
  startTestServer,
  type TestMerchant,
  type TestServer,
  withServer,
} from '../../support/server.js';
import { accountBody, made } from '../../support/settlements.js';

const METRICS_ON = { metrics: { host: '127.0.0.1', port: 0 } };

let server: TestServer;
let shop: TestMerchant;

beforeAll(async () => {
  server = await startTestServer({ config: METRICS_ON });
  shop = await server.createMerchant();
});

afterAll(() => server.stop());

const pay = (body: Record<string, unknown> = {}) =>
  server.call('POST', '/v2/payments', {
    token: shop.token,
    body: {
      source_id: 'cnon:card-nonce-ok',
      idempotency_key: crypto.randomUUID(),
      amount_money: { amount: 100, currency: 'USD' },
      ...body,
    },
  });

describe('GET /metrics', () => {
  it('serves exactly the declared metrics', async () => {
    expect([...(await scrape(server.metricsUrl)).names].sort()).toEqual(Object.keys(METRICS).sort());
  });

  it('is not on the public port, and serves nothing else', async () => {
    expect((await fetch(`${server.baseUrl}/metrics`)).status).toBe(404);
    expect((await fetch(new URL('/v2/payments', server.metricsUrl))).status).toBe(404);
    expect((await fetch(server.metricsUrl ?? '', { method: 'POST' })).status).toBe(404);
  });

  it('counts requests by operation and status, with their time', async () => {
    const series = (status: number) => `tillhouse_http_requests_total{operation="v2.createPayment",status="${status}"}`;
    const before = await scrape(server.metricsUrl);
    expect((await pay()).status).toBe(200);
    expect((await pay()).status).toBe(200);
    expect((await pay({ source_id: 'cnon:nothing' })).status).toBe(404);
    const after = await scrape(server.metricsUrl);
    const grown = (name: string): number => (after.value(name) ?? 0) - (before.value(name) ?? 0);
    expect(grown(series(200))).toBe(2);
    expect(grown(series(404))).toBe(1);
    expect(grown('tillhouse_http_request_duration_seconds_count{operation="v2.createPayment"}')).toBe(3);
    expect(after.value('tillhouse_http_request_duration_seconds_bucket{le="+Inf",operation="v2.createPayment"}')).toBe(
      after.value('tillhouse_http_request_duration_seconds_count{operation="v2.createPayment"}'),
    );
  });

  it('counts other paths as one operation', async () => {
    const series = 'tillhouse_http_requests_total{operation="none",status="404"}';
    const before = (await scrape(server.metricsUrl)).value(series) ?? 0;
    for (const path of ['/one', '/two', '/three']) await server.call('GET', path);
    expect((await scrape(server.metricsUrl)).value(series)).toBe(before + 3);
  });

  it('counts calls of the processor, gathered statements, and credentials that were found in memory', async () => {
    const before = await scrape(server.metricsUrl);
    await Promise.all(Array.from({ length: 20 }, () => pay()));
    const after = await scrape(server.metricsUrl);
    const grown = (name: string): number => (after.value(name) ?? 0) - (before.value(name) ?? 0);
    expect(grown('tillhouse_processor_call_duration_seconds_count{call="authorize"}')).toBe(20);
    expect(grown('tillhouse_database_gathered_items_total')).toBe(20);
    expect(grown('tillhouse_database_gathered_statements_total')).toBeLessThanOrEqual(20);
    expect(grown('tillhouse_database_statements_total')).toBeGreaterThan(0);
    const lookups = ['hit', 'miss'].map((result) => grown(`tillhouse_credential_lookups_total{result="${result}"}`));
    expect(lookups.reduce((sum, each) => sum + each)).toBe(20);
  });

  it('reports connections, memory, CPU time and the event loop', async () => {
    const now = await scrape(server.metricsUrl);
    expect(now.value('tillhouse_database_up')).toBe(1);
    expect(now.value('tillhouse_database_connections_max')).toBe(10);
    const idle = now.value('tillhouse_database_connections{state="idle"}') ?? 0;
    expect(idle + (now.value('tillhouse_database_connections{state="in_use"}') ?? 0)).toBeGreaterThan(0);
    expect(now.value('tillhouse_process_memory_bytes{kind="resident"}')).toBeGreaterThan(1e6);
    expect(now.value('tillhouse_process_cpu_seconds_total')).toBeGreaterThan(0);
    expect(now.value('tillhouse_event_loop_delay_seconds{quantile="0.99"}')).toBeGreaterThanOrEqual(0);
    expect(now.value('tillhouse_processes')).toBe(1);
    expect(now.value('tillhouse_info{version="0.1.0",mode="sandbox"}')).toBe(1);
  });

  it('counts settlements and other due work, also when a clock is moved', async () => {
    const before = await scrape(server.metricsUrl);
    made(await server.operator('POST', `/api/sandbox/merchants/${shop.id}/bank-accounts`, accountBody()));
    await pay();
    await changeClock(server, shop.id, { advance: 'P2D' });
    const after = await scrape(server.metricsUrl);
    for (const name of ['tillhouse_due_work_done_total{kind="CLOSE_DAY"}', 'tillhouse_settlements_created_total']) {
      expect([name, after.value(name) ?? 0]).toEqual([
        name,
        expect.toSatisfy((now) => now > (before.value(name) ?? 0)),
      ]);
    }
    expect(after.value('tillhouse_due_work_waiting')).toBeDefined();
  });
});

describe('what waits', () => {
  const IN_USE = 'tillhouse_database_connections{state="in_use"}';
  /** Claimed by a server that is gone, so nobody does it for an hour. */
  const CLAIM = "run_at = now() - interval '90 seconds', leased_until = now() + interval '1 hour'";

  it('is counted, with the age of the oldest: due work', async () => {
    await withServer({ config: METRICS_ON }, async (late) => {
      const { id } = await late.createMerchant();
      expect((await scrape(late.metricsUrl)).value('tillhouse_due_work_waiting')).toBe(0);
      await late.database.sql.unsafe(`
        insert into due_work (merchant_id, kind, subject_id, due_at) values ('${id}', 'FINISH_REFUND', 'nothing', now());
        update due_work set ${CLAIM} where subject_id = 'nothing'`);
      const now = await scrape(late.metricsUrl);
      expect(now.value('tillhouse_due_work_waiting')).toBe(1);
      expect(now.value('tillhouse_due_work_oldest_seconds')).toSatisfy((age: number) => age >= 90 && age < 600);
    });
  });

  it('is counted, with the age of the oldest: statements and connections', async () => {
    const busy = (await scrape(server.metricsUrl)).value('tillhouse_database_waiting');
    expect(busy).toBe(0);
    const blocked = await server.database.transaction(async (tx) => {
      await tx.unsafe('lock table merchants in share row exclusive mode');
      // Each is a transaction, which has a connection to itself.
      const requests = Array.from({ length: 12 }, () => server.operator('POST', '/api/sandbox/merchants', {}));
      const now = await pollUntil(
        () => scrape(server.metricsUrl),
        (each) => each.value(IN_USE) === 10 && (each.value('tillhouse_database_waiting') ?? 0) >= 2,
        20_000,
      );
      expect(now.value('tillhouse_database_waiting')).toBeGreaterThanOrEqual(2);
      expect(now.value(IN_USE)).toBe(10);
      expect(now.value('tillhouse_database_up')).toBe(1);
      expect(now.value('tillhouse_http_connections')).toBeGreaterThanOrEqual(12);
      return requests;
    });
    expect((await Promise.all(blocked)).map(({ status }) => status)).toEqual(Array(12).fill(200));
    expect((await scrape(server.metricsUrl)).value('tillhouse_database_waiting')).toBe(0);
  });

  it('delays the event loop measurably', async () => {
    await scrape(server.metricsUrl);
    await sleep(50); // measured between two ticks
    const end = performance.now() + 300;
    while (performance.now() < end);
    await sleep(50);
    const now = await scrape(server.metricsUrl);
    expect(now.value('tillhouse_event_loop_delay_seconds{quantile="1"}')).toBeGreaterThan(0.2);
  });
});

describe('webhooks', () => {
  let receiver: Server;

  beforeAll(async () => {
    receiver = createServer((request, response) => {
      request.resume();
      response.writeHead(500).end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  });

  afterAll(() => receiver.close());

  it('that a receiver refuses are counted, and the receiver is named', async () => {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const { id } = await subscribe(server, shop, url, { event_types: ['payment.created'] });
    await pay();
    await until(async () => {
      const now = await scrape(server.metricsUrl);
      return now.value(`tillhouse_webhook_receiver_failed{subscription="${id}"}`) === 1;
    });
    const now = await scrape(server.metricsUrl);
    expect(now.value('tillhouse_webhook_attempts_total{outcome="http_error"}')).toBe(1);
    expect(now.value('tillhouse_webhook_attempt_duration_seconds_count')).toBe(1);
    expect(now.value('tillhouse_webhook_receivers_failing')).toBe(1);
    expect(now.value('tillhouse_webhook_deliveries_waiting')).toBe(1);
    await server.database.sql`
      update webhook_deliveries
      set created_at = now() - interval '2 hours', run_at = now() - interval '1 hour', leased_until = now() + interval '1 hour'`;
    const later = await scrape(server.metricsUrl);
    expect(later.value('tillhouse_webhook_deliveries_oldest_seconds')).toSatisfy((age: number) => age >= 7200);
  });
});

describe('a processor that does not respond', () => {
  it('is counted, with the call that is open', async () => {
    const processor = {
      ...simulator,
      isCertain: () => false,
      authorize: () => Promise.reject(new ProcessorUnavailable('no answer')),
    };
    await withServer({ config: METRICS_ON, processor }, async (silent) => {
      const { token } = await silent.createMerchant();
      const body = {
        source_id: 'cnon:card-nonce-ok',
        idempotency_key: 'k',
        amount_money: { amount: 100, currency: 'USD' },
      };
      expect((await silent.call('POST', '/v2/payments', { token, body })).status).toBe(503);
      const now = await scrape(silent.metricsUrl);
      expect(now.value('tillhouse_processor_unknown_outcomes_total{call="authorize"}')).toBeGreaterThanOrEqual(1);
      expect(now.value('tillhouse_processor_calls_open')).toBe(1);
    });
  });
});

describe('while PostgreSQL is gone', () => {
  it('the database is reported as down, and nothing is said about what waits in it', async () => {
    const own = await cloneDatabase();
    const proxy = await PostgresProxy.start(own.url);
    await withServer({ config: METRICS_ON, databaseUrl: proxy.url }, async (cut) => {
      await until(async () => (await scrape(cut.metricsUrl)).value('tillhouse_due_work_waiting') === 0);
      proxy.cut();
      await until(async () => (await scrape(cut.metricsUrl)).value('tillhouse_database_up') === 0);
      const down = await scrape(cut.metricsUrl);
      expect(down.value('tillhouse_due_work_waiting')).toBeUndefined();
      expect(down.value('tillhouse_database_connections_lost_total')).toBeGreaterThan(0);
    });
    await own.drop();
  });
});

/** Passes connections on to PostgreSQL until it is cut. */
class PostgresProxy {
  readonly #sockets = new Set<Socket>();
  readonly #server: NetServer;
  readonly #target: URL;

  private constructor(target: URL) {
    this.#target = target;
    this.#server = createNetServer((client) => {
      const server = connect(Number(target.port || 5432), target.hostname);
      for (const [socket, other] of [
        [client, server],
        [server, client],
      ] as const) {
        this.#sockets.add(socket);
        socket.on('error', () => {}).on('close', () => other.destroy());
        socket.pipe(other);
      }
    });
  }

  static async start(url: string): Promise<PostgresProxy> {
    const proxy = new PostgresProxy(new URL(url));
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    const url = new URL(this.#target);
    url.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return url.href;
  }

  cut(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

describe('without --metrics', () => {
  it('nothing is served', async () => {
    await withServer({}, async (plain) => {
      expect(plain.metricsUrl).toBeUndefined();
    });
  });
});
