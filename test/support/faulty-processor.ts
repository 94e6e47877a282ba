/** A small remote processor: it keeps its own books, performs each action once, and fails where the test says so. */
import { expect } from 'vitest';
import type { Database } from '../../src/database/database.js';
import {
  type AuthorizeOutcome,
  type AuthorizeRequest,
  type CallRequest,
  type CaptureOutcome,
  type Processor,
  ProcessorUnavailable,
} from '../../src/processor/contract.js';
import { simulator } from '../../src/processor/simulator.js';

export type ProcessorAction = 'authorize' | 'capture' | 'void' | 'refund';

export type ProcessorRequest = CallRequest & Partial<AuthorizeRequest>;

interface Account {
  readonly held: number;
  captured: number;
  voided: boolean;
  refunded: number;
}

/** The processor's books. A request that a correct client would never send is recorded as a complaint. */
export class ProcessorBooks {
  readonly accounts = new Map<string, Account>();
  readonly complaints: string[] = [];
  /** How often an action was performed. */
  readonly done: Record<ProcessorAction, number> = { authorize: 0, capture: 0, void: 0, refund: 0 };
  readonly #answers = new Map<string, { asked: string; answer: unknown }>();

  /** A retry with the same key changes nothing and returns the same response. */
  async perform(action: ProcessorAction, request: ProcessorRequest): Promise<unknown> {
    const { merchant, paymentId, sourceId, amount, acceptPartial, capture } = request;
    const asked = JSON.stringify([action, merchant.id, paymentId, sourceId, amount, acceptPartial, capture]);
    const known = this.#answers.get(request.key);
    if (known) {
      if (known.asked !== asked) this.#complain(`${request.key} asked for ${known.asked} and for ${asked}`);
      return known.answer;
    }
    const answer = await this.#do(action, request);
    this.#answers.set(request.key, { asked, answer });
    this.done[action]++;
    return answer;
  }

  async #do(action: ProcessorAction, request: ProcessorRequest): Promise<unknown> {
    const { paymentId, amount = 0 } = request;
    if (action === 'authorize') return this.#authorize(request as AuthorizeRequest);
    const account = this.accounts.get(paymentId);
    if (!account) return this.#complain(`${action} of the unknown ${paymentId}`);
    if (action === 'refund') {
      if (account.captured - account.refunded < amount) this.#complain(`refund of ${amount}, too much, ${paymentId}`);
      account.refunded += amount;
      return true;
    }
    if (account.voided || account.captured > 0) this.#complain(`${action} of ${paymentId}, which is not held`);
    if (action === 'void') {
      account.voided = true;
      return undefined;
    }
    account.captured = account.held;
    return { kind: 'captured' };
  }

  async #authorize(request: AuthorizeRequest): Promise<AuthorizeOutcome> {
    const { paymentId, capture } = request;
    const outcome = await simulator.authorize(request);
    if (outcome.kind !== 'approved') return outcome;
    if (this.accounts.has(paymentId)) this.#complain(`${paymentId} is authorized twice`);
    const held = outcome.amount;
    this.accounts.set(paymentId, { held, captured: capture ? held : 0, voided: false, refunded: 0 });
    return outcome;
  }

  #complain(complaint: string): never {
    this.complaints.push(complaint);
    throw new Error(complaint);
  }
}

/** How a call fails: at which moment, and what the caller sees. */
export interface Fault {
  readonly when: 'before it is done' | 'after it is done';
  readonly how: 'says it is unavailable' | 'hangs' | 'fails';
}

export const FAULTS: readonly (Fault & { readonly fault: string })[] = (
  ['before it is done', 'after it is done'] as const
).flatMap((when) =>
  (['says it is unavailable', 'hangs', 'fails'] as const).map((how) => ({ when, how, fault: `${how} ${when}` })),
);

export interface FaultyProcessor extends Processor {
  readonly books: ProcessorBooks;
  /** Makes the next calls of this action for the merchant fail. */
  failNext(merchantId: string, action: ProcessorAction, fault: Fault, times?: number): void;
  /** Blocks the next call of this action before it is performed, until the returned function is called. */
  holdNext(merchantId: string, action: ProcessorAction): { readonly arrived: Promise<void>; release(): void };
  /** How many calls the processor received, whatever their outcome. */
  asked(merchantId: string, action: ProcessorAction): number;
}

