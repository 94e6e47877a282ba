/** Keeps one visitor from taking up all the room: so many requests in so long, counted on each server (real time). */
import { realNow } from '../base/clock.js';
import { Refusal } from '../base/errors.js';
import { type Instant, instant, SECOND_MS } from '../base/time.js';

const WINDOW_MS = 60 * SECOND_MS;
/** Bounds memory when requests come from many addresses. */
const MOST_SUBJECTS = 10_000;

interface Window {
  readonly endsAt: Instant;
  count: number;
}

export class RateLimit {
  readonly #windows = new Map<string, Window>();
  readonly #most: number;

  /** @param most how many a minute */
  constructor(most: number) {
    this.#most = most;
  }

  /** Counts a request, or refuses it. */
  count(subject: string): void {
    const now = realNow();
    const known = this.#windows.get(subject);
    const window = known && known.endsAt > now ? known : { endsAt: instant(now + WINDOW_MS), count: 0 };
    if (window !== known) this.#open(subject, window, now);
    window.count++;
    if (window.count <= this.#most) return;
    throw new Refusal('RATE_LIMITED', { retryAfterSeconds: Math.ceil((window.endsAt - now) / SECOND_MS) });
  }

  #open(subject: string, window: Window, now: Instant): void {
    if (this.#windows.size >= MOST_SUBJECTS) {
      for (const [other, { endsAt }] of this.#windows) if (endsAt <= now) this.#windows.delete(other);
      if (this.#windows.size >= MOST_SUBJECTS) this.#windows.clear();
    }
    this.#windows.set(subject, window);
  }
}
