/** Computes the breakdown of a refund: its share of each tax, discount, surcharge and tip of a sale. Pure. */
import { type Amount, add, negate, shareOfPart, subtract, ZERO } from '../../base/money.js';
import { type Applied, type Breakdown, type Receipt, taxOf } from './model.js';

/** The fields of a payment that a breakdown uses. */
export interface PaidTender {
  readonly id: string;
  readonly amount: Amount;
  readonly tip: Amount | null;
  readonly total: Amount;
}

export interface RefundedPart {
  readonly receipt: Pick<Receipt, 'due' | 'taxes' | 'discount' | 'surcharges'>;
  /** All tenders of the sale, in the order in which they were taken. */
  readonly tenders: readonly PaidTender[];
  /** The tender that is refunded. */
  readonly tenderId: string;
  /** The amount of the tender that earlier refunds returned, including the tip. */
  readonly before: Amount;
  /** The amount of this refund, including the tip. */
  readonly part: Amount;
}

/**
 * The tenders without their tips form consecutive intervals of the total, and a refund covers a part of one interval. The
 * share of each line is computed for that part. Parts do not overlap, so all refunds together return each line exactly
 * once, in any order.
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
  const toReturnedLine = <Line>(line: Applied<Line>): Applied<Line> => ({
    ...line,
    applied: negate(shareOfPart(line.applied, covered)),
  });
  const taxes = receipt.taxes.map(toReturnedLine);
  const surcharges = receipt.surcharges.map(toReturnedLine);
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

/** The breakdown of a payment without lines: a payment of the API, or of a sale that was never paid in full. */
export function breakDownTip(tender: PaidTender, stretch: Pick<RefundedPart, 'before' | 'part'>): Breakdown {
  const receipt = { due: tender.amount, taxes: [], discount: ZERO, surcharges: [] };
  return breakDown({ receipt, tenders: [tender], tenderId: tender.id, ...stretch });
}

/** Null if every part is zero and no items are named. Most refunds are of payments without tips, taxes and discounts. */
export function nullIfEmpty(breakdown: Breakdown): Breakdown | null {
  const { tip, tax, discount, surcharge, taxes, surcharges } = breakdown;
  if (breakdown.items) return breakdown;
  const lines = [...taxes, ...surcharges].map(({ applied }) => applied);
  return [tip, tax, discount, surcharge, ...lines].every((value) => value === ZERO) ? null : breakdown;
}

/** A tender, with the start of its interval. */
function placeTender(tenders: readonly PaidTender[], id: string): { tender: PaidTender; start: Amount } {
  const index = tenders.findIndex((tender) => tender.id === id);
  const tender = tenders[index];
  if (!tender) throw new RangeError(`the sale has no tender ${id}`);
  return { tender, start: add(...tenders.slice(0, index).map((earlier) => earlier.amount)) };
}
