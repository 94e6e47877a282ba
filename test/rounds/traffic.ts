/** Clients of several merchants that pay, complete, cancel and refund while servers and databases come and go. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { ApiResponse } from '../support/http.js';
import { CARD, usd } from '../support/payments.js';
import { OPERATOR_KEY } from '../support/server.js';
import type { Counts, Round } from './rounds.js';

const MERCHANTS = 3;
const CLIENTS_OF_A_MERCHANT = 2;
const AMOUNT = 500;
/** Between two acts of a client, and before an act that was refused is tried again. */
const PAUSE_MS = 10;
const RETRY_MS = 50;

/** Undefined if the connection was refused or lost. */
export type Call = (method: string, path: string, token: string, body?: unknown) => Promise<ApiResponse | undefined>;

const ACTS = ['pay', 'pay', 'complete', 'cancel', 'cancel by key', 'refund'] as const;
type Act = (typeof ACTS)[number];

/** What the books must say of a payment whose acts were all acknowledged. */
interface Expected {
  readonly status: 'COMPLETED' | 'CANCELED';
  readonly refunded: number;
}

interface Merchant {
  readonly token: string;
  readonly expected: Map<string, Expected>;
}

export class Traffic {
  acknowledged = 0;
  /** Responses that were lost, and refusals because the server or the database was gone. */
  unanswered = 0;
  readonly #call: Call;
  readonly #merchants: readonly Merchant[];
  readonly #wrong: unknown[] = [];
  #clients: readonly Promise<void>[] = [];
  #isOver = false;

  private constructor(call: Call, merchants: readonly Merchant[]) {
    this.#call = call;
    this.#merchants = merchants;
  }

  static async start(call: Call, round: Round): Promise<Traffic> {
    const merchants: Merchant[] = [];
    while (merchants.length < MERCHANTS) {
      const answer = await call('POST', '/api/sandbox/merchants', OPERATOR_KEY, {});
      expect(answer?.status, answer?.text).toBe(200);
      merchants.push({ token: answer?.body.access_token, expected: new Map() });
    }
    const traffic = new Traffic(call, merchants);
    const acts = () => round.draw(fc.array(fc.constantFrom(...ACTS), { minLength: 10, maxLength: 20 }));
    traffic.#clients = merchants.flatMap((merchant) =>
      Array.from({ length: CLIENTS_OF_A_MERCHANT }, () => traffic.#client(merchant, acts())),
    );
    for (const client of traffic.#clients) client.catch(() => {}); // `finish` receives the error
    return traffic;
  }

  async untilAcknowledged(more: number): Promise<void> {
    const goal = this.acknowledged + more;
    while (this.acknowledged < goal && this.#wrong.length === 0) await sleep(PAUSE_MS);
  }

  /** Waits until the last acts are acknowledged, and expects each of them once, and nothing else, in the books. */
  async finish(): Promise<Counts> {
    this.#isOver = true;
    await Promise.all(this.#clients);
    expect(this.#wrong).toEqual([]);
    for (const { token, expected } of this.#merchants) {
      expect(await this.#listPayments(token)).toEqual(new Map([...expected].toSorted()));
    }
    return { 'acts acknowledged': this.acknowledged, 'requests without an answer': this.unanswered };
  }

  async #client(merchant: Merchant, acts: readonly Act[]): Promise<void> {
    for (let turn = 0; !this.#isOver && this.#wrong.length === 0; turn++) {
      await this.#do(acts[turn % acts.length] as Act, merchant);
      await sleep(PAUSE_MS);
    }
  }

  async #do(act: Act, merchant: Merchant): Promise<void> {
    const key = randomUUID();
    const body = { idempotency_key: key, source_id: CARD, amount_money: usd(AMOUNT) };
    const isHeld = act === 'complete' || act === 'cancel';
    const paid = await this.#insist(merchant, '/v2/payments', { ...body, autocomplete: !isHeld });
    if (!paid) return;
    const { id } = paid.body.payment;
    // A second attempt is refused if the first one was done and only its response was lost.
    if (isHeld && !(await this.#insist(merchant, `/v2/payments/${id}/${act}`, {}, [200, 400]))) return;
    if (act === 'cancel by key') await this.#insist(merchant, '/v2/payments/cancel', { idempotency_key: key });
    const refund = { idempotency_key: randomUUID(), payment_id: id, amount_money: usd(AMOUNT / 5) };
    if (act === 'refund') await this.#insist(merchant, '/v2/refunds', refund);
    const isCanceled = act === 'cancel' || act === 'cancel by key';
    merchant.expected.set(id, {
      status: isCanceled ? 'CANCELED' : 'COMPLETED',
      refunded: act === 'refund' ? AMOUNT / 5 : 0,
    });
  }

  /** Sends a request until it is answered. */
  async #insist(
    { token }: Merchant,
    path: string,
    body: unknown,
    good: readonly number[] = [200],
  ): Promise<ApiResponse | undefined> {
    for (;;) {
      const answer = await this.#call('POST', path, token, body);
      if (answer && good.includes(answer.status)) {
        this.acknowledged += 1;
        return answer;
      }
      if (answer && (answer.status !== 503 || answer.headers['retry-after'] === undefined)) {
        this.#wrong.push([path, answer.status, answer.text]);
        return undefined;
      }
      this.unanswered += 1;
      await sleep(RETRY_MS);
    }
  }

  async #listPayments(token: string): Promise<ReadonlyMap<string, Expected>> {
    const found: [string, Expected][] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const answer: ApiResponse | undefined = await this.#call('GET', `/v2/payments?cursor=${cursor}`, token);
      expect(answer?.status, answer?.text).toBe(200);
      for (const { id, status, refunded_money } of answer?.body.payments ?? []) {
        const isCanceled = status === 'CANCELED'; // by its key, after the capture: what was left went back
        found.push([id, { status, refunded: isCanceled ? 0 : (refunded_money?.amount ?? 0) }]);
      }
      cursor = answer?.body.cursor;
    }
    expect(new Set(found.map(([id]) => id)).size).toBe(found.length);
    return new Map(found.toSorted());
  }
}
