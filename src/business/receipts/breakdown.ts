/** What a refund gives back of each line of a sale: its taxes, discounts, surcharges and tips. */
import { type Amount, add, negate, shareOfPart, subtract, ZERO } from '../../base/money.js';
import { type Applied, type Breakdown, type Receipt, taxOf } from './model.js';

/** What a breakdown asks of a payment. */
export interface PaidTender {
  readonly id: string;
  readonly amount: Amount;
  readonly tip: Amount | null;
  readonly total: Amount;
}

export interface RefundedPart {
  readonly receipt: Pick<Receipt, 'due' | 'taxes' | 'discount' | 'surcharges'>;
  /** All that the sale was paid with, in the order of taking. */
  readonly tenders: readonly PaidTender[];
  /** Which of them is refunded, how much of it was before, and how much is now; tips included. */
  readonly tenderId: string;
  readonly before: Amount;
  readonly part: Amount;
}

/**
 * The tenders, without their tips, lie end to end on what was due, and a refund covers a stretch of that. A line gives
 * what lies under the stretch, so whatever the refunds and their order, those of all tenders together give each line once.
 */
export function breakDown({ receipt, tenders, tenderId, before, part }: RefundedPart): Breakdown {
  const { tender, start } = placeTender(tenders, tenderId);
  const tipOf = (stretch: { readonly before: Amount; readonly part: Amount }): Amount =>
    shareOfPart(tender.tip ?? ZERO, { total: tender.total, ...stretch });
  const tip = tipOf({ before, part });
  const covered = {
    total: receipt.due,
    before: add(start, subtract(before, tipOf({ before: ZERO, part: before }))),
    part: subtract(part, tip),
  };
  const giveBack = <Line>(line: Applied<Line>): Applied<Line> => ({
    ...line,
    applied: negate(shareOfPart(line.applied, covered)),
  });
  const taxes = receipt.taxes.map(giveBack);
  const surcharges = receipt.surcharges.map(giveBack);
  const [additiveTax, inclusiveTax] = [taxOf(taxes, 'ADDITIVE'), taxOf(taxes, 'INCLUSIVE')];
  return {
    tip: negate(tip),
    taxes,
    additiveTax,
    inclusiveTax,
    tax: add(additiveTax, inclusiveTax),
    discount: negate(shareOfPart(receipt.discount, covered)),
    surcharges,
    surcharge: add(...surcharges.map(({ applied }) => applied)),
  };
}

/** The same of a payment whose sale has no lines: an application's, or one of a sale that was never paid in full. */
export function breakDownTip(tender: PaidTender, stretch: Pick<RefundedPart, 'before' | 'part'>): Breakdown {
  const receipt = { due: tender.amount, taxes: [], discount: ZERO, surcharges: [] };
  return breakDown({ receipt, tenders: [tender], tenderId: tender.id, ...stretch });
}

/** Null for a refund of nothing but its amount: most are of payments without tips, taxes or the like. */
export function unlessEmpty(breakdown: Breakdown): Breakdown | null {
  const { tip, tax, discount, surcharge, taxes, surcharges } = breakdown;
  const lines = [...taxes, ...surcharges].map(({ applied }) => applied);
  return [tip, tax, discount, surcharge, ...lines].every((value) => value === ZERO) ? null : breakdown;
}

/** A tender, and where it begins on what was due. */
function placeTender(tenders: readonly PaidTender[], id: string): { tender: PaidTender; start: Amount } {
  const index = tenders.findIndex((tender) => tender.id === id);
  const tender = tenders[index];
  if (!tender) throw new RangeError(`no tender ${id} among those of the sale`);
  return { tender, start: add(...tenders.slice(0, index).map((earlier) => earlier.amount)) };
}
