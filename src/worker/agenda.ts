/**
 * Finds work in a distributed database, where asking all shards all the time would be too expensive. The agenda, a small table on the
 * coordinator, tells which merchants have something due (decision 0133). It is only a hint:
 *
 * - After a write, the same server looks at the merchant soon. That is one small read on the merchant's node.
 * - What is due then is done by the loops of this server. What becomes due soon is written into the agenda, from which any server takes it.
 * - A sweep of each shard finds everything else: what is due later, and what a crash has lost.
 *
 * Any number of servers can run this on one database. They share the sweeps.
 */
import { realNow } from '../base/clock.js';
import { type Instant, instant, SECOND_MS } from '../base/time.js';
import type { Database } from '../database/database.js';
import { listShards } from '../database/shards.js';
import type { Receiver } from '../events/delivery-queries.js';
import {
  type AgendaSubject,
  type DueSubject,
  deleteDueEntries,
  insertAgendaEntries,
  listDueMerchants,
  listDueSubjects,
} from './agenda-queries.js';
import type { DueQuery, DueSource } from './due-source.js';
import { runLoop } from './loop.js';

const PAUSE_MS = 100;
const SWEEP_INTERVAL_MS = 30 * SECOND_MS;
/** The time until a merchant whose node does not respond is looked at again. */
const RETRY_MS = 5 * SECOND_MS;
const MAX_ENTRIES_PER_POLL = 1000;
const MAX_ROWS_PER_SWEEP = 10_000;
/** Merchants that are looked at concurrently. The other connections are for requests. */
const MAX_LOOKS = 3;

export interface AgendaOptions {
  readonly database: Database;
  readonly onError: (error: unknown, merchantId?: string) => void;
  /** The time between two sweeps of a shard. */
  readonly sweepIntervalMs?: number | undefined;
}

export class Agenda implements DueSource {
  readonly #database: Database;
  readonly #onError: AgendaOptions['onError'];
  readonly #sweepIntervalMs: number;
  readonly #stopping = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  /** Merchants with new writes. They wait for the next poll, so that a busy merchant is looked at only once per poll. */
  readonly #hints = new Set<string>();
  /** Merchants to look at, in order, and those that are being looked at. */
  readonly #toLookAt = new Set<string>();
  readonly #looking = new Map<string, Promise<void>>();
  readonly #toSweep = new Set<string>();
  #sweeping: Promise<void> | undefined;
  /** Entries that are not written to the agenda yet, by kind and id. */
  readonly #entries = new Map<string, AgendaSubject & { readonly dueAt: Instant }>();

  /** Merchants with due work, and with calls to repeat, until a loop takes them. */
  readonly #dueWork = new Set<string>();
  readonly #calls = new Set<string>();
  /** Merchants with due deliveries, by subscription. */
  readonly #receivers = new Map<string, Set<string>>();

  constructor({ database, onError, sweepIntervalMs = SWEEP_INTERVAL_MS }: AgendaOptions) {
    this.#database = database;
    this.#onError = onError;
    this.#sweepIntervalMs = sweepIntervalMs;
  }

