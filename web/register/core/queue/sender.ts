/**
 * Sends writes: each is on the disk before it is sent, all are sent in order, one tab sends at a time, and a write without a response stays
 * until the server has returned its outcome.
 */
import type { Amount } from '../../../../src/base/money.js';
import type { Instant } from '../../../../src/base/time.js';
import { printMilliseconds } from '../../../../src/base/time.js';
import { Problem } from '../../../client/problem.js';
import { type Cart, emptyCart } from '../cart.js';
import type { WireSale, WireSignature } from '../wire.js';
import {
  createdId,
  declineIn,
  type KeptOperation,
  type QueuedWrite,
  type WriteBody,
  type WriteError,
} from './model.js';
import type { Alongside, StoredWrites } from './stored-writes.js';

export interface KeptWrite {
  readonly id: string;
  readonly operation: KeptOperation;
  readonly employee_id: string;
  readonly occurred_at: string;
  readonly body: WriteBody;
  readonly signature?: WireSignature;
}

export interface WriteResult {
  readonly id: string;
  readonly status: 'ACCEPTED' | 'REFUSED';
  readonly response?: unknown;
  readonly error?: Omit<WriteError, 'sale'>;
  /** If it was refused: the sale that it is about, as it is now. */
  readonly sale?: WireSale;
}

/** What the sender needs from outside, which tests replace. */
export interface SenderDependencies {
  readonly writes: StoredWrites;
  /** Runs `work` in one tab at a time, among all tabs of the device. */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Calls the usual operation, with the session of the person. */
  sendDirectly(operation: KeptOperation, input: WriteBody, session: string): Promise<unknown>;
  /** Sends writes of the queue, with the credential of the device. */
  sendQueue(queue: { sent_at: string; writes: readonly KeptWrite[] }): Promise<{ results: readonly WriteResult[] }>;
  /** By the server's clock. */
  now(): Instant;
  /** Compares the clock of the tablet with the server's: its own time, and what has to be added to it. */
  readClock(): Promise<{ own: number; offset: number }>;
  isOnline(): boolean;
  /** The stored writes have changed. */
  onChange(): Promise<void>;
  onEndedSession(session: string): void;
  onAccepted(write: QueuedWrite, response: unknown): void;
}

export type Outcome =
  | { readonly status: 'DONE'; readonly id: string; readonly response: unknown }
  | { readonly status: 'QUEUED'; readonly id: string };

export interface NewWrite {
  readonly id?: string;
  readonly operation: KeptOperation;
  readonly employeeId: string;
  readonly body: WriteBody;
  /** Signs the write as the employee, at that time. */
  readonly sign: (write: Pick<QueuedWrite, 'id' | 'operation' | 'body'>, time: string) => Promise<WireSignature>;
  readonly session?: string | undefined;
  readonly cash?: Amount | undefined;
  /** The write takes this cart, which must still be the current one. */
  readonly cart?: Cart | undefined;
  /** What is in the cart afterwards. Default: nothing. */
  readonly nextCart?: Cart | undefined;
  readonly alongside?: Alongside | undefined;
}

/** Small enough for the server's limit of a request, whatever the writes contain. */
const MAX_BATCH = 50;
const MAX_BATCH_CHARACTERS = 200_000;
/** After so many failures of the server, a write waits for a person, so that it does not hold up the others. */
const MAX_FAILURES = 5;

export class Sender {
  readonly #dependencies: SenderDependencies;

  constructor(dependencies: SenderDependencies) {
    this.#dependencies = dependencies;
  }

  /** Throws a Problem if the server refuses the write. Then it is removed as if it had never been made. */
  async send({ session, cart, nextCart = emptyCart(), cash, alongside, ...given }: NewWrite): Promise<Outcome> {
    const { writes, now, isOnline, onChange } = this.#dependencies;
    const { id = crypto.randomUUID(), operation, employeeId, body, sign } = given;
    const occurredAt = now();
    const write = {
      id,
      operation,
      employeeId,
      occurredAt,
      body,
      signature: await sign({ id, operation, body }, printMilliseconds(occurredAt)),
      failures: 0,
      ...(cash !== undefined && { cash }),
    };
    const stored = await writes.add(write, cart && { cart, next: nextCart }, alongside);
    if (!stored) throw refusal('ALREADY_CHARGED', 'This sale was charged in another window.');
    await onChange();
    if (!isOnline()) return { status: 'QUEUED', id };
    return this.#dependencies.exclusively(() => this.#sendNow(stored, session)).finally(onChange);
  }

  /** Sends all that waits, in order. Rejects with a Problem if the server does not respond. */
  async sendAll(): Promise<void> {
    await this.#dependencies.exclusively(() => this.#sendWaiting()).finally(this.#dependencies.onChange);
  }

