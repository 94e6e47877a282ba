/**
 * Who watches the changes of which merchant, on this server and on the others of the database (decision 0150). Writers publish here after
 * their commit. If nobody watches the merchant, that costs a lookup in a map.
 */
import { realNow } from '../base/clock.js';
import { realIds } from '../base/ids.js';
import { MINUTE_MS, SECOND_MS } from '../base/time.js';
import type { Database } from '../database/database.js';
import type { Watch } from './caller.js';
import type { Topic } from './topics.js';
import { insertWatch, updateMarks } from './watch-queries.js';

/** Servers know for this long that a merchant is watched. It is renewed before. */
const WATCH_MS = 20 * SECOND_MS;
const RENEW_MS = 8 * SECOND_MS;
/** Every server reads the marks several times a second, so an old one has been seen. */
const MARK_LIFETIME_MS = 5 * MINUTE_MS;
/** Changes of a merchant within this time are announced to the other servers together. */
const ANNOUNCE_MS = 150;

type Listener = (topics: Iterable<Topic>) => void;

/** `unknown`: the writer has not read whether somebody watches, so the other servers are told in any case. */
export type KnownWatch = Pick<Watch, 'watchers'> | null | 'unknown';

export class Watches {
  /** Names this process to the other servers. */
  readonly serverId = realIds.newId(12);
  readonly #database: Database;
  readonly #onError: (error: unknown, merchantId: string) => void;
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #listenersToAll = new Set<Listener>();
  /** Topics that the other servers do not know of yet, by merchant. */
  readonly #unannounced = new Map<string, Set<Topic>>();
  #renewing: NodeJS.Timeout | undefined;

  constructor(database: Database, onError: (error: unknown, merchantId: string) => void) {
    this.#database = database;
    this.#onError = onError;
  }

  /** Call it after the commit. */
  publish(merchantId: string, topics: Iterable<Topic>, watch: KnownWatch): void {
    const listeners = this.#listeners.get(merchantId);
    if (listeners) for (const listener of listeners) listener(topics);
    for (const listener of this.#listenersToAll) listener(topics);
    if (watch !== null && this.#isWatchedElsewhere(watch)) this.#announceSoon(merchantId, topics);
  }

  /** Calls `listener` with what this server publishes from now on. The other servers learn of it by `startWatch`. */
  listen(merchantId: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(merchantId) ?? new Set();
    this.#listeners.set(merchantId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(merchantId);
    };
  }

  /** Calls `listener` with what this server publishes for any merchant. */
  listenToAll(listener: Listener): () => void {
    this.#listenersToAll.add(listener);
    return () => this.#listenersToAll.delete(listener);
  }

  /** Tells the other servers that this one watches. Returns whether they knew that the merchant is watched. */
  async startWatch(merchantId: string): Promise<boolean> {
    this.#renewing ??= setInterval(() => this.#renew(), RENEW_MS).unref();
    return this.#writeWatch(merchantId);
  }

  close(): void {
    clearInterval(this.#renewing);
    this.#listeners.clear();
    this.#listenersToAll.clear();
    this.#unannounced.clear();
  }

  #isWatchedElsewhere(watch: Pick<Watch, 'watchers'> | 'unknown'): boolean {
    if (watch === 'unknown') return true;
    const now = realNow();
    return Object.entries(watch.watchers).some(([id, until]) => id !== this.serverId && until > now);
  }

  #announceSoon(merchantId: string, topics: Iterable<Topic>): void {
    const waiting = this.#unannounced.get(merchantId);
    if (waiting) {
      for (const topic of topics) waiting.add(topic);
      return;
    }
    this.#unannounced.set(merchantId, new Set(topics));
    setTimeout(() => this.#announceNow(merchantId), ANNOUNCE_MS).unref();
  }

  #announceNow(merchantId: string): void {
    const topics = this.#unannounced.get(merchantId);
    if (!topics) return;
    this.#unannounced.delete(merchantId);
    const now = realNow();
    const marks = Object.fromEntries(['at', ...topics].map((topic) => [topic, now]));
    void this.#database
      .statement((tx) => updateMarks(tx, merchantId, this.serverId, marks))
      .catch((error: unknown) => this.#onError(error, merchantId));
  }

  #renew(): void {
    if (this.#listeners.size === 0) {
      clearInterval(this.#renewing);
      this.#renewing = undefined;
    }
    for (const merchantId of this.#listeners.keys()) {
      void this.#writeWatch(merchantId).catch((error: unknown) => this.#onError(error, merchantId));
    }
  }

  async #writeWatch(merchantId: string): Promise<boolean> {
    const now = realNow();
    const watch = { serverId: this.serverId, now, until: now + WATCH_MS, seenBefore: now - MARK_LIFETIME_MS };
    return this.#database.statement((tx) => insertWatch(tx, merchantId, watch));
  }
}

/** The topics of other servers that have changed between two states of a watch. */
export function changedTopics(before: Watch | null, after: Watch | null, ownId: string): Set<Topic> {
  const changed = new Set<Topic>();
  for (const [serverId, marks] of Object.entries(after?.marks ?? {})) {
    if (serverId === ownId) continue;
    const known = before?.marks[serverId];
    for (const [topic, at] of Object.entries(marks)) {
      if (topic !== 'at' && known?.[topic] !== at) changed.add(topic as Topic);
    }
  }
  return changed;
}
