/**
 * Limits concurrent hashing: two jobs run, some wait, the rest are refused. Hashing must not use all memory and CPU time. Those for whom
 * jobs wait take turns, so that nobody waits behind all jobs of another.
 */
import { Refusal } from '../base/errors.js';

const MAX_RUNNING = 2;
/** Of one network, or of one merchant's registers. A job takes about 50 ms, so the last one waits about half a second if no others wait. */
const MAX_WAITING_OF_ONE = 24;
const MAX_WAITING = 256;

export class HashQueue {
  #running = 0;
  #waiting = 0;
  /** The waiting jobs, by whose they are. Whose turn is next comes first. */
  readonly #turns = new Map<string, (() => void)[]>();

  async run<Result>(whose: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#running >= MAX_RUNNING) await this.#wait(whose);
    else this.#running++;
    try {
      return await work();
    } finally {
      const next = this.#takeNext();
      if (next)
        next(); // inherits this slot
      else this.#running--;
    }
  }

  #wait(whose: string): Promise<void> {
    const own = this.#turns.get(whose) ?? [];
    if (own.length >= MAX_WAITING_OF_ONE || this.#waiting >= MAX_WAITING) {
      throw new Refusal('SERVICE_UNAVAILABLE', {
        detail: 'Too many sign-ins are in progress. Try again in a few seconds.',
        retryAfterSeconds: 2,
      });
    }
    this.#waiting++;
    this.#turns.set(whose, own);
    return new Promise((resolve) => own.push(resolve));
  }

  #takeNext(): (() => void) | undefined {
    for (const [whose, own] of this.#turns) {
      this.#turns.delete(whose);
      const next = own.shift();
      if (own.length > 0) this.#turns.set(whose, own); // at the end: the others come first
      this.#waiting--;
      return next;
    }
    return undefined;
  }
}
