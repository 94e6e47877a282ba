/**
 * Caches who a credential belongs to, so that a request needs no extra query. No returned entry is older than a second: entries in use are
 * refreshed in the background, all of a shard in one statement, and idle ones are dropped. If very many are in use, only those used since
 * the last refresh are refreshed, and the others are looked up when they are used again: the work grows with the requests, not with the
 * merchants.
 */
import { realNow } from '../base/clock.js';
import { groupBy } from '../base/group-by.js';
import type { MaybePromise } from '../base/maybe-promise.js';
import type { Instant } from '../base/time.js';
import type { CredentialPlacement, Directory } from './directory.js';

const TRUSTED_MS = 1000;
const REFRESH_MS = 400;
const IDLE_MS = 30_000;
/** Reading a thousand takes 30 ms, in which the server does nothing else. */
const MAX_REFRESHED = 200;
/** Limits memory if somebody tries many tokens, because unknown tokens are cached too. */
const MAX_ENTRIES = 50_000;

interface Entry<Identity> {
  /** Undefined: the directory does not have the credential. */
  readonly placement: CredentialPlacement | undefined;
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

/** A credential by its hash, in hexadecimal. */
export interface LocatedCredential extends CredentialPlacement {
  readonly hash: string;
}

/** Returns identities by hash. Those of invalid credentials are missing from the result. All credentials are of one shard. */
type Lookup<Identity> = (credentials: readonly LocatedCredential[]) => Promise<ReadonlyMap<string, Identity>>;

export class CredentialCache<Identity> {
  readonly #entries = new Map<string, Entry<Identity>>();
  readonly #pending = new Map<string, PendingLookup<Identity>>();
  readonly #directory: Pick<Directory, 'locate'>;
  readonly #lookup: Lookup<Identity>;
  /** The shards whose entries are being refreshed. */
  readonly #refreshing = new Set<CredentialPlacement['shard']>();
  #timer: NodeJS.Timeout | undefined;
  #generation = 0;
  #hits = 0;
  #misses = 0;

  constructor(directory: Pick<Directory, 'locate'>, lookup: Lookup<Identity>) {
    this.#directory = directory;
    this.#lookup = lookup;
  }

  /** At once if it is cached. */
  find(hash: string): MaybePromise<Identity | undefined> {
    const now = realNow();
    const entry = this.#entries.get(hash);
    if (entry && now - entry.readAt < TRUSTED_MS) {
      entry.usedAt = now;
      this.#hits += 1;
      return entry.identity;
    }
    this.#misses += 1;
    return this.#lookUp(hash, now);
  }

  async #lookUp(hash: string, now: Instant): Promise<Identity | undefined> {
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

  get counts(): { readonly hits: number; readonly misses: number; readonly entries: number } {
    return { hits: this.#hits, misses: this.#misses, entries: this.#entries.size };
  }

  /** Call it after a change made by this server, of one merchant or of all: the next request reads from the database. */
  invalidate(merchantId?: string): void {
    this.#generation++; // lookups in flight may have read the state before the change
    for (const [hash, { identity, placement }] of this.#entries) {
      const isConcerned = merchantId === undefined || placement?.merchantId === merchantId;
      if (identity === undefined || isConcerned) this.#entries.delete(hash);
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
    const placement = await this.#directory.locate(hash);
    const identity = placement && (await this.#lookup([{ hash, ...placement }])).get(hash);
    if (generation !== this.#generation) return isRepeated ? identity : this.#read(hash, true);
    if (this.#entries.size >= MAX_ENTRIES) this.#entries.clear();
    // A slow lookup may return after one that was sent later.
    if ((this.#entries.get(hash)?.readAt ?? 0) <= readAt) {
      this.#entries.set(hash, { placement, identity, readAt, usedAt: readAt });
      this.#schedule();
    }
    return identity;
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => this.#refresh(), REFRESH_MS).unref();
  }

  #refresh(): void {
    this.#timer = undefined;
    for (const [shard, credentials] of this.#listInUse(realNow())) {
      if (!this.#refreshing.has(shard)) void this.#refreshShard(shard, credentials);
    }
    if (this.#entries.size > 0) this.#schedule();
  }

  /** Does not wait for other shards: one whose node is slow or down does not disturb them. */
  async #refreshShard(shard: CredentialPlacement['shard'], credentials: readonly LocatedCredential[]): Promise<void> {
    const [readAt, generation] = [realNow(), this.#generation];
    this.#refreshing.add(shard);
    try {
      const found = await this.#lookup(credentials);
      if (generation !== this.#generation) return;
      for (const { hash } of credentials) {
        const entry = this.#entries.get(hash);
        if (entry && entry.readAt < readAt) Object.assign(entry, { identity: found.get(hash), readAt });
      }
    } catch {
      // The database is unavailable: the entries expire, and the next requests report the error.
    } finally {
      this.#refreshing.delete(shard);
    }
  }

  /** Drops the idle ones, and returns the credentials to refresh, by shard. */
  #listInUse(now: Instant): Map<CredentialPlacement['shard'], LocatedCredential[]> {
    const inUse: (readonly [LocatedCredential, usedAt: Instant])[] = [];
    for (const [hash, { placement, identity, usedAt }] of this.#entries) {
      // Unknown credentials are not refreshed. They expire.
      if (now - usedAt > (identity === undefined ? TRUSTED_MS : IDLE_MS)) this.#entries.delete(hash);
      else if (placement && identity !== undefined) inUse.push([{ hash, ...placement }, usedAt]);
    }
    const refreshed =
      inUse.length > MAX_REFRESHED
        ? inUse.filter(([, usedAt]) => now - usedAt <= REFRESH_MS).slice(0, MAX_REFRESHED)
        : inUse;
    return groupBy(
      refreshed.map(([credential]) => credential),
      ({ shard }) => shard,
    );
  }
}
