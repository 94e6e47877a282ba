/**
 * Delivers webhooks. Each receiver has its own lane, so a slow or dead receiver delays only itself. Any number of
 * servers can run this on one database.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { realNow } from '../base/clock.js';
import { instant, SECOND_MS } from '../base/time.js';
import { createBatcher } from '../database/batch.js';
import type { Database } from '../database/database.js';
import {
  type Attempt,
  type ClaimedDelivery,
  insertAttempts,
  moveDeliveriesToGivenUp,
  type Receiver,
  updateDeliveriesToClaimed,
  updateDeliveriesToUnclaimed,
} from '../events/delivery-queries.js';
import { nextAttempt, RESPONSE_TIMEOUT_MS } from '../events/model.js';
import type { Sender } from '../events/sending.js';
import { toSentBody } from '../events/sent-body.js';
import type { Watches } from '../identity/watches.js';
import type { DueSource } from './due-source.js';
import { runLoop } from './loop.js';

const PAUSE_MS = 100;
/** Concurrent attempts to one receiver. Only one at a time to a receiver that did not respond. */
const LANE_SLOTS = 128;
/** Deliveries that are claimed by one statement. */
const ROUND_SLOTS = 64;
/** Attempts with a response that is not stored yet. A crash would repeat at most this number. */
const MAX_UNRECORDED = 256;
/** Attempts that end within this time are stored by one statement. Nothing waits for it. */
const RECORD_INTERVAL_MS = 5;
/** Longer than an attempt can take, so that only a crash can cause a second delivery. */
const LEASE_MS = RESPONSE_TIMEOUT_MS + 20 * SECOND_MS;
const MAX_RECEIVERS_PER_POLL = 16;

interface Lane {
  slots: number;
  /** Slots of attempts in flight and of deliveries that are being claimed. */
  busy: number;
  unrecorded: number;
  /** Merchants with due deliveries for this receiver, in the order of their turns. */
  readonly waiting: Receiver[];
}

export interface DeliveryWorker {
  /** Aborts attempts in flight and releases their claims, so that another server can retry at once. */
  stop(): Promise<void>;
}

/** Injects the operator's faults into claimed deliveries, and returns the deliveries to send now (decision 0083). */
export type InjectFaults = (
  merchantId: string,
  claimed: readonly ClaimedDelivery[],
) => Promise<readonly ClaimedDelivery[]>;

interface DeliveryContext {
  readonly database: Database;
  readonly source: DueSource;
  readonly watches: Watches;
  readonly sender: Sender;
  /** If absent, no faults are injected. */
  readonly injectFaults?: InjectFaults | undefined;
  /** For the addresses of receipts in messages. */
  readonly publicUrl: string | undefined;
  readonly onError: (error: unknown) => void;
}

export function startDelivery(context: DeliveryContext): DeliveryWorker {
  const deliverer = new Deliverer(context);
  const running = runLoop({
    poll: () => deliverer.poll(),
    pauseMs: PAUSE_MS,
    signal: deliverer.signal,
    onError: context.onError,
  });
  return {
    async stop() {
      deliverer.abort();
      await running;
      await deliverer.finish();
    },
  };
}

class Deliverer {
  readonly #context: DeliveryContext;
  readonly #lanes = new Map<string, Lane>();
  readonly #rounds = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #record: (attempt: Attempt) => Promise<undefined>;

