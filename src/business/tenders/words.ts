/** What people read about what paid for a sale: on pages, receipts, reports and in CSV files. Pure; pages use it too. */

import type { TenderKind, TenderType } from './model.js';

export const KIND_NAMES: Readonly<Record<TenderKind, string>> = {
  CASH: 'Cash',
  CARD: 'Card',
  GIFT_CARD: 'Gift card',
  EXTERNAL_CARD: 'Card terminal',
  OTHER: 'Other',
  EXCHANGE: 'Exchange',
};

const BRANDS: Readonly<Record<string, string>> = {
  VISA: 'Visa',
  MASTERCARD: 'Mastercard',
  AMERICAN_EXPRESS: 'Amex',
  DISCOVER: 'Discover',
  DISCOVER_DINERS: 'Diners Club',
  JCB: 'JCB',
  CHINA_UNIONPAY: 'UnionPay',
  SQUARE_GIFT_CARD: KIND_NAMES.GIFT_CARD,
  SQUARE_CAPITAL_CARD: 'Capital card',
  INTERAC: 'Interac',
  EFTPOS: 'eftpos',
  FELICA: 'FeliCa',
  OTHER_BRAND: KIND_NAMES.CARD,
};

export const BRAND_OPTIONS = Object.entries(BRANDS).map(([value, label]) => ({ value, label }));

export function brandName(brand: string | undefined): string {
  return brand === undefined ? KIND_NAMES.CARD : (BRANDS[brand] ?? brand);
}

interface CardFields {
  readonly card_brand?: string | undefined;
  readonly last_4?: string | undefined;
}

/** `Visa 5858`. */
export function cardName({ card_brand, last_4 }: CardFields): string {
  return last_4 === undefined ? brandName(card_brand) : `${brandName(card_brand)} ${last_4}`;
}

/** A tender as the API shows it. */
export interface TenderFields extends CardFields {
  readonly type: TenderType;
  readonly name?: string | undefined;
  readonly is_exchange?: boolean;
}

/** The card, `Visa 4242, terminal`, `Cash`, or the name of another tender. */
export function tenderName({ type, name, is_exchange: isExchange = false, ...card }: TenderFields): string {
  if (isExchange) return KIND_NAMES.EXCHANGE;
  if (type === 'OTHER') return name ?? KIND_NAMES.OTHER;
  if (type === 'CASH') return KIND_NAMES.CASH;
  if (type === 'CARD') return cardName(card);
  return card.card_brand === undefined ? KIND_NAMES.EXTERNAL_CARD : `${cardName(card)}, terminal`;
}
