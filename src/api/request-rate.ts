/** Lets each caller ask so many times in so long and no more, in real time, on this server (decision 0081). */
import { Refusal } from '../base/errors.js';
import { SECOND_MS } from '../base/time.js';

interface Bucket {
  /** How many requests may still come at once. */
  left: number;
  /** When that was true, in milliseconds of a clock that nobody moves. */
  at: number;
}

/** Bounds memory. Buckets that have filled up again are as good as none and go first, then the oldest. */
const MAX_BUCKETS = 10_000;

export class RequestRate {
  readonly #max: number;
  readonly #windowMs: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /** So many at once, and as many again spread over each window. */
  constructor(max: number, windowMs: number, now: () => number = () => performance.now()) {
    this.#max = max;
    this.#windowMs = windowMs;
    this.#now = now;
  }

  /** Counts a request of whoever the key stands for; refuses one too many, which then does not count. */
  count(key: string): void {
    const now = this.#now();
    const bucket = this.#buckets.get(key) ?? this.#newBucket(key, now);
    bucket.left = this.#refilled(bucket, now);
    bucket.at = now;
    if (bucket.left < 1) {
      const waitMs = ((1 - bucket.left) * this.#windowMs) / this.#max;
      throw new Refusal('RATE_LIMITED', { retryAfterSeconds: Math.ceil(waitMs / SECOND_MS) });
    }
    bucket.left -= 1;
  }

  /** Takes back what was counted, where it turned out not to matter. */
  uncount(key: string): void {
    const bucket = this.#buckets.get(key);
    if (bucket) bucket.left = Math.min(this.#max, bucket.left + 1);
  }

  #refilled({ left, at }: Bucket, now: number): number {
    return Math.min(this.#max, left + ((now - at) * this.#max) / this.#windowMs);
  }

  #newBucket(key: string, now: number): Bucket {
    if (this.#buckets.size >= MAX_BUCKETS) this.#makeRoom(now);
    const bucket: Bucket = { left: this.#max, at: now };
    this.#buckets.set(key, bucket);
    return bucket;
  }

  #makeRoom(now: number): void {
    for (const [key, bucket] of this.#buckets) {
      if (this.#refilled(bucket, now) >= this.#max) this.#buckets.delete(key);
    }
    for (const key of this.#buckets.keys()) {
      if (this.#buckets.size < MAX_BUCKETS) break;
      this.#buckets.delete(key);
    }
  }
}