  start(): void {
    const { signal } = this.#stopping;
    const onError = this.#onError;
    let isFirst = true;
    const addShards = async () => {
      // Repeated because a server that crashed during a sweep had taken the entry of the shard.
      const dueAt = isFirst ? realNow() : this.#afterNow(this.#sweepIntervalMs);
      for (const id of await listShards(this.#database.sql)) this.#add({ kind: 'SHARD', id }, dueAt);
      isFirst = false;
    };
    this.#running = Promise.all([
      runLoop({ poll: addShards, pauseMs: this.#sweepIntervalMs, signal, onError }),
      runLoop({ poll: () => this.#poll(), pauseMs: PAUSE_MS, signal, onError }),
    ]);
  }

  lookAt(merchantId: string): void {
    this.#hints.add(merchantId);
  }

  async listMerchantsWithDueWork(wanted: DueQuery): Promise<readonly string[]> {
    return takeFrom(this.#dueWork, wanted);
  }

  async listMerchantsWithCalls(wanted: DueQuery): Promise<readonly string[]> {
    return takeFrom(this.#calls, wanted);
  }

  async listReceivers({ except, limit }: DueQuery): Promise<readonly Receiver[]> {
    const taken: Receiver[] = [];
    for (const [subscriptionId, merchants] of this.#receivers) {
      if (except.includes(subscriptionId)) continue;
      for (const merchantId of takeFrom(merchants, { except: [], limit })) taken.push({ subscriptionId, merchantId });
      if (merchants.size === 0) this.#receivers.delete(subscriptionId);
    }
    return taken;
  }

  /** Leaves to other servers what this one has found and not done. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await Promise.all([...this.#looking.values(), this.#sweeping]);
    const now = realNow();
    for (const merchants of [this.#hints, this.#toLookAt, this.#dueWork, this.#calls, ...this.#receivers.values()]) {
      for (const id of merchants) this.#add({ kind: 'MERCHANT', id }, now);
    }
    await this.#writeEntries().catch(this.#onError);
  }

  /** Without anything to do, this is one statement. */
  async #poll(): Promise<void> {
    await this.#writeEntries();
    const due = { now: realNow(), limit: MAX_ENTRIES_PER_POLL };
    for (const { kind, id } of await this.#database.statement((tx) => deleteDueEntries(tx, due))) {
      (kind === 'SHARD' ? this.#toSweep : this.#toLookAt).add(id);
    }
    for (const merchantId of this.#hints) this.#toLookAt.add(merchantId);
    this.#hints.clear();
    this.#sweepNext();
    this.#lookAtNext();
  }

  async #writeEntries(): Promise<void> {
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    if (entries.length > 0) await this.#database.statement((tx) => insertAgendaEntries(tx, entries));
  }

  #lookAtNext(): void {
    for (const merchantId of this.#toLookAt) {
      if (this.#looking.size >= MAX_LOOKS || this.#stopping.signal.aborted) return;
      if (this.#looking.has(merchantId)) continue; // it is looked at again later, because this look may be too early
      this.#toLookAt.delete(merchantId);
      const look = this.#look(merchantId).finally(() => {
        this.#looking.delete(merchantId);
        this.#lookAtNext();
      });
      this.#looking.set(merchantId, look);
    }
  }

  async #look(merchantId: string): Promise<void> {
    try {
      await this.#database.locate(merchantId);
      for (const subject of await listDueSubjects(this.#database.sql, merchantId)) this.#note(merchantId, subject);
    } catch (error) {
      this.#onError(error, merchantId);
      this.#add({ kind: 'MERCHANT', id: merchantId }, this.#afterNow(RETRY_MS));
    }
  }

  #note(merchantId: string, { kind, subscriptionId, dueAt }: DueSubject): void {
    if (dueAt === null) return;
    if (dueAt > realNow()) {
      // A sweep finds what becomes due later.
      if (dueAt <= this.#horizon()) this.#add({ kind: 'MERCHANT', id: merchantId }, dueAt);
    } else if (kind === 'DUE_WORK') {
      this.#dueWork.add(merchantId);
    } else if (kind === 'CALL') {
      this.#calls.add(merchantId);
    } else if (subscriptionId !== null) {
      const merchants = this.#receivers.get(subscriptionId) ?? new Set();
      this.#receivers.set(subscriptionId, merchants.add(merchantId));
    }
  }

  /** One shard after the other. */
  #sweepNext(): void {
    const [shard] = this.#toSweep;
    if (shard === undefined || this.#sweeping || this.#stopping.signal.aborted) return;
    this.#toSweep.delete(shard);
    this.#sweeping = this.#sweep(shard).finally(() => {
      this.#sweeping = undefined;
      this.#sweepNext();
    });
  }

  /** If the node of the shard does not respond, the other shards are swept all the same. */
  async #sweep(shard: string): Promise<void> {
    try {
      await this.#database.locate(shard);
      const range = { shard, until: this.#horizon(), limit: MAX_ROWS_PER_SWEEP };
      for (const { merchantId, dueAt } of await listDueMerchants(this.#database.sql, range)) {
        this.#add({ kind: 'MERCHANT', id: merchantId }, dueAt);
      }
    } catch (error) {
      this.#onError(error);
    } finally {
      this.#add({ kind: 'SHARD', id: shard }, this.#afterNow(this.#sweepIntervalMs));
    }
  }

  #add(subject: AgendaSubject, dueAt: Instant): void {
    const key = `${subject.kind} ${subject.id}`;
    const known = this.#entries.get(key);
    if (!known || dueAt < known.dueAt) this.#entries.set(key, { ...subject, dueAt });
  }

  /** Every shard is swept at least once before this time. */
  #horizon(): Instant {
    return this.#afterNow(2 * this.#sweepIntervalMs);
  }

  #afterNow(ms: number): Instant {
    return instant(realNow() + ms);
  }
}

/** Also removes the merchants in `except`: the loop is working on them, and looks at them again when it has finished. */
function takeFrom(merchants: Set<string>, { except, limit }: DueQuery): readonly string[] {
  for (const merchantId of except) merchants.delete(merchantId);
  const taken = [...merchants].slice(0, limit);
  for (const merchantId of taken) merchants.delete(merchantId);
  return taken;
}
