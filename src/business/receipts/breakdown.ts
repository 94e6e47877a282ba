/** What a refund gives back of each line of a sale: its taxes, discounts, surcharges and tips. */
import { type Amount, add, negate, shareOfPart, subtract, ZERO } from '../../base/money.js';
import { type Applied, type Receipt, type SurchargeInput, type TaxInput, taxOf } from './model.js';

/** Signed as v1 shows them: what the merchant gives back is never positive, the discount that it takes back never negative. */
export interface Breakdown {
  readonly tip: Amount;
  readonly taxes: readonly Applied<TaxInput>[];
  readonly additiveTax: Amount;
  readonly inclusiveTax: Amount;
  readonly tax: Amount;
  readonly discount: Amount;
  readonly surcharges: readonly Applied<SurchargeInput>[];
  readonly surcharge: Amount;
}

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

/** A tender, and where it begins on what was due. */
function placeTender(tenders: readonly PaidTender[], id: string): { tender: PaidTender; start: Amount } {
  const index = tenders.findIndex((tender) => tender.id === id);
  const tender = tenders[index];
  if (!tender) throw new RangeError(`no tender ${id} among those of the sale`);
  return { tender, start: add(...tenders.slice(0, index).map((earlier) => earlier.amount)) };
}
