/** Load on a proxy: clients that pay and read over connections that stay open and over new ones, and an owner who watches. */
import { randomUUID } from 'node:crypto';
import { Agent } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { ChangeReader } from './change-stream.js';
import { type ApiResponse, type CallOptions, callApi } from './http.js';
import { paymentBody } from './payments.js';

/** Between two requests of a client. Without it the clients would use all of the CPU. */
const PAUSE_MS = 15;
/** Before a payment without a response is sent again. */
const RETRY_MS = 100;

export interface Failed {
  readonly method: string;
  readonly path: string;
  /** The status, or the code of the error if the connection broke. */
  readonly status: number | string;
}

export class Shoppers {
  /** The ids of acknowledged payments by their key. */
  readonly paid = new Map<string, string>();
  readonly failed: Failed[] = [];
  requests = 0;
  /** How often the stream of changes was opened. */
  streams = 0;
  changes = 0;
  readonly #baseUrl: string;
  readonly #token: string;
  readonly #work: Promise<unknown>[];
  #stream: ChangeReader | undefined;
  #isOver = false;

  constructor(baseUrl: string, { token, cookie }: { readonly token: string; readonly cookie: string }) {
    this.#baseUrl = baseUrl;
    this.#token = token;
    const open = Array.from({ length: 4 }, () => this.#payAndRead(new Agent({ keepAlive: true, maxSockets: 1 })));
    const anew = Array.from({ length: 2 }, () => this.#payAndRead(new Agent({ keepAlive: false })));
    this.#work = [...open, ...anew, this.#watch(cookie)];
    for (const each of this.#work) each.catch(() => {}); // `finish` reports it
  }

  async untilPaid(more: number): Promise<void> {
    const goal = this.paid.size + more;
    while (this.paid.size < goal && !this.#isOver) await sleep(20);
  }

  /** Waits until each client's last payment is acknowledged. */
  async finish(): Promise<void> {
    this.#isOver = true;
    this.#stream?.close();
    await Promise.all(this.#work);
  }

  async #payAndRead(agent: Agent): Promise<void> {
    while (!this.#isOver) {
      const idempotency_key = randomUUID();
      let made = await this.#call('POST', '/v2/payments', agent, paymentBody({ idempotency_key }));
      while (made === undefined) {
        await sleep(RETRY_MS);
        made = await this.#call('POST', '/v2/payments', agent, paymentBody({ idempotency_key }));
      }
      const { id } = made.body.payment;
      this.paid.set(idempotency_key, id);
      await sleep(PAUSE_MS);
      await this.#call('GET', `/v2/payments/${id}`, agent);
      await sleep(PAUSE_MS);
    }
    agent.destroy();
  }

  async #call(method: string, path: string, agent: Agent, body?: unknown): Promise<ApiResponse | undefined> {
    this.requests += 1;
    const options: CallOptions = { token: this.#token, agent, ...(body !== undefined && { body }) };
    try {
      const answer = await callApi(this.#baseUrl, method, path, options);
      if (answer.status === 200) return answer;
      this.#fail(method, path, answer.status);
    } catch (error) {
      this.#fail(method, path, (error as NodeJS.ErrnoException).code ?? String(error));
    }
    return undefined;
  }

  #fail(method: string, path: string, status: number | string): void {
    this.failed.push({ method, path, status });
  }

  /** Opens the stream again when it ends, as a browser does. */
  async #watch(cookie: string): Promise<void> {
    while (!this.#isOver) {
      try {
        this.#stream = await ChangeReader.open(this.#baseUrl, cookie);
        this.streams += 1;
        if (this.#stream.response.statusCode !== 200)
          this.#fail('GET', 'stream', this.#stream.response.statusCode ?? 0);
        while (!this.#stream.isOver && !this.#isOver) await sleep(20);
        this.changes += this.#stream.events.filter(({ name }) => name === 'change').length;
      } catch (error) {
        this.#fail('GET', 'stream', (error as NodeJS.ErrnoException).code ?? String(error));
      }
      await sleep(RETRY_MS);
    }
  }
}

/** The ids of all payments of the merchant. */
export async function listPayments(baseUrl: string, token: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ''; ; ) {
    const path = `/v2/payments?limit=100${cursor && `&cursor=${cursor}`}`;
    const { body } = await callApi(baseUrl, 'GET', path, { token });
    ids.push(...(body.payments ?? []).map(({ id }: { id: string }) => id));
    if (body.cursor === undefined) return ids;
    cursor = body.cursor;
  }
}