export function createFaultyProcessor(): FaultyProcessor {
  const books = new ProcessorBooks();
  const faults = new Map<string, Fault[]>();
  const holds = new Map<string, (() => Promise<void>)[]>();
  const counts = new Map<string, number>();
  const of = (merchantId: string, action: ProcessorAction): string => `${merchantId} ${action}`;

  const call = async (action: ProcessorAction, request: ProcessorRequest): Promise<unknown> => {
    const name = of(request.merchant.id, action);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    await holds.get(name)?.shift()?.();
    const fault = faults.get(name)?.shift();
    if (fault?.when === 'before it is done') return suffer(fault);
    const answer = await books.perform(action, request);
    return fault ? suffer(fault) : answer;
  };

  return {
    books,
    isCertain: () => false,
    authorize: (request) => call('authorize', request) as Promise<AuthorizeOutcome>,
    capture: (request) => call('capture', request) as Promise<CaptureOutcome>,
    void: (request) => call('void', request) as Promise<void>,
    refund: (request) => call('refund', request) as Promise<boolean>,
    failNext(merchantId, action, fault, times = 1) {
      const name = of(merchantId, action);
      faults.set(name, [...(faults.get(name) ?? []), ...Array.from({ length: times }, () => fault)]);
    },
    holdNext(merchantId, action) {
      const name = of(merchantId, action);
      const { promise: arrived, resolve: arrive } = signal();
      const { promise: released, resolve: release } = signal();
      const hold = () => {
        arrive();
        return released;
      };
      holds.set(name, [...(holds.get(name) ?? []), hold]);
      return { arrived, release };
    },
    asked: (merchantId, action) => counts.get(of(merchantId, action)) ?? 0,
  };
}

function suffer({ how }: Fault): Promise<never> {
  if (how === 'hangs') return new Promise(() => {});
  return Promise.reject(
    how === 'fails' ? new Error('a bug in the client of the processor') : new ProcessorUnavailable(),
  );
}

function signal(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

interface OurSide {
  readonly paymentId: string;
  readonly status: string;
  readonly total: number;
  readonly charged: number;
  readonly refundedAmount: number;
}

/** Expects that both sides agree on every payment, and that no call is left to make. */
export async function expectAgreement(
  { sql }: Database,
  books: Pick<ProcessorBooks, 'accounts' | 'complaints'>,
): Promise<void> {
  expect(books.complaints).toEqual([]);
  const ours = await sql<OurSide[]>`
    select
      payment_id, status, total,
      coalesce(sum(m.amount) filter (where kind = 'CHARGE'), 0)::bigint as charged,
      coalesce(-sum(m.amount) filter (where kind <> 'CHARGE'), 0)::bigint as refunded_amount
    from payments
    left join movements m using (merchant_id, payment_id)
    group by merchant_id, payment_id`;
  const story = ours
    .filter(({ status }) => status !== 'FAILED')
    .map(({ paymentId, status, total, charged, refundedAmount }) => ({
      paymentId,
      held: total,
      captured: charged,
      voided: status === 'CANCELED' && charged === 0,
      refunded: refundedAmount,
    }));
  const theirs = [...books.accounts].map(([paymentId, account]) => ({ paymentId, ...account }));
  const byId = (a: { paymentId: string }, b: { paymentId: string }) => (a.paymentId < b.paymentId ? -1 : 1);
  expect(story.sort(byId)).toEqual(theirs.sort(byId));

  const open = await sql`
    select payment_id as subject, action as what from processor_calls
    union all
    select payment_id, status from payments where status = 'PENDING'
    union all
    select subject_id, kind from due_work where kind not in ('EXPIRE_PAYMENT', 'CLOSE_DAY', 'ROLL_UP_DAYS')`;
  expect(open.map((row) => ({ ...row }))).toEqual([]);
}
