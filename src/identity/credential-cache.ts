/**
 * Caches who a credential belongs to, so that a request needs no extra query. No returned entry is older than a second: entries
 * in use are refreshed in the background, all in one statement, and idle ones are dropped.
 */
import { realNow } from '../base/clock.js';
import type { Instant } from '../base/time.js';

const TRUSTED_MS = 1000;
const REFRESH_MS = 400;
const IDLE_MS = 30_000;
/** Limits memory if somebody tries many tokens, because unknown tokens are cached too. */
const MAX_ENTRIES = 50_000;

interface Entry<Identity> {
  identity: Identity | undefined;
  /** When the statement that read it was sent. A revocation that was committed later may be missing. */
  readAt: Instant;
  usedAt: Instant;
}

/** A lookup in flight. */
interface PendingLookup<Identity> {
  readonly identity: Promise<Identity | undefined>;
  readonly startedAt: Instant;
}

/** Returns identities by hash, in hexadecimal. Unknown hashes are missing from the result. */
type Lookup<Identity> = (hashes: readonly string[]) => Promise<ReadonlyMap<string, Identity>>;

export class CredentialCache<Identity> {
  readonly #entries = new Map<string, Entry<Identity>>();
  readonly #pending = new Map<string, PendingLookup<Identity>>();
  readonly #lookup: Lookup<Identity>;
  #timer: NodeJS.Timeout | undefined;
  #generation = 0;

  constructor(lookup: Lookup<Identity>) {
    this.#lookup = lookup;
  }

  async find(hash: string): Promise<Identity | undefined> {
    const now = realNow();
    const entry = this.#entries.get(hash);
    if (entry && now - entry.readAt < TRUSTED_MS) {
      entry.usedAt = now;
      return entry.identity;
    }
    const known = this.#pending.get(hash);
    // The result of a slow lookup may be older than TRUSTED_MS, so a later request starts a new lookup.
    const isFresh = known !== undefined && now - known.startedAt < TRUSTED_MS;
    const pending = isFresh ? known : { identity: this.#read(hash), startedAt: now };
    this.#pending.set(hash, pending);
    try {
      return await pending.identity;
    } finally {
      if (this.#pending.get(hash) === pending) this.#pending.delete(hash);
    }
  }

  /** Call it after a change made by this server: the next request reads from the database. */
  forget(matches: (identity: Identity) => boolean): void {
    this.#generation++; // lookups in flight may have read the state before the change
    for (const [hash, { identity }] of this.#entries) {
      if (identity === undefined || matches(identity)) this.#entries.delete(hash);
    }
    this.#pending.clear();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#entries.clear();
  }

  /** Repeats a lookup if this server made a change meanwhile, but only once: a series of changes must not delay a request for long. */
  async #read(hash: string, isRepeated = false): Promise<Identity | undefined> {
    const [readAt, generation] = [realNow(), this.#generation];
    const identity = (await this.#lookup([hash])).get(hash);
    if (generation !== this.#generation) return isRepeated ? identity : this.#read(hash, true);
    if (this.#entries.size >= MAX_ENTRIES) this.#entries.clear();
    // A slow lookup may return after one that was sent later.
    if ((this.#entries.get(hash)?.readAt ?? 0) <= readAt) {
      this.#entries.set(hash, { identity, readAt, usedAt: readAt });
      this.#schedule();
    }
    return identity;
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => void this.#refresh(), REFRESH_MS).unref();
  }

  async #refresh(): Promise<void> {
    const [readAt, generation] = [realNow(), this.#generation];
    const inUse = this.#dropIdle(readAt);
    try {
      const found = inUse.length === 0 ? new Map<string, Identity>() : await this.#lookup(inUse);
      if (generation === this.#generation) {
        for (const hash of inUse) {
          const entry = this.#entries.get(hash);
          if (entry && entry.readAt < readAt) Object.assign(entry, { identity: found.get(hash), readAt });
        }
      }
    } catch {
      // The database is unavailable: the entries expire, and the next requests report the error.
    }
    this.#timer = undefined;
    if (this.#entries.size > 0) this.#schedule();
  }

  #dropIdle(now: Instant): string[] {
    const inUse: string[] = [];
    for (const [hash, { identity, usedAt }] of this.#entries) {
      // Unknown credentials are not refreshed. They expire.
      if (now - usedAt > (identity === undefined ? TRUSTED_MS : IDLE_MS)) this.#entries.delete(hash);
      else if (identity !== undefined) inUse.push(hash);
    }
    return inUse;
  }
}
