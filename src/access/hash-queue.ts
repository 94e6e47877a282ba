/** Does slow work a few at a time, lets some wait, and refuses the rest: hashing must not take all memory and time. */
import { Refusal } from '../base/errors.js';

const MAX_RUNNING = 2;
/** At a twentieth of a second each, the last of them waits about two seconds. */
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
        next(); // takes this place over
      else this.#running--;
    }
  }

  #wait(): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING) {
      throw new Refusal('SERVICE_UNAVAILABLE', {
        detail: 'Too many people are signing in right now; try again shortly.',
        retryAfterSeconds: 2,
      });
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
