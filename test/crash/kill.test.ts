import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createProxy, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/database/database.js';
import type { Processor } from '../../src/processor/contract.js';
import { pollUntil } from '../support/clock.js';
import {
  expectAgreement,
  type ProcessorAction,
  ProcessorBooks,
  type ProcessorRequest,
} from '../support/faulty-processor.js';
import { callApi } from '../support/http.js';
import { type Place, ServerProcess } from '../support/killed-server.js';
import { isLong } from '../support/long.js';
import {
  expectBooksInOrder,
  getPayment,
  getRefund,
  type Json,
  paymentBody,
  usd,
  type WirePayment,
} from '../support/payments.js';
import { cloneDatabase, OPERATOR_KEY, startTestServer, type TestDatabase, type TestServer } from '../support/server.js';

const PATIENCE_MS = 30_000;

let database: TestDatabase;
let sql: Database;
const children: ServerProcess[] = [];

beforeEach(async () => {
  database = await cloneDatabase();
  sql = openDatabase(database.url, { maxConnections: 1, hasLongTimeouts: true });
});
afterEach(async () => {
  for (const child of children.splice(0)) await child.kill();
  await sql.close();
  await database.drop();
});

async function startProcess(processorUrl?: string): Promise<ServerProcess> {
  const server = await ServerProcess.start(database.url, { processorUrl });
  children.push(server);
  return server;
}

/** The processor over HTTP. It can withhold a response. */
class RemoteProcessor {
  readonly books = new ProcessorBooks();
  readonly arrivals: string[] = [];
  /** Whether it withholds the response to each call, and before or after it acts. */
  silence: 'none' | 'before it is done' | 'after it is done' = 'none';
  readonly #http: Server;

  constructor() {
    this.#http = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const action = (request.url ?? '').slice(1) as ProcessorAction;
      const asked = JSON.parse(Buffer.concat(chunks).toString()) as ProcessorRequest;
      const answer = this.silence === 'before it is done' ? undefined : await this.books.perform(action, asked);
      if (this.silence === 'none') response.end(JSON.stringify({ answer }));
      else this.arrivals.push(action);
    });
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#http.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  /** The same books, for a server in this process. */
  get processor(): Processor {
    const call =
      (action: ProcessorAction) =>
      (request: ProcessorRequest): Promise<never> =>
        this.books.perform(action, request) as Promise<never>;
    return {
      isCertain: () => false,
      authorize: call('authorize'),
      capture: call('capture'),
      void: call('void'),
      refund: call('refund'),
    };
  }
}

/** Forwards requests and withholds the responses. */
class ResponseWithholder {
  /** The status line of each response that was withheld. */
  readonly withheld: string[] = [];
  readonly #proxy;
  readonly #sockets = new Set<Socket>();

  constructor(to: string) {
    const { hostname, port } = new URL(to);
    this.#proxy = createProxy((client) => {
      const upstream = connect(Number(port), hostname);
      for (const socket of [client, upstream]) {
        this.#sockets.add(socket);
        socket.on('error', () => client.destroy());
        socket.on('close', () => client.destroy());
      }
      client.pipe(upstream);
      upstream.once('data', (head: Buffer) => this.withheld.push(head.toString().split('\r\n', 1)[0] ?? ''));
    });
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#proxy.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#proxy.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#proxy.close(resolve));
  }
}

