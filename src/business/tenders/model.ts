/** The kinds of tenders: by what a payment was made. Pure. `tender_type` in functions.sql is the same rule for SQL. */

/** v2 shows cards only, including gift cards. v1 shows all (decision 0025). */
export type SourceType = 'CARD' | 'CASH' | 'OTHER';

/** The kinds of tenders on our own surfaces. */
export const TENDER_TYPES = ['CARD', 'CASH', 'EXTERNAL_CARD', 'OTHER'] as const;
export type TenderType = (typeof TENDER_TYPES)[number];

/** By which reports of drawers add up, in their order. Gift cards have a line of their own, and so have goods that were returned for others. */
export const TENDER_KINDS = ['CASH', 'CARD', 'GIFT_CARD', 'EXTERNAL_CARD', 'OTHER', 'EXCHANGE'] as const satisfies (
  | TenderType
  | 'GIFT_CARD'
  | 'EXCHANGE'
)[];
export type TenderKind = (typeof TENDER_KINDS)[number];

/** A card that a terminal beside the register has charged is stored as another tender that has a brand (decision 0186). */
export function tenderTypeOf({
  sourceType,
  cardBrand,
}: {
  readonly sourceType: SourceType;
  readonly cardBrand: string | null;
}): TenderType {
  return sourceType === 'OTHER' && cardBrand !== null ? 'EXTERNAL_CARD' : sourceType;
}
