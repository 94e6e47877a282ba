/**
 * Tells receivers what happened, each in a lane of its own: one that is slow or dead keeps only itself waiting. Any number
 * of servers may run it on one database.
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
  listReceivers,
  moveDeliveriesToGivenUp,
  type Receiver,
  updateDeliveriesToFree,
  updateDeliveriesToTaken,
} from '../events/delivery-queries.js';
import { nextAttempt, RESPONSE_TIMEOUT_MS } from '../events/model.js';
import type { Sender } from '../events/sending.js';
import { runLoop } from './loop.js';

const PAUSE_MS = 100;
/** As many to one receiver at a time, taken in rounds; one at a time to a receiver that did not answer. */
const LANE_SLOTS = 128;
const ROUND_SLOTS = 64;
/** Answered, but not yet written down: a crash would tell so many a second time. */
const MAX_UNRECORDED = 256;
/** What is answered in that time is written down by one statement; nobody waits for it. */
const RECORD_INTERVAL_MS = 5;
/** Longer than an attempt can take, so that nobody is told twice but after a crash. */
const LEASE_MS = RESPONSE_TIMEOUT_MS + 20 * SECOND_MS;
const MAX_RECEIVERS_PER_POLL = 16;

interface Lane {
  slots: number;
  /** Places of those who are told now, or about to be. */
  busy: number;
  unrecorded: number;
  /** Whose turn it is. */
  readonly waiting: Receiver[];
}

export interface DeliveryWorker {
  /** Gives up what is under way, for others to take up at once. */
  stop(): Promise<void>;
}

/** What an operator makes happen to what was taken: gives those that are to be sent now (decision 0083). */
export type InjectFaults = (
  merchantId: string,
  claimed: readonly ClaimedDelivery[],
) => Promise<readonly ClaimedDelivery[]>;

interface DeliveryContext {
  readonly database: Database;
  readonly sender: Sender;
  /** Absent: nothing befalls anything. */
  readonly injectFaults?: InjectFaults | undefined;
  readonly onError: (error: unknown) => void;
}

export function startDelivery({ database, sender, injectFaults, onError }: DeliveryContext): DeliveryWorker {
  const lanes = new Map<string, Lane>();
  const rounds = new Set<Promise<void>>();
  const stopping = new AbortController();
  const { signal } = stopping;

  const poll = async (): Promise<void> => {
    const except = [...lanes].filter(([, lane]) => freeSlots(lane) === 0).map(([id]) => id);
    const limit = MAX_RECEIVERS_PER_POLL;
    for (const receiver of await listReceivers(database.sql, { now: realNow(), except, limit })) {
      const { subscriptionId, merchantId } = receiver;
      const lane = lanes.get(subscriptionId) ?? { slots: LANE_SLOTS, busy: 0, unrecorded: 0, waiting: [] };
      lanes.set(subscriptionId, lane);
      if (!lane.waiting.some((each) => each.merchantId === merchantId)) lane.waiting.push(receiver);
      pump(lane);
    }
  };

  /** Begins rounds while there is room. */
  const pump = (lane: Lane): void => {
    for (let free = freeSlots(lane); free > 0 && !signal.aborted; free = freeSlots(lane)) {
      const receiver = lane.waiting.shift();
      if (!receiver) break;
      lane.busy += free;
      const round = deliver(lane, receiver, free)
        .catch(onError)
        .finally(() => {
          rounds.delete(round);
          if (isIdle(lane)) lanes.delete(receiver.subscriptionId);
        });
      rounds.add(round);
    }
  };

  const deliver = async (lane: Lane, receiver: Receiver, limit: number): Promise<void> => {
    const due = await claimDeliveries(lane, receiver, limit);
    pump(lane);
    const untried = (await Promise.all(due.map((delivery) => attempt(lane, delivery)))).filter((each) => !!each);
    if (untried.length === 0) return;
    const ids = untried.map(({ id }) => id);
    await database.statement((tx) => updateDeliveriesToFree(tx, receiver, ids));
  };

  /** Gives those that are to be sent now. */
  const claimDeliveries = async (
    lane: Lane,
    receiver: Receiver,
    limit: number,
  ): Promise<readonly ClaimedDelivery[]> => {
    const now = realNow();
    const claim = { now, until: instant(now + LEASE_MS), limit };
    let count = 0;
    try {
      const claimed = await database.statement((tx) => updateDeliveriesToTaken(tx, receiver, claim));
      if (claimed.length === limit) lane.waiting.push(receiver); // there may be more
      const allowed = await withoutForbidden(receiver, claimed);
      const due = injectFaults ? await injectFaults(receiver.merchantId, allowed) : allowed;
      count = due.length;
      return due;
    } finally {
      lane.busy -= limit - count;
    }
  };

  /** What was recorded before the merchant took a permission back is not told after it. */
  const withoutForbidden = async (
    receiver: Receiver,
    claimed: readonly ClaimedDelivery[],
  ): Promise<readonly ClaimedDelivery[]> => {
    const forbidden = claimed.filter(({ isAllowed }) => !isAllowed).map(({ id }) => id);
    if (forbidden.length === 0) return claimed;
    await database.statement((tx) => moveDeliveriesToGivenUp(tx, receiver, forbidden));
    return claimed.filter(({ isAllowed }) => isAllowed);
  };

  /** Undefined where it was tried. */
  const attempt = async (lane: Lane, delivery: ClaimedDelivery): Promise<ClaimedDelivery | undefined> => {
    const { id, merchantId, failures, retryReason, firstTriedAt } = delivery;
    const message = { ...delivery, retry: failures, retryReason, firstTriedAt: firstTriedAt ?? realNow() };
    const outcome = signal.aborted ? undefined : await sender.send(message).catch(() => undefined);
    lane.busy--;
    if (!outcome) return delivery;
    lane.slots = outcome.status === null ? 1 : LANE_SLOTS;
    lane.unrecorded++;
    pump(lane);
    const retryAt = outcome.failure === null ? undefined : nextAttempt(realNow(), failures + 1, Math.random());
    // What cannot be written down is told again when its time is up.
    await record({ ...outcome, id, merchantId, retryAt, firstTriedAt: message.firstTriedAt }).catch(onError);
    lane.unrecorded--;
    pump(lane);
    return undefined;
  };

  const record = createBatcher(
    async (attempts: readonly Attempt[]) => {
      await database.statement((tx) => insertAttempts(tx, attempts));
      await sleep(RECORD_INTERVAL_MS);
      return attempts.map(() => undefined);
    },
    { maxInFlight: 2, maxItems: 128 },
  );

  const running = runLoop({ poll, pauseMs: PAUSE_MS, signal, onError });

  return {
    async stop() {
      stopping.abort();
      sender.close();
      await running;
      await Promise.all(rounds);
    },
  };
}

/** How many can be taken now: a whole round, or nothing yet. */
function freeSlots({ slots, busy, unrecorded }: Lane): number {
  const round = Math.min(ROUND_SLOTS, slots);
  return slots - busy >= round && unrecorded < MAX_UNRECORDED ? round : 0;
}

/** A lane that can be forgotten; a receiver that did not answer is remembered. */
function isIdle({ slots, busy, unrecorded, waiting }: Lane): boolean {
  return slots === LANE_SLOTS && busy === 0 && unrecorded === 0 && waiting.length === 0;
}
