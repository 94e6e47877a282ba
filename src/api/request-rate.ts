/** Lets each token ask so many times a second and no more, in real time, on this server (decision 0081). */
import { Refusal } from '../base/errors.js';

interface Bucket {
  /** How many requests may still come at once. */
  left: number;
  /** When that was true, in milliseconds of a clock that nobody moves. */
  at: number;
}

/** Buckets that have filled up again are as good as none: beyond this many they are let go. */
const MOST_BUCKETS = 10_000;
const SECOND_MS = 1000;

export class RequestRate {
  readonly #perSecond: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(perSecond: number, now: () => number = () => performance.now()) {
    this.#perSecond = perSecond;
    this.#now = now;
  }

  /** Counts a request of whoever the key stands for; refuses one too many, which then does not count. */
  count(key: string): void {
    const now = this.#now();
    const bucket = this.#buckets.get(key) ?? this.#newBucket(key, now);
    bucket.left = this.#refilled(bucket, now);
    bucket.at = now;
    if (bucket.left < 1) {
      throw new Refusal('RATE_LIMITED', { retryAfterSeconds: Math.ceil((1 - bucket.left) / this.#perSecond) });
    }
    bucket.left -= 1;
  }

  #refilled({ left, at }: Bucket, now: number): number {
    return Math.min(this.#perSecond, left + ((now - at) * this.#perSecond) / SECOND_MS);
  }

  #newBucket(key: string, now: number): Bucket {
    if (this.#buckets.size >= MOST_BUCKETS) {
      for (const [other, bucket] of this.#buckets) {
        if (this.#refilled(bucket, now) >= this.#perSecond) this.#buckets.delete(other);
      }
    }
    const bucket: Bucket = { left: this.#perSecond, at: now };
    this.#buckets.set(key, bucket);
    return bucket;
  }
}
