/** Receipts for generated sales: some hundred different ones, each computed once. */

import { type ReceiptRecord, toReceiptRecord } from '../../business/receipts/copies.js';
import { identifyLines } from '../../business/receipts/line-ids.js';
import { computeReceipt, type TaxInput } from '../../business/receipts/model.js';
import { generateReceiptInput, PARTS_OF_DAY, type PartOfDay } from './menu.js';
import { SeededRandom } from './seeded-random.js';

/** Enough that repetitions are not noticed, few enough that computing them takes no noticeable time. */
const TICKETS_PER_PART_OF_DAY = 150;

/** Fixed: locations with the same tax have the same tickets. */
const SEED = 1;

export class Tickets {
  readonly #tickets: ReadonlyMap<PartOfDay, readonly ReceiptRecord[]>;

  /** Item ids are derived from `owner`: a merchant id, or a fixed name for many merchants that share a menu. */
  constructor(tax: TaxInput, { owner, currency }: { readonly owner: string; readonly currency: string }) {
    const random = new SeededRandom(SEED);
    const generate = (part: PartOfDay) =>
      toReceiptRecord(computeReceipt(identifyLines(generateReceiptInput(random, tax, part), owner)), currency);
    this.#tickets = new Map(
      PARTS_OF_DAY.map((part) => [part, Array.from({ length: TICKETS_PER_PART_OF_DAY }, () => generate(part))]),
    );
  }

  pick(random: SeededRandom, part: PartOfDay): ReceiptRecord {
    return random.pick(this.#tickets.get(part) ?? []);
  }
}
