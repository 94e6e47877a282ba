/** Servers whose database becomes unavailable, and what their clients may expect during and after the outage. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { runHere } from '../support/commands.js';
import type { ApiResponse } from '../support/http.js';
import { CARD, usd } from '../support/payments.js';
import { type Server, until } from '../support/process.js';

/** Clients are promised a response within two seconds. The server decides within one, so that a busy machine keeps the promise too. */
export const RESPONSE_TIMEOUT_MS = 2_000;
const STOP_LIMIT_MS = 10_000;

/** Servers on one database have one account key. Each would make one of its own in its data folder. */
export const ONE_KEY = { TILLHOUSE_ACCOUNT_KEY: 'account-key-of-these-servers' };

export interface Timed extends ApiResponse {
  readonly ms: number;
}

export async function timed(asking: Promise<ApiResponse>): Promise<Timed> {
  const since = performance.now();
  const answer = await asking;
  return { ...answer, ms: performance.now() - since };
}

/** Every kind of request gets the same refusal in its own format: unavailable, retry soon. */
export async function expectAway(server: Server, reason: RegExp): Promise<void> {
  const { access_token: token, operator_key: operatorKey, merchant_id: merchantId, dashboard } = await server.demo();
  const post = (path: string, body: unknown, credential?: string) =>
    timed(server.call('POST', path, { body, ...(credential !== undefined && { token: credential }) }));
  const get = (path: string, credential?: string) =>
    timed(server.call('GET', path, credential === undefined ? {} : { token: credential }));
  const listed = Promise.all([
    post('/v2/payments', paymentOf(randomUUID()), token),
    post('/v2/refunds', { idempotency_key: randomUUID(), payment_id: 'any', amount_money: usd(1) }, token),
    get('/v2/employees', token),
    get('/v2/employees', `${token}x`),
    post('/api/sandbox/merchants', { business_name: 'Late' }, operatorKey),
    post(`/api/sandbox/merchants/${merchantId}/clock`, { advance: 'PT1S' }, operatorKey),
    post('/api/dashboard/session', dashboard),
    post('/api/checkout/orders/any/pay', { source_id: CARD }, 'any'),
    post('/api/register/queue', { writes: [] }, 'any'),
    post('/oauth2/token/status', {}, `${token}y`),
  ]);
  const flat = Promise.all([
    get('/v1/me', token),
    post('/oauth2/token', { client_id: 'a', client_secret: 'b', grant_type: 'refresh_token', refresh_token: 'c' }),
  ]);
  const page = get('/oauth2/authorize?client_id=a');
  const [ready, health] = await Promise.all([get('/readyz'), get('/healthz')]);
  for (const { status, body } of await listed) {
    expect([status, body.errors?.[0]?.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  }
  for (const { status, body } of await flat) expect([status, body.type]).toEqual([503, 'service_unavailable']);
  expect((await page).status).toBe(503);
  expect([ready.status, ready.body.errors[0].detail]).toEqual([503, expect.stringMatching(reason)]);
  expect(health.status).toBe(200);
  for (const answer of [...(await listed), ...(await flat), await page, ready]) {
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(answer.ms).toBeLessThan(RESPONSE_TIMEOUT_MS);
  }
  expect(health.ms).toBeLessThan(RESPONSE_TIMEOUT_MS);
}

/** Only the test's timeout limits the wait. */
export async function untilReady(server: Server): Promise<void> {
  while ((await server.call('GET', '/readyz')).status !== 200) await sleep(50);
}

/** Waits until the log has an end of each outage, since lines are written after the response. Returns the number of outages. */
export async function untilEndsAreLogged({ program }: Server): Promise<number> {
  const count = (line: RegExp): number => program.stderr.match(line)?.length ?? 0;
  await until(() => count(/database: connection restored/g) === count(/database: connection lost/g));
  return count(/database: connection lost/g);
}

/** Waits until the server reports it: its knowledge may be a moment old. */
export async function untilReason(server: Server, reason: RegExp): Promise<void> {
  while (!reason.test((await server.call('GET', '/readyz')).body.errors?.[0].detail)) await sleep(50);
}

export async function expectStops(server: Server): Promise<void> {
  const since = performance.now();
  server.program.signal('SIGTERM');
  expect((await server.program.exited).signal, server.program.stderr).toBeNull();
  expect(performance.now() - since).toBeLessThan(STOP_LIMIT_MS);
}

export function paymentOf(key: string) {
  return { idempotency_key: key, source_id: CARD, amount_money: usd(100) };
}

/** The prefix of the idempotency keys of a crowd. */
export const CROWD_KEY = 'crowd-';

/** Between two payments of a client. Without it the clients would use all of the CPU, and pay thousands of times. */
const PAUSE_MS = 10;
/** Before a payment that was refused is tried again. */
const RETRY_MS = 100;

/** Clients that pay. Each retries a payment with its key until it is acknowledged. */
export class Crowd {
  readonly acknowledged = new Map<string, string>();
  /** Unexpected responses, and those that took too long. */
  readonly wrong: unknown[] = [];
  refusals = 0;
  readonly #server: Server;
  readonly #token: string;
  readonly #before: ReadonlySet<string>;
  readonly #clients: Promise<void>[];
  #isOver = false;

  private constructor(server: Server, token: string, before: ReadonlySet<string>, size: number) {
    this.#server = server;
    this.#token = token;
    this.#before = before;
    this.#clients = Array.from({ length: size }, () => this.#client());
    for (const client of this.#clients) client.catch(() => {}); // the caller of the promise receives the error
  }

  static async start(server: Server, size = 8): Promise<Crowd> {
    const { access_token: token } = await server.demo();
    const crowd = new Crowd(server, token, new Set(await listPayments(server, token)), size);
    await crowd.untilPaid(size);
    return crowd;
  }

  async untilPaid(more: number): Promise<void> {
    const goal = this.acknowledged.size + more;
    while (this.acknowledged.size < goal) await sleep(10);
  }

  async untilRefused(more: number): Promise<void> {
    const goal = this.refusals + more;
    while (this.refusals < goal) await sleep(10);
  }

  /** Waits until each client's last payment is acknowledged. */
  async finish(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#clients);
    expect(this.wrong).toEqual([]);
  }

  /** Stops the clients: the server is gone. */
  async giveUp(): Promise<void> {
    this.#isOver = true;
    await Promise.allSettled(this.#clients);
  }

  /** Expects every acknowledged payment exactly once and no other payment: in the end every payment was acknowledged. */
  async expectAllKept(): Promise<void> {
    const made = (await listPayments(this.#server, this.#token)).filter((id) => !this.#before.has(id));
    expect(made.toSorted()).toEqual([...this.acknowledged.values()].toSorted());
    expect(new Set(made).size).toBe(made.length);
  }

  async #client(): Promise<void> {
    while (!this.#isOver) {
      const key = `${CROWD_KEY}${randomUUID()}`;
      while (!(await this.#tryToPay(key))) await sleep(RETRY_MS);
      await sleep(PAUSE_MS);
    }
  }

  async #tryToPay(key: string): Promise<boolean> {
    const body = paymentOf(key);
    const answer = await timed(this.#server.call('POST', '/v2/payments', { token: this.#token, body }));
    if (answer.ms > RESPONSE_TIMEOUT_MS) this.wrong.push(['slow', answer.ms, answer.status]);
    if (answer.status === 200) {
      this.acknowledged.set(key, answer.body.payment.id);
      return true;
    }
    this.refusals += 1;
    const isRight = answer.status === 503 && answer.headers['retry-after'] !== undefined;
    if (!isRight) this.wrong.push([answer.status, answer.text]);
    return !isRight;
  }
}

async function listPayments(server: Server, token: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const query: string = `?limit=100${cursor && `&cursor=${cursor}`}`;
    const { status, body } = await server.call('GET', `/v2/payments${query}`, { token });
    expect(status).toBe(200);
    for (const { id } of body.payments ?? []) ids.push(id);
    cursor = body.cursor;
  }
  return ids;
}

/** Expects that the laws hold in a server's database; the server may still run. */
export async function expectBooksInOrder(where: readonly string[]): Promise<void> {
  const result = await runHere(['check', ...where]);
  expect([result.code, result.stderr], result.stdout).toEqual([0, '']);
}
