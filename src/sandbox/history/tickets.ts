/** What people order at a counter: some hundred different orders, each reckoned once by the rules of receipts. */
import { computeReceipt, type TaxInput } from '../../business/payments/receipt.js';
import { type PrintedReceipt, toPrintedReceipt } from '../../business/payments/sale.js';
import { Chance } from './chance.js';
import { order } from './menu.js';

/** Enough that nobody sees them come again, few enough that reckoning them hardly counts. */
const DIFFERENT_TICKETS = 400;

/** The same at every place with this tax, whatever else is told of it. */
const SEED = 1;

export class Tickets {
  readonly #tickets: readonly PrintedReceipt[];

  constructor(tax: TaxInput, currency: string) {
    const chance = new Chance(SEED);
    this.#tickets = Array.from({ length: DIFFERENT_TICKETS }, () =>
      toPrintedReceipt(computeReceipt(order(chance, tax)), currency),
    );
  }

  pick(chance: Chance): PrintedReceipt {
    return chance.pick(this.#tickets);
  }
}
