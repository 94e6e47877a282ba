/** Limits how much is used over time: allows a burst of `max`, and refills evenly over each window. */
export class TokenBucket {
  readonly max: number;
  readonly #windowMs: number;
  #left: number;
  #at: number;

  /** Times are milliseconds of a monotonic clock. */
  constructor(max: number, windowMs: number, now: number) {
    this.max = max;
    this.#windowMs = windowMs;
    this.#left = max;
    this.#at = now;
  }

  left(now: number): number {
    return Math.min(this.max, this.#left + ((now - this.#at) * this.max) / this.#windowMs);
  }

  /** `amount` may be more than what is left: the rest becomes negative. A negative amount is given back. */
  take(amount: number, now: number): void {
    this.#left = Math.min(this.max, this.left(now) - amount);
    this.#at = now;
  }
}
