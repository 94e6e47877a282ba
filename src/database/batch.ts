/**
 * Gathers concurrent items into one statement. No item waits for others: a statement is sent as soon as fewer than the limit are in
 * flight, with all items that are waiting then.
 *
 * On one PostgreSQL, items of all merchants share statements. A distributed database routes by merchant, so there each merchant has
 * statements of its own (decision 0175).
 */
import type { Cause, Tracing } from '../base/tracing.js';
import { unavailableReason, waitedForLock } from './unavailable.js';

interface Limits {
  readonly maxInFlight: number;
  readonly maxItems: number;
}

/** A low `maxInFlight` makes statements larger. More than one lets other statements run while a commit waits for the disk. */
const DEFAULT_LIMITS: Limits = { maxInFlight: 3, maxItems: 64 };

interface BatcherOptions {
  readonly limits?: Limits;
  /** Whether a statement may have items of several merchants. */
  readonly mayMix?: () => boolean;
  readonly counts?: GatheredCounts;
  /** The name of the statement in traces. */
  readonly name?: string;
  readonly tracing?: Tracing | undefined;
}

export interface OfMerchant {
  readonly merchantId: string;
}

/** How many statements were sent, and for how many items. */
export interface GatheredCounts {
  statements: number;
  items: number;
}

/** A shared statement may have items of several merchants, and must fail soon if it has to wait for one of them. */
type Statement<Item, Result> = (items: readonly Item[], isShared: boolean) => Promise<readonly Result[]>;

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly cause: Cause | undefined;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

type Batch<Item, Result> = readonly Waiting<Item, Result>[];

/** The statement must return one result for each item, in the order of the items. */
export function createBatcher<Item extends OfMerchant, Result>(
  statement: Statement<Item, Result>,
  { limits = DEFAULT_LIMITS, mayMix = () => false, counts, name = 'statement', tracing }: BatcherOptions = {},
): (item: Item) => Promise<Result> {
  /** Merchants whose items share no statement with those of others. */
  const apart = new Map<string, Lane<Item, Result>>();

  const laneOf = (merchantId: string): Lane<Item, Result> => {
    const known = apart.get(merchantId);
    if (known) return known;
    const lane = new Lane<Item, Result>(limits, sendOfMerchant, () => apart.delete(merchantId));
    apart.set(merchantId, lane);
    return lane;
  };

  const send = async (batch: Batch<Item, Result>, isShared: boolean): Promise<void> => {
    if (counts) {
      counts.statements += 1;
      counts.items += batch.length;
    }
    const items = batch.map(({ item }) => item);
    const results = await (tracing
      ? trace(tracing, batch, () => statement(items, isShared))
      : statement(items, isShared));
    for (const [index, one] of batch.entries()) one.resolve(results[index] as Result);
  };

  const trace = <Sent>(by: Tracing, batch: Batch<Item, Result>, work: () => Promise<Sent>): Promise<Sent> => {
    const attributes = {
      'db.system.name': 'postgresql',
      'db.operation.name': name,
      ...(batch.length > 1 && { 'db.operation.batch.size': batch.length }),
    };
    return by.span({ name, attributes, causes: batch.flatMap(({ cause }) => cause ?? []) }, work);
  };

  /** One item may have caused the failure, so each is sent again alone. */
  const sendOfMerchant = (batch: Batch<Item, Result>): Promise<void> =>
    send(batch, false).catch(async (error: unknown) => {
      if (waitedForLock(error)) apart.get(batch[0]?.item.merchantId ?? '')?.refuseWaiting(error);
      if (batch.length === 1 || !mayRepeat(error) || waitedForLock(error)) reject(batch, error);
      else await Promise.all(batch.map((one) => sendOfMerchant([one])));
    });

  /**
   * One merchant may have caused the failure, so the items of each are sent again in a lane of its own. New items of the merchant join that
   * lane until it is empty. Other merchants do not wait for it.
   */
  const sendShared = (batch: Batch<Item, Result>): Promise<void> =>
    send(batch, true).catch((error: unknown) => {
      if (!mayRepeat(error)) return reject(batch, error);
      for (const merchantId of new Set(batch.map(({ item }) => item.merchantId))) {
        laneOf(merchantId).add(batch.filter(({ item }) => item.merchantId === merchantId));
      }
    });

  const shared = new Lane<Item, Result>(limits, sendShared, () => {});

  return (item) =>
    new Promise((resolve, reject) => {
      const lane = apart.get(item.merchantId) ?? (mayMix() ? shared : laneOf(item.merchantId));
      lane.add([{ item, cause: tracing?.here(), resolve, reject }]);
    });
}

/** If the database is unavailable, nothing is sent again: a statement whose connection was lost may have been committed. */
function mayRepeat(error: unknown): boolean {
  return unavailableReason(error) === undefined;
}

function reject<Item, Result>(batch: Batch<Item, Result>, error: unknown): void {
  for (const one of batch) one.reject(error);
}

/** Items that share a limit of statements in flight. */
class Lane<Item extends OfMerchant, Result> {
  readonly #limits: Limits;
  readonly #send: (batch: Batch<Item, Result>) => Promise<void>;
  readonly #onIdle: () => void;
  /** The waiting items of each merchant. The first merchant has the next turn. */
  readonly #queues = new Map<string, Waiting<Item, Result>[]>();
  #inFlight = 0;

  constructor(limits: Limits, send: (batch: Batch<Item, Result>) => Promise<void>, onIdle: () => void) {
    this.#limits = limits;
    this.#send = send;
    this.#onIdle = onIdle;
  }

  add(batch: Batch<Item, Result>): void {
    for (const one of batch) {
      const { merchantId } = one.item;
      const queue = this.#queues.get(merchantId);
      if (queue) queue.push(one);
      else this.#queues.set(merchantId, [one]);
    }
    this.#start();
  }

  /** Those who wait behind a statement that did not get its lock would wait as long for the same lock. */
  refuseWaiting(error: unknown): void {
    for (const queue of this.#queues.values()) reject(queue, error);
    this.#queues.clear();
  }

  #start(): void {
    while (this.#inFlight < this.#limits.maxInFlight && this.#queues.size > 0) {
      this.#inFlight++;
      void this.#send(this.#take()).then(() => {
        this.#inFlight--;
        this.#start();
      });
    }
    if (this.#inFlight === 0) this.#onIdle();
  }

  /** Every merchant gets the same share of a statement. What others leave free goes to those who have more. */
  #take(): Batch<Item, Result> {
    const batch: Waiting<Item, Result>[] = [];
    let free = this.#limits.maxItems;
    while (free > 0 && this.#queues.size > 0) {
      const share = Math.max(1, Math.floor(free / this.#queues.size));
      const turns = Math.min(free, this.#queues.size);
      for (const [merchantId, queue] of [...this.#queues].slice(0, turns)) {
        batch.push(...queue.splice(0, share));
        this.#queues.delete(merchantId);
        if (queue.length > 0) this.#queues.set(merchantId, queue);
      }
      free = this.#limits.maxItems - batch.length;
    }
    return batch;
  }
}
