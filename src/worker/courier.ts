/**
 * Tells receivers what happened, each in a lane of its own: one that is slow or dead keeps only itself waiting. Any number
 * of servers may run it on one database.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { realNow } from '../base/clock.js';
import { instant, SECOND_MS } from '../base/time.js';
import type { Database } from '../database/database.js';
import {
  type ClaimedDelivery,
  insertAttempts,
  listReceivers,
  type Receiver,
  updateDeliveriesToFree,
  updateDeliveriesToTaken,
} from '../events/delivery-queries.js';
import { ANSWER_LIMIT_MS, nextAttempt } from '../events/model.js';
import type { Sender } from '../events/sending.js';

const PAUSE_MS = 100;
/** As many to one receiver at a time, taken in rounds; one at a time to a receiver that did not answer. */
const LANE_PLACES = 128;
const ROUND_PLACES = 64;
/** Longer than an attempt can take, so that nobody is told twice but after a crash. */
export const LEASE_MS = ANSWER_LIMIT_MS + 20 * SECOND_MS;
const MOST_RECEIVERS_A_LOOK = 16;

interface Lane {
  free: number;
  places: number;
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
    const except = [...lanes].filter(([, lane]) => lane.free <= 0).map(([id]) => id);
    const limit = MOST_RECEIVERS_A_LOOK;
    for (const receiver of await listReceivers(database.sql, { now: realNow(), except, limit })) {
      const { subscriptionId, merchantId } = receiver;
      const lane = lanes.get(subscriptionId) ?? { free: LANE_PLACES, places: LANE_PLACES, waiting: [] };
      lanes.set(subscriptionId, lane);
      if (!lane.waiting.some((each) => each.merchantId === merchantId)) lane.waiting.push(receiver);
      pump(lane);
    }
  };

  /** Begins rounds while there is room; a lane that is empty is forgotten. */
  const pump = (lane: Lane): void => {
    while (!signal.aborted && lane.free > 0) {
      const receiver = lane.waiting.shift();
      if (!receiver) break;
      const places = Math.min(ROUND_PLACES, lane.free);
      lane.free -= places;
      const round = deliver(lane, receiver, places)
        .catch(onTrouble)
        .finally(() => {
          lane.free += places;
          rounds.delete(round);
          pump(lane);
          if (lane.free === lane.places && lane.places === LANE_PLACES) lanes.delete(receiver.subscriptionId);
        });
      rounds.add(round);
    }
  };

  const deliver = async (lane: Lane, receiver: Receiver, limit: number): Promise<void> => {
    const now = realNow();
    const claim = { now, until: instant(now + LEASE_MS), limit };
    const taken = await database.statement((tx) => updateDeliveriesToTaken(tx, receiver, claim));
    if (taken.length === limit) {
      lane.waiting.push(receiver); // there may be more
      pump(lane);
    }
    const due = befall ? await befall(receiver.merchantId, taken) : taken;
    const untried = (await Promise.all(due.map((delivery) => attempt(lane, delivery)))).filter((each) => !!each);
    if (untried.length > 0) await database.statement((tx) => updateDeliveriesToFree(tx, untried, realNow()));
  };

  /** Undefined where it was tried. */
  const attempt = async (lane: Lane, delivery: ClaimedDelivery): Promise<ClaimedDelivery | undefined> => {
    const { id, merchantId, failures, retryReason, firstTriedAt } = delivery;
    const message = { ...delivery, retry: failures, retryReason, firstTriedAt: firstTriedAt ?? realNow() };
    const outcome = signal.aborted ? undefined : await sender.send(message).catch(() => undefined);
    if (!outcome) return delivery;
    setPlaces(lane, outcome.status === null ? 1 : LANE_PLACES);
    const retryAt = outcome.failure === null ? undefined : nextAttempt(realNow(), failures + 1, Math.random());
    await database.gathered(insertAttempts, {
      ...outcome,
      id,
      merchantId,
      retryAt,
      firstTriedAt: message.firstTriedAt,
    });
    return undefined;
  };

  const running = (async () => {
    while (!signal.aborted) {
      await look().catch(onTrouble);
      await sleep(PAUSE_MS, undefined, { signal }).catch(() => {});
    }
  })();

  return {
    async stop() {
      stopping.abort();
      sender.close();
      await running;
      await Promise.all(rounds);
    },
  };
}

function setPlaces(lane: Lane, places: number): void {
  lane.free += places - lane.places;
  lane.places = places;
}
