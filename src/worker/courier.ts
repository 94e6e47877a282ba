/**
 * Tells receivers what happened, each in a lane of its own: one that is slow or dead keeps only itself waiting. Any number
 * of servers may run it on one database.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { realNow } from '../base/clock.js';
import { instant, SECOND_MS } from '../base/time.js';
import type { Database } from '../database/database.js';
import { gather } from '../database/gather.js';
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
import { ANSWER_LIMIT_MS, nextAttempt } from '../events/model.js';
import type { Sender } from '../events/sending.js';
import { runLoop } from './loop.js';

const PAUSE_MS = 100;
/** As many to one receiver at a time, taken in rounds; one at a time to a receiver that did not answer. */
const LANE_PLACES = 128;
const ROUND_PLACES = 64;
/** Answered, but not yet written down: a crash would tell so many a second time. */
const MOST_UNRECORDED = 256;
/** What is answered in that time is written down by one statement; nobody waits for it. */
const RECORDING_PAUSE_MS = 5;
/** Longer than an attempt can take, so that nobody is told twice but after a crash. */
const LEASE_MS = ANSWER_LIMIT_MS + 20 * SECOND_MS;
const MOST_RECEIVERS_A_LOOK = 16;

interface Lane {
  places: number;
  /** Places of those who are told now, or about to be. */
  busy: number;
  unrecorded: number;
  /** Whose turn it is. */
  readonly waiting: Receiver[];
}

export interface Courier {
  /** Gives up what is under way, for others to take up at once. */
  stop(): Promise<void>;
}

/** What an operator makes happen to what was taken: gives those that are to be sent now (decision 0083). */
export type Befall = (merchantId: string, taken: readonly ClaimedDelivery[]) => Promise<readonly ClaimedDelivery[]>;

interface Context {
  readonly database: Database;
  readonly sender: Sender;
  /** Absent: nothing befalls anything. */
  readonly befall?: Befall | undefined;
  readonly onTrouble: (error: unknown) => void;
}

export function startCourier({ database, sender, befall, onTrouble }: Context): Courier {
  const lanes = new Map<string, Lane>();
  const rounds = new Set<Promise<void>>();
  const stopping = new AbortController();
  const { signal } = stopping;

  const look = async (): Promise<void> => {
    const except = [...lanes].filter(([, lane]) => roomIn(lane) === 0).map(([id]) => id);
    const limit = MOST_RECEIVERS_A_LOOK;
    for (const receiver of await listReceivers(database.sql, { now: realNow(), except, limit })) {
      const { subscriptionId, merchantId } = receiver;
      const lane = lanes.get(subscriptionId) ?? { places: LANE_PLACES, busy: 0, unrecorded: 0, waiting: [] };
      lanes.set(subscriptionId, lane);
      if (!lane.waiting.some((each) => each.merchantId === merchantId)) lane.waiting.push(receiver);
      pump(lane);
    }
  };

  /** Begins rounds while there is room. */
  const pump = (lane: Lane): void => {
    for (let room = roomIn(lane); room > 0 && !signal.aborted; room = roomIn(lane)) {
      const receiver = lane.waiting.shift();
      if (!receiver) break;
      lane.busy += room;
      const round = deliver(lane, receiver, room)
        .catch(onTrouble)
        .finally(() => {
          rounds.delete(round);
          if (isQuiet(lane)) lanes.delete(receiver.subscriptionId);
        });
      rounds.add(round);
    }
  };

  const deliver = async (lane: Lane, receiver: Receiver, limit: number): Promise<void> => {
    const due = await take(lane, receiver, limit);
    pump(lane);
    const untried = (await Promise.all(due.map((delivery) => attempt(lane, delivery)))).filter((each) => !!each);
    if (untried.length === 0) return;
    const ids = untried.map(({ id }) => id);
    await database.statement((tx) => updateDeliveriesToFree(tx, receiver, ids));
  };

  /** Gives those that are to be sent now. */
  const take = async (lane: Lane, receiver: Receiver, limit: number): Promise<readonly ClaimedDelivery[]> => {
    const now = realNow();
    const claim = { now, until: instant(now + LEASE_MS), limit };
    let count = 0;
    try {
      const taken = await database.statement((tx) => updateDeliveriesToTaken(tx, receiver, claim));
      if (taken.length === limit) lane.waiting.push(receiver); // there may be more
      const allowed = await withoutForbidden(receiver, taken);
      const due = befall ? await befall(receiver.merchantId, allowed) : allowed;
      count = due.length;
      return due;
    } finally {
      lane.busy -= limit - count;
    }
  };

  /** What was recorded before the merchant took a permission back is not told after it. */
  const withoutForbidden = async (
    receiver: Receiver,
    taken: readonly ClaimedDelivery[],
  ): Promise<readonly ClaimedDelivery[]> => {
    const forbidden = taken.filter(({ isAllowed }) => !isAllowed).map(({ id }) => id);
    if (forbidden.length === 0) return taken;
    await database.statement((tx) => moveDeliveriesToGivenUp(tx, receiver, forbidden));
    return taken.filter(({ isAllowed }) => isAllowed);
  };

  /** Undefined where it was tried. */
  const attempt = async (lane: Lane, delivery: ClaimedDelivery): Promise<ClaimedDelivery | undefined> => {
    const { id, merchantId, failures, retryReason, firstTriedAt } = delivery;
    const message = { ...delivery, retry: failures, retryReason, firstTriedAt: firstTriedAt ?? realNow() };
    const outcome = signal.aborted ? undefined : await sender.send(message).catch(() => undefined);
    lane.busy--;
    if (!outcome) return delivery;
    lane.places = outcome.status === null ? 1 : LANE_PLACES;
    lane.unrecorded++;
    pump(lane);
    const retryAt = outcome.failure === null ? undefined : nextAttempt(realNow(), failures + 1, Math.random());
    // What cannot be written down is told again when its time is up.
    await record({ ...outcome, id, merchantId, retryAt, firstTriedAt: message.firstTriedAt }).catch(onTrouble);
    lane.unrecorded--;
    pump(lane);
    return undefined;
  };

  const record = gather(
    async (attempts: readonly Attempt[]) => {
      await database.statement((tx) => insertAttempts(tx, attempts));
      await sleep(RECORDING_PAUSE_MS);
      return attempts.map(() => undefined);
    },
    { mostUnderWay: 2, mostItems: 128 },
  );

  const running = runLoop({ look, pauseMs: PAUSE_MS, signal, onTrouble });

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
function roomIn({ places, busy, unrecorded }: Lane): number {
  const round = Math.min(ROUND_PLACES, places);
  return places - busy >= round && unrecorded < MOST_UNRECORDED ? round : 0;
}

/** A lane that can be forgotten; a receiver that did not answer is remembered. */
function isQuiet({ places, busy, unrecorded, waiting }: Lane): boolean {
  return places === LANE_PLACES && busy === 0 && unrecorded === 0 && waiting.length === 0;
}