  constructor(context: DeliveryContext) {
    this.#context = context;
    this.#record = createBatcher(
      async (attempts: readonly Attempt[]) => {
        await context.database.statement((tx) => insertAttempts(tx, attempts));
        await sleep(RECORD_INTERVAL_MS);
        return attempts.map(() => undefined);
      },
      { limits: { maxInFlight: 2, maxItems: 128 } },
    );
  }

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  async poll(): Promise<void> {
    const lanes = this.#lanes;
    const except = [...lanes].filter(([, lane]) => freeSlots(lane) === 0).map(([id]) => id);
    const limit = MAX_RECEIVERS_PER_POLL;
    for (const receiver of await this.#context.source.listReceivers({ except, limit })) {
      const { subscriptionId, merchantId } = receiver;
      const lane = lanes.get(subscriptionId) ?? { slots: LANE_SLOTS, busy: 0, unrecorded: 0, waiting: [] };
      lanes.set(subscriptionId, lane);
      if (!lane.waiting.some((each) => each.merchantId === merchantId)) lane.waiting.push(receiver);
      this.#pump(lane);
    }
  }

  abort(): void {
    this.#stopping.abort();
    this.#context.sender.close();
  }

  async finish(): Promise<void> {
    await Promise.all(this.#rounds);
  }

  /** Starts rounds while slots are free. */
  #pump(lane: Lane): void {
    const { source, onError } = this.#context;
    for (let free = freeSlots(lane); free > 0 && !this.signal.aborted; free = freeSlots(lane)) {
      const receiver = lane.waiting.shift();
      if (!receiver) break;
      lane.busy += free;
      const round = this.#deliver(lane, receiver, free)
        .catch(onError)
        .finally(() => {
          this.#rounds.delete(round);
          source.lookAt(receiver.merchantId); // for retries, and for events that had to wait for earlier ones
          if (isIdle(lane)) this.#lanes.delete(receiver.subscriptionId);
        });
      this.#rounds.add(round);
    }
  }

  async #deliver(lane: Lane, receiver: Receiver, limit: number): Promise<void> {
    const { database, watches } = this.#context;
    const due = await this.#claim(lane, receiver, limit);
    this.#pump(lane);
    const [first] = due;
    const unsent = (await Promise.all(due.map((delivery) => this.#attempt(lane, delivery)))).filter((each) => !!each);
    if (first) watches.publish(receiver.merchantId, ['deliveries'], first.watchers && { watchers: first.watchers });
    if (unsent.length === 0) return;
    const ids = unsent.map(({ id }) => id);
    await database.statement((tx) => updateDeliveriesToUnclaimed(tx, receiver, ids));
  }

  /** Returns the deliveries to send now. */
  async #claim(lane: Lane, receiver: Receiver, limit: number): Promise<readonly ClaimedDelivery[]> {
    const { database, injectFaults } = this.#context;
    const now = realNow();
    const claim = { now, until: instant(now + LEASE_MS), limit };
    let count = 0;
    try {
      const claimed = await database.statement((tx) => updateDeliveriesToClaimed(tx, receiver, claim));
      if (claimed.length === limit) lane.waiting.push(receiver); // there may be more
      const allowed = await this.#withoutForbidden(receiver, claimed);
      const due = injectFaults ? await injectFaults(receiver.merchantId, allowed) : allowed;
      count = due.length;
      return due;
    } finally {
      lane.busy -= limit - count;
    }
  }

  /** Gives up deliveries whose permission the merchant has revoked since the event was recorded. */
  async #withoutForbidden(
    receiver: Receiver,
    claimed: readonly ClaimedDelivery[],
  ): Promise<readonly ClaimedDelivery[]> {
    const forbidden = claimed.filter(({ isAllowed }) => !isAllowed).map(({ id }) => id);
    if (forbidden.length === 0) return claimed;
    await this.#context.database.statement((tx) => moveDeliveriesToGivenUp(tx, receiver, forbidden));
    return claimed.filter(({ isAllowed }) => isAllowed);
  }

  /** Returns the delivery if it was not sent, because the worker stops; otherwise undefined. */
  async #attempt(lane: Lane, delivery: ClaimedDelivery): Promise<ClaimedDelivery | undefined> {
    const { sender, publicUrl, onError } = this.#context;
    const { id, merchantId, leasedUntil, failures, retryReason, firstTriedAt } = delivery;
    const body = toSentBody(delivery, { merchantId, publicUrl });
    const message = { retry: failures, ...delivery, body, retryReason, firstTriedAt: firstTriedAt ?? realNow() };
    const outcome = this.signal.aborted ? undefined : await sender.send(message).catch(() => undefined);
    lane.busy--;
    if (!outcome) return delivery;
    lane.slots = outcome.status === null ? 1 : LANE_SLOTS;
    lane.unrecorded++;
    this.#pump(lane);
    const retryAt = outcome.failure === null ? undefined : nextAttempt(realNow(), failures + 1, Math.random());
    const attempt = { id, ...outcome, merchantId, leasedUntil, retryAt, firstTriedAt: message.firstTriedAt };
    await this.#record(attempt).catch(onError); // if this fails, the delivery is sent again when its lease expires
    lane.unrecorded--;
    this.#pump(lane);
    return undefined;
  }
}

/** The number of deliveries that can be claimed now: a whole round, or none. */
function freeSlots({ slots, busy, unrecorded }: Lane): number {
  const round = Math.min(ROUND_SLOTS, slots);
  return slots - busy >= round && unrecorded < MAX_UNRECORDED ? round : 0;
}

/** Whether a lane can be removed. The lane of a receiver that did not respond stays, because its slots are reduced. */
function isIdle({ slots, busy, unrecorded, waiting }: Lane): boolean {
  return slots === LANE_SLOTS && busy === 0 && unrecorded === 0 && waiting.length === 0;
}
