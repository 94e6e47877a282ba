/** Limits the rate of requests for each key with a token bucket, in real time, on this server only (decision 0081). */
import { Refusal } from '../base/errors.js';
import { SECOND_MS } from '../base/time.js';
import { TokenBucket } from '../base/token-bucket.js';

/** Limits memory. Full buckets are deleted first, because they have no effect, and then the oldest ones. */
const MAX_BUCKETS = 10_000;

export class RequestRate {
  readonly #max: number;
  readonly #windowMs: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, TokenBucket>();
  /** Called with every change of a count on this process, for the others of the server. */
  onChange: ((key: string, by: 1 | -1) => void) | undefined;

  /** Allows a burst of `max` requests and refills the bucket evenly over each window. */
  constructor(max: number, windowMs: number, now: () => number = () => performance.now()) {
    this.#max = max;
    this.#windowMs = windowMs;
    this.#now = now;
  }

  /** Counts a request. Throws if the limit is reached; the refused request does not count. */
  count(key: string): void {
    const now = this.#now();
    const bucket = this.#bucketOf(key, now);
    const left = bucket.left(now);
    if (left < 1) {
      const waitMs = ((1 - left) * this.#windowMs) / this.#max;
      throw new Refusal('RATE_LIMITED', { retryAfterSeconds: Math.ceil(waitMs / SECOND_MS) });
    }
    bucket.take(1, now);
    this.onChange?.(key, 1);
  }

  /** Reverses `count` for a request that turned out not to count. */
  uncount(key: string): void {
    this.#buckets.get(key)?.take(-1, this.#now());
    this.onChange?.(key, -1);
  }

  /** Counts requests of another process. They were allowed there, so this can leave less than nothing. */
  add(key: string, requests: number): void {
    const now = this.#now();
    this.#bucketOf(key, now).take(requests, now);
  }

  #bucketOf(key: string, now: number): TokenBucket {
    const known = this.#buckets.get(key);
    if (known) return known;
    if (this.#buckets.size >= MAX_BUCKETS) this.#makeRoom(now);
    const bucket = new TokenBucket(this.#max, this.#windowMs, now);
    this.#buckets.set(key, bucket);
    return bucket;
  }

  #makeRoom(now: number): void {
    for (const [key, bucket] of this.#buckets) {
      if (bucket.left(now) >= this.#max) this.#buckets.delete(key);
    }
    for (const key of this.#buckets.keys()) {
      if (this.#buckets.size < MAX_BUCKETS) break;
      this.#buckets.delete(key);
    }
  }
}
