/** What paid for a sale, in words. */

const BRANDS: Readonly<Record<string, string>> = {
  VISA: 'Visa',
  MASTERCARD: 'Mastercard',
  AMERICAN_EXPRESS: 'Amex',
  DISCOVER: 'Discover',
  DISCOVER_DINERS: 'Diners Club',
  JCB: 'JCB',
  CHINA_UNIONPAY: 'UnionPay',
  SQUARE_GIFT_CARD: 'Gift card',
  SQUARE_CAPITAL_CARD: 'Capital card',
  INTERAC: 'Interac',
  EFTPOS: 'eftpos',
  FELICA: 'FeliCa',
  OTHER_BRAND: 'Card',
};

export const BRAND_OPTIONS = Object.entries(BRANDS).map(([value, label]) => ({ value, label }));

export function brandName(brand: string | undefined): string {
  return brand === undefined ? 'Card' : (BRANDS[brand] ?? brand);
}

interface CardFields {
  readonly card_brand?: string | undefined;
  readonly last_4?: string | undefined;
}

/** `Visa 5858`. */
export function cardName({ card_brand, last_4 }: CardFields): string {
  return last_4 === undefined ? brandName(card_brand) : `${brandName(card_brand)} ${last_4}`;
}

interface TenderFields extends CardFields {
  readonly type: string;
  readonly name?: string | undefined;
  readonly is_exchange?: boolean;
}

/** The card, `Visa 4242, terminal`, `Cash`, or the name of another tender. */
export function tenderName({ type, name, is_exchange: isExchange = false, ...card }: TenderFields): string {
  if (isExchange) return 'Exchange';
  if (type === 'CASH') return 'Cash';
  if (type === 'GIFT_CARD' && card.card_brand === undefined) return 'Gift card';
  if (type === 'EXTERNAL_CARD') return card.card_brand === undefined ? 'Card terminal' : `${cardName(card)}, terminal`;
  return type === 'OTHER' ? (name ?? 'Other') : cardName(card);
}