  async #sendNow(write: QueuedWrite, session: string | undefined): Promise<Outcome> {
    try {
      const waiting = await this.#dependencies.writes.listWaiting();
      const isAlone = waiting.length === 1 && waiting[0]?.id === write.id;
      if (isAlone && session !== undefined) return await this.#sendAlone(write, session);
      await this.#sendWaiting();
    } catch (error) {
      // A device that is no longer known keeps its writes too.
      const isKept = error instanceof Problem && (isTemporary(error) || error.status === 401);
      if (isKept) return { status: 'QUEUED', id: write.id };
      throw error;
    }
    return this.#outcomeOf(write);
  }

  /** The usual case: nothing else waits, and the person is there to hear what the server says. */
  async #sendAlone(write: QueuedWrite, session: string): Promise<Outcome> {
    const { writes, sendDirectly, onEndedSession, onAccepted } = this.#dependencies;
    try {
      const body = await this.#resolveIds(write.body);
      const response = await sendDirectly(write.operation, { ...body, id: write.id }, session);
      onAccepted(write, response); // before it stops waiting: at any moment the write is known as waiting or as accepted
      await writes.moveToSent(write, response);
      return { status: 'DONE', id: write.id, response };
    } catch (error) {
      if (!(error instanceof Problem) || isTemporary(error)) throw error;
      if (error.status !== 401) {
        await writes.takeBack(write);
        throw error;
      }
    }
    onEndedSession(session);
    await this.#sendWaiting();
    return this.#outcomeOf(write);
  }

  /** The write may have been sent with others, or by another tab. */
  async #outcomeOf(write: QueuedWrite): Promise<Outcome> {
    const { writes } = this.#dependencies;
    const sent = await writes.findSent(write.id);
    if (sent) return { status: 'DONE', id: write.id, response: sent.response };
    const { error } = (await writes.list()).find(({ id }) => id === write.id) ?? {};
    if (!error) return { status: 'QUEUED', id: write.id };
    await writes.takeBack(write);
    throw toProblem(error);
  }

  async #sendWaiting(): Promise<void> {
    const { writes, onChange } = this.#dependencies;
    let most = MAX_BATCH;
    for (;;) {
      const batch = takeBatch(await writes.listWaiting(), most);
      if (batch.length === 0) return;
      try {
        await this.#sendBatch(batch);
      } catch (error) {
        if (!(error instanceof Problem) || isOutage(error) || error.status === 401) throw error;
        // One write of the batch is the reason. It is found by sending one at a time.
        if (batch.length > 1) most = 1;
        else await this.#setAside(batch[0], error);
      }
      await onChange();
    }
  }

  async #sendBatch(batch: readonly QueuedWrite[]): Promise<void> {
    const { writes, sendQueue, readClock, onAccepted } = this.#dependencies;
    const { own, offset } = await readClock();
    // Times by the clock of the tablet, which the server corrects.
    const print = (time: number): string => printMilliseconds(time as Instant);
    const { results } = await sendQueue({
      sent_at: print(own),
      writes: batch.map(({ id, operation, employeeId, occurredAt, body, signature }) => ({
        ...{ id, operation, employee_id: employeeId, occurred_at: print(occurredAt - offset), body },
        ...(signature && { signature }),
      })),
    });
    const byId = new Map(results.map((result) => [result.id, result]));
    for (const write of batch) {
      const result = byId.get(write.id);
      if (!result) throw refusal('NO_RESULT', 'The server did not say what became of this.', undefined, 500);
      if (result.status === 'ACCEPTED') {
        onAccepted(write, result.response);
        await writes.moveToSent(write, result.response, declineIn(write, result.response));
      } else {
        const { error = { code: 'UNKNOWN', detail: 'The server refused this.' }, sale } = result;
        await writes.moveToRefused(write, { ...error, ...(sale && { sale }) });
      }
    }
  }

  /** For a write that was sent alone, when the server refuses the whole request or fails. */
  async #setAside(write: QueuedWrite | undefined, problem: Problem): Promise<void> {
    if (!write) return;
    const { writes } = this.#dependencies;
    const { code, message: detail, field } = problem;
    const reason = { code, detail, ...(field !== undefined && { field }) };
    if (!isTemporary(problem)) return writes.moveToRefused(write, reason);
    const counted = await writes.countFailure(write);
    if (counted.failures < MAX_FAILURES) throw problem;
    await writes.setAside(counted, reason);
  }

  /**
   * Replaces ids that the register chose by those of the server: the usual operations accept no others. This is done when the write is sent,
   * because the sale or shift may not have had an id of the server when the write was made.
   */
  async #resolveIds(body: WriteBody): Promise<WriteBody> {
    const resolved: Record<string, unknown> = { ...body };
    for (const name of ['sale_id', 'shift_id']) {
      const given = resolved[name];
      if (typeof given !== 'string') continue;
      const sent = await this.#dependencies.writes.findSent(given);
      resolved[name] = createdId(sent?.response) ?? given;
    }
    return resolved;
  }
}

function takeBatch(waiting: readonly QueuedWrite[], most: number): QueuedWrite[] {
  let characters = 0;
  const end = waiting.findIndex(({ body }, index) => {
    characters += JSON.stringify(body).length;
    return index > 0 && (index >= most || characters > MAX_BATCH_CHARACTERS);
  });
  return waiting.slice(0, end < 0 ? undefined : end);
}

function isOutage({ isOutage, status }: Problem): boolean {
  return isOutage || status === 429 || status === 408;
}

/** The server has not decided. */
function isTemporary(problem: Problem): boolean {
  return isOutage(problem) || problem.status >= 500;
}

/** Why a write was refused, as if its own request had been. */
export function toProblem({ code, detail, field, sale }: WriteError): Problem {
  return new Problem(detail, { status: 409, code, field, requestId: undefined, ...(sale && { beside: { sale } }) });
}

function refusal(code: string, message: string, field?: string, status = 409): Problem {
  return new Problem(message, { status, code, field, requestId: undefined });
}
