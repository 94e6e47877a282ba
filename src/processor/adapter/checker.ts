/** Calls an adapter for one check of the contract. */
import { setTimeout as sleep } from 'node:timers/promises';
import { realIds } from '../../base/ids.js';
import { SECOND_MS } from '../../base/time.js';
import { MAX_PAGE_BYTES } from './record-wire.js';
import { type Adapter, type AdapterReply, type AdapterRequest, reasonOf, send } from './transport.js';
import { type Action, type Answers, invalidAnswerReason } from './wire.js';

export interface CheckSettings extends Adapter {
  /** A source that the adapter approves, as often as it is charged. */
  readonly approvedSource: string;
  readonly declinedSource: string;
  readonly currency: string;
  /** In minor units, at least 4. */
  readonly amount: number;
}

/** Ends a check of something that an adapter need not have. */
export class Omitted extends Error {}

const TIME_LIMIT_MS = 20 * SECOND_MS;
/** How long an adapter may finish a call whose connection is lost. */
const FINISH_MS = 20 * SECOND_MS;

export type Body = Record<string, unknown> & { readonly key: string };

export class Checker {
  readonly settings: CheckSettings;

  constructor(settings: CheckSettings) {
    this.settings = settings;
  }

  body(change: Record<string, unknown> = {}): Body {
    const paymentId = `check-${realIds.newId(20)}`;
    return { key: `check:${paymentId}:${realIds.newId(8)}`, merchant_id: 'CHECK', payment_id: paymentId, ...change };
  }

  authorization(change: Record<string, unknown> = {}): Body {
    const { approvedSource, amount, currency } = this.settings;
    return this.body({
      source_id: approvedSource,
      amount_money: { amount, currency },
      accept_partial: false,
      capture: true,
      ...change,
    });
  }

  /** Another call for the same payment. */
  next({ payment_id }: Body, change: Record<string, unknown> = {}): Body {
    return { ...this.body({ payment_id, ...change }) };
  }

  part(amount: number) {
    return { amount_money: { amount, currency: this.settings.currency } };
  }

  async send(request: AdapterRequest): Promise<AdapterReply> {
    return send(this.settings, { maxBytes: MAX_PAGE_BYTES, ...request }, AbortSignal.timeout(TIME_LIMIT_MS)).catch(
      (error: unknown) => {
        throw new Error(`${request.method} ${request.path}: ${reasonOf(error)}`);
      },
    );
  }

  post(action: Action, body: Body, signature?: string): Promise<AdapterReply> {
    return this.send({ method: 'POST', path: `/${action}`, body: JSON.stringify(body), signature });
  }

  lookUp(key: string): Promise<AdapterReply> {
    return this.send({ method: 'GET', path: `/calls/${encodeURIComponent(key)}` });
  }

  /** The answer to a call. Waits if the adapter says that it is in progress. */
  async call<Name extends Action>(action: Name, body: Body): Promise<Answers[Name]> {
    const reply = await this.post(action, body);
    return reply.status === 202 ? this.awaitAnswer(action, body.key) : toAnswer(action, reply);
  }

  async awaitAnswer<Name extends Action>(action: Name, key: string): Promise<Answers[Name]> {
    const end = performance.now() + FINISH_MS;
    for (;;) {
      const reply = await this.lookUp(key);
      if (reply.status !== 202) return toAnswer(action, reply, `GET /calls/{key} of ${action}`);
      if (performance.now() > end) throw new Error(`${action} is still in progress (202) after ${FINISH_MS} ms`);
      await sleep(200);
    }
  }

  async expectOutcome<Name extends Action>(action: Name, body: Body, expected: string): Promise<Answers[Name]> {
    const answer = await this.call(action, body);
    if (answer.outcome !== expected) {
      throw new Error(`${action}: outcome must be ${expected}, not ${JSON.stringify(answer)}`);
    }
    return answer;
  }

  async expectStatus(reply: Promise<AdapterReply>, status: number, what: string): Promise<void> {
    const { status: given } = await reply;
    if (given !== status) throw new Error(`${what}: the status must be ${status}, not ${given}`);
  }
}

function toAnswer<Name extends Action>(action: Name, reply: AdapterReply, what: string = action): Answers[Name] {
  if (reply.status !== 200) throw new Error(`${what}: the status must be 200, not ${reply.status}`);
  const why = invalidAnswerReason(action, reply.json);
  if (why !== undefined) throw new Error(`${what}: ${why}`);
  return reply.json as Answers[Name];
}

export function expectSame(first: unknown, second: unknown, what: string): void {
  const [one, other] = [JSON.stringify(first), JSON.stringify(second)];
  if (one !== other) throw new Error(`${what}: must be ${one}, but is ${other}`);
}