describe('a server with a remote processor, killed while it creates, completes, cancels and refunds', () => {
  let remote: RemoteProcessor;
  let rescuer: TestServer | undefined;
  let withholder: ResponseWithholder | undefined;

  beforeEach(() => {
    remote = new RemoteProcessor();
  });
  afterEach(async () => {
    await withholder?.close();
    await rescuer?.stop();
    await remote.close();
    withholder = undefined;
    rescuer = undefined;
  });

  async function rescue(): Promise<TestServer> {
    rescuer = await startTestServer({ databaseUrl: database.url, processor: remote.processor });
    return rescuer;
  }

  /** Makes the worker's retries due, which normally takes 30 seconds, and waits until no call is open. */
  async function untilResolved(): Promise<void> {
    await sql.sql`update processor_calls set retry_at = now() - interval '1 hour', leased_until = null`;
    await sql.sql`
      update due_work set run_at = now() - interval '1 hour', leased_until = null where run_at is not null`;
    const open = () => sql.sql`
      select payment_id from processor_calls
      union all
      select subject_id from due_work where kind not in ('EXPIRE_PAYMENT', 'CLOSE_DAY', 'ROLL_UP_DAYS')`;
    expect(await pollUntil(open, ({ length }) => length === 0, PATIENCE_MS)).toHaveLength(0);
  }

  interface Step {
    readonly step: string;
    readonly halt?: Place;
    readonly silence?: RemoteProcessor['silence'];
    readonly keep?: boolean;
  }

  /** The steps leave different books: nothing, the act at the processor, or also the outcome at the server. */
  const STEPS: readonly Step[] = [
    { step: 'before the call', halt: 'before the call' },
    { step: 'after the call, before the outcome is written', halt: 'after the call' },
    { step: 'after the outcome is written, before the response', keep: true },
  ];
  /** These leave the same books as the first two steps, because the connection to the processor ends with the process. */
  const OPEN_CALLS: readonly Step[] = [
    { step: 'during the call, before the processor acted', silence: 'before it is done' },
    { step: 'during the call, after the processor acted', silence: 'after it is done' },
  ];

  it.each([...STEPS, ...(isLong ? OPEN_CALLS : [])])('loses nothing and repeats nothing: $step', async (step) => {
    const victim = await startProcess(await remote.open());
    const merchant = await victim.openMerchant({ frozen: true });
    const { token } = merchant;
    const pay = async (change: Json = {}): Promise<WirePayment> =>
      (await victim.call('POST', '/v2/payments', token, paymentBody(change))).body.payment;
    const acknowledged = [await pay(), await pay({ autocomplete: false })];
    const [toComplete, toCancel] = [await pay({ autocomplete: false }), await pay({ autocomplete: false })];
    const toRefund = await pay();
    const refundBody = { idempotency_key: randomUUID(), payment_id: toRefund.id, amount_money: usd(400) };
    const refunded = (await victim.call('POST', '/v2/refunds', token, refundBody)).body.refund;
    const other = step.halt && (await payAtAnother(victim));

    // All requests run at once, and all stop at this step. So does the worker, with the refund of another merchant.
    if (step.halt) await victim.haltAt(step.halt);
    const worker = other && (await refundLater(victim, other));
    if (step.silence) remote.silence = step.silence;
    withholder = step.keep ? new ResponseWithholder(victim.baseUrl) : undefined;
    const url = (await withholder?.open()) ?? victim.baseUrl;
    const send = (path: string, body?: unknown, credential = token) =>
      callApi(url, 'POST', path, { token: credential, body }).then(
        ({ text }) => text,
        () => 'no response',
      );
    const bodies = { captured: paymentBody(), approved: paymentBody({ autocomplete: false }) };
    const sent = [
      send('/v2/payments', bodies.captured),
      send('/v2/payments', bodies.approved),
      send(`/v2/payments/${toComplete.id}/complete`),
      send(`/v2/payments/${toCancel.id}/cancel`),
      send(`/api/sandbox/merchants/${merchant.id}/clock`, { advance: 'PT1M' }, OPERATOR_KEY),
    ];
    const withheld = withholder?.withheld ?? [];
    const arrived = async () => victim.arrivals.length + remote.arrivals.length + withheld.length;
    const expected = sent.length + (worker ? 1 : 0);
    expect(await pollUntil(arrived, (count) => count >= expected, PATIENCE_MS)).toBe(expected);
    await victim.kill();
    expect(withheld).toEqual(withheld.map(() => 'HTTP/1.1 200 OK'));
    expect(await Promise.all(sent)).toEqual(sent.map(() => 'no response'));
    remote.silence = 'none';

    // A retry of one create returns its outcome. The worker finds the outcomes of all others.
    const server = await rescue();
    if (worker) await expectClaimed(server, worker);
    const again = await server.call('POST', '/v2/payments', { token, body: bodies.captured });
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, 'true']);
    expect(again.body.payment.status).toBe('COMPLETED');
    await untilResolved();
    const { payment } = (await server.call('POST', '/v2/payments', { token, body: bodies.approved })).body;
    const statusOf = async ({ id }: { id: string }) => (await getPayment(server, merchant, id)).status;
    expect([
      await statusOf(payment),
      await statusOf(toComplete),
      await statusOf(toCancel),
      (await getRefund(server, merchant, refunded.id)).status,
    ]).toEqual(['APPROVED', 'COMPLETED', 'CANCELED', 'COMPLETED']);
    for (const one of acknowledged)
      expect(await getPayment(server, merchant, one.id)).toMatchObject({ status: one.status });
    const refundedAgain = await server.call('POST', '/v2/refunds', { token, body: refundBody });
    expect(refundedAgain.body.refund.id).toBe(refunded.id);
    if (worker) expect((await getRefund(server, worker, worker.refundId)).status).toBe('COMPLETED');

    const ofWorker = worker ? 1 : 0;
    expect(remote.books.done).toEqual({ authorize: 7 + ofWorker, capture: 1, void: 1, refund: 1 + ofWorker });
    await expectAgreement(sql, remote.books);
    await expectBooksInOrder(server);
  });

  interface Paid {
    readonly id: string;
    readonly token: string;
    readonly paymentId: string;
  }

  async function payAtAnother(victim: ServerProcess): Promise<Paid> {
    const merchant = await victim.openMerchant();
    const { payment } = (await victim.call('POST', '/v2/payments', merchant.token, paymentBody())).body;
    return { ...merchant, paymentId: payment.id };
  }

  interface ClaimedRefund extends Paid {
    readonly refundId: string;
  }

  /** The worker of the server claims it when it is due, in three seconds. */
  async function refundLater(victim: ServerProcess, paid: Paid): Promise<ClaimedRefund> {
    const body = { idempotency_key: randomUUID(), payment_id: paid.paymentId, amount_money: usd(400) };
    const { refund } = (await victim.call('POST', '/v2/refunds', paid.token, body)).body;
    return { ...paid, refundId: refund.id };
  }

  /** The killed server still has the claim: another server finishes the refund only when the claim expires. */
  async function expectClaimed(server: TestServer, { refundId, ...merchant }: ClaimedRefund): Promise<void> {
    const taken = await sql.sql`
      select 1 from due_work where merchant_id = ${merchant.id} and kind = 'FINISH_REFUND' and leased_until > now()`;
    expect(taken).toHaveLength(1);
    expect((await getRefund(server, merchant, refundId)).status).toBe('PENDING');
  }
});

