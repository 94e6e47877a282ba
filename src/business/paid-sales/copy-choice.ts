/** Decides which printed sales are kept as copies, and forgets copies. Not all are kept, because reads should write little. */
import { SECOND_MS } from '../../base/time.js';
import { TokenBucket } from '../../base/token-bucket.js';
import { type Change, json } from '../../database/change.js';
import type { Database } from '../../database/database.js';
import type { SaleCopy } from './copy-queries.js';

/** How many listed sales are remembered. If there are more, all are forgotten, so their copies are only kept later. */
const MAX_LISTED = 20_000;
/** In characters; a page has about a million. Without a limit, a client that reads a long history twice would cause a copy of all of it. */
const [MAX_AT_ONCE, MAX_PER_SECOND] = [16 * 1024 * 1024, 4 * 1024 * 1024];

class CopyChoice {
  readonly #listedOnce = new Set<string>();
  readonly #budget = new TokenBucket(MAX_AT_ONCE, (MAX_AT_ONCE / MAX_PER_SECOND) * SECOND_MS, performance.now());

  /** Whether the sale is listed for the second time, and the budget is not used up. */
  accepts({ saleId, stamp, v1Json }: SaleCopy): boolean {
    const now = performance.now();
    if (this.#budget.left(now) <= 0 || !this.#isListedAgain(`${saleId} ${stamp}`)) return false;
    this.#budget.take(v1Json.length, now);
    return true;
  }

  #isListedAgain(key: string): boolean {
    const listed = this.#listedOnce;
    if (listed.delete(key)) return true;
    if (listed.size >= MAX_LISTED) listed.clear();
    listed.add(key);
    return false;
  }
}

const choices = new WeakMap<Database, CopyChoice>();

/** Each process has its own choice. */
export function copyChoiceOf(database: Database): CopyChoice {
  const choice = choices.get(database) ?? new CopyChoice();
  choices.set(database, choice);
  return choice;
}

/** Deletes copies. No copy of the merchant is kept until the change is committed. */
export function forgetCopies(change: Change, saleIds: readonly string[]): void {
  change.call('delete_sale_copies', { sale_ids: json(JSON.stringify(saleIds)) });
}
