/** Limits concurrent hashing: two jobs run, some wait, the rest are refused. Hashing must not use all memory and CPU time. */
import { Refusal } from '../base/errors.js';

const MAX_RUNNING = 2;
/** A job takes about 50 ms, so the last one waits about two seconds. */
const MAX_WAITING = 64;

export class HashQueue {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running >= MAX_RUNNING) await this.#wait();
    else this.#running++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next)
        next(); // inherits this slot
      else this.#running--;
    }
  }

  #wait(): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING) {
      throw new Refusal('SERVICE_UNAVAILABLE', {
        detail: 'Too many sign-ins are in progress. Try again in a few seconds.',
        retryAfterSeconds: 2,
      });
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
