/** What people order at a counter: some hundred different orders, each reckoned once by the rules of receipts. */
import { identifyLines } from '../../business/receipts/line-ids.js';
import { computeReceipt, type TaxInput } from '../../business/receipts/model.js';
import { type ReceiptRecord, toReceiptRecord } from '../../business/receipts/record.js';
import { Chance } from './chance.js';
import { order, PARTS_OF_DAY, type PartOfDay } from './menu.js';

/** Of each part of the day: enough that nobody sees them come again, few enough that reckoning them hardly counts. */
const TICKETS_OF_A_PART = 150;

/** The same at every place with this tax, whatever else is told of it. */
const SEED = 1;

export class Tickets {
  readonly #tickets: ReadonlyMap<PartOfDay, readonly ReceiptRecord[]>;

  /** What is sold has the ids that its owner would give it: a merchant, or whoever stands for many that share a menu. */
  constructor(tax: TaxInput, { owner, currency }: { readonly owner: string; readonly currency: string }) {
    const chance = new Chance(SEED);
    const draw = (part: PartOfDay) =>
      toReceiptRecord(computeReceipt(identifyLines(order(chance, tax, part), owner)), currency);
    this.#tickets = new Map(
      PARTS_OF_DAY.map((part) => [part, Array.from({ length: TICKETS_OF_A_PART }, () => draw(part))]),
    );
  }

  pick(chance: Chance, part: PartOfDay): ReceiptRecord {
    return chance.pick(this.#tickets.get(part) ?? []);
  }
}