describe('a server killed under load', () => {
  /** PostgreSQL finishes the statement of a client that is gone. */
  const working = () => sql.sql`
    select pid from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and state <> 'idle' and pid <> pg_backend_pid()`;

  it('has every payment that it confirmed, and none twice: with one merchant, then with twelve', async () => {
    const [answered, unanswered] = [new Map<string, string>(), new Map<string, string>()];
    const tokens: string[] = [];
    for (const howMany of isLong ? [1, 1, 12, 12] : [1, 12]) {
      const victim = await startProcess();
      while (tokens.length < howMany) tokens.push((await victim.openMerchant()).token);
      const goal = answered.size + 100; // what counts is what is in flight when it is killed
      let alive = true;
      const clients = Array.from({ length: 16 }, async (_, index) => {
        const token = tokens[index % howMany] ?? '';
        while (alive) {
          const body = paymentBody();
          const key = String(body['idempotency_key']);
          const answer = await victim.call('POST', '/v2/payments', token, body).catch(() => undefined);
          if (answer?.status === 200) answered.set(key, answer.body.payment.id);
          else unanswered.set(key, token);
        }
      });
      await pollUntil(
        async () => answered.size,
        (count) => count >= goal,
        PATIENCE_MS,
      );
      const killed = victim.kill();
      alive = false; // what is in flight now is lost; more attempts would only be refused connections
      await killed;
      await Promise.all(clients);
      expect(answered.size).toBeGreaterThanOrEqual(goal);
      expect(await pollUntil(working, ({ length }) => length === 0, PATIENCE_MS)).toHaveLength(0);
    }

    const rows = await sql.sql<{ key: string; madeId: string; status: string; charges: number }[]>`
      select key, made_id, status, (select count(*) from movements m where m.merchant_id = p.merchant_id and m.payment_id = p.payment_id) as charges
      from idempotency_keys k
      join payments p on p.merchant_id = k.merchant_id and p.payment_id = k.made_id`;
    const made = new Map(rows.map(({ key, madeId }) => [key, madeId]));
    for (const [key, id] of answered) expect([key, made.get(key)]).toEqual([key, id]);
    expect(rows.filter(({ status, charges }) => status !== 'COMPLETED' || charges !== 1)).toEqual([]);
    const [{ count } = { count: -1 }] = await sql.sql<{ count: number }[]>`select count(*) from payments`;
    expect(count).toBe(rows.length);

    // Clients without a response retry: they get the payment that was made, or it is made now.
    const server = await startTestServer({ databaseUrl: database.url });
    try {
      for (const [key, token] of unanswered) {
        const again = await server.call('POST', '/v2/payments', { token, body: paymentBody({ idempotency_key: key }) });
        expect([again.status, again.body.payment.id]).toEqual([200, made.get(key) ?? again.body.payment.id]);
        expect(again.headers['idempotency-replayed']).toBe(made.has(key) ? 'true' : undefined);
      }
      await expectBooksInOrder(server);
    } finally {
      await server.stop();
    }
  });
});
