/** Tenders in words. */
import { brandName } from '../charge/test-cards.js';

interface Tender {
  readonly type: string;
  readonly card_brand?: string | undefined;
  readonly last_4?: string | undefined;
  readonly name?: string | undefined;
}

const WORDS: Readonly<Record<string, string>> = { CASH: 'Cash', CARD: 'Card', GIFT_CARD: 'Gift card', OTHER: 'Other' };

/** `Visa 1111`, `Cash`, `Voucher`. */
export function tenderWords({ type, card_brand: brand, last_4: digits, name }: Tender): string {
  if (brand !== undefined) return `${brandName(brand)}${digits === undefined ? '' : ` ${digits}`}`;
  return name ?? WORDS[type] ?? type;
}
