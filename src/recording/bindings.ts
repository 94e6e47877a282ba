/** Which value of a recording stands for which of now: ids, times and tokens are matched by their places (decision 0268). */
import { isMasked } from '../sandbox/masking.js';
import type { Json } from '../sandbox/stub-definition.js';

/** Parts of a text that can be ids. */
const ID_LIKE = /[\w-]{8,}/g;
/** Members whose values a server makes up. */
const MADE_UP =
  /(?:^|_)(?:id|ids|uid|token|cursor|url|fingerprint|secret)$|^(?:receipt_number|auth_result_code|batch_token)$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;

export function isMadeUp(name: string, recorded: string): boolean {
  return MADE_UP.test(name) || isMasked(recorded);
}

export function isTime(text: string): boolean {
  return TIME.test(text);
}

/** A time, for example with milliseconds or without. */
export function formOf(time: string): string {
  return time.replaceAll(/\d/g, '0');
}

export class Bindings {
  readonly #now = new Map<string, string>();
  readonly #recorded = new Map<string, string>();

  /** The first place where a value appears decides. */
  bind(recorded: string, now: string): void {
    if (this.#now.has(recorded)) return;
    this.#now.set(recorded, now);
    if (!this.#recorded.has(now)) this.#recorded.set(now, recorded);
  }

  nowOf(recorded: string): string | undefined {
    return this.#now.get(recorded);
  }

  /** Whether a value of now may stand for this one. Two ids of a recording cannot be the same id now. */
  fits(recorded: string, now: string): boolean {
    return (this.#now.get(recorded) ?? now) === now && (this.#recorded.get(now) ?? recorded) === recorded;
  }

  /** A recorded text as it should be now, also if ids are only parts of it. */
  fill(recorded: string): string {
    const whole = this.#now.get(recorded);
    if (whole !== undefined) return whole;
    return recorded.replaceAll(ID_LIKE, (part) => this.#now.get(part) ?? part);
  }
}

/** All texts in a value, with the names of their members. An element of a list has the name of the list. */
export function* textsIn(value: Json | undefined, name = ''): Generator<readonly [name: string, text: string]> {
  if (typeof value === 'string') yield [name, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [member, each] of Object.entries(value))
    yield* textsIn(each as Json, Array.isArray(value) ? name : member);
}
