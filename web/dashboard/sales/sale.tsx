/** A sale as pages show it: what paid for it, and its state. */
import type { dashboard, ResponseOf } from '../../client/operations.js';
import { Tag } from '../../ui/tag.js';

export type Sale = ResponseOf<typeof dashboard.listSales>['sales'][number];
export type SaleTender = Sale['tenders'][number];
export type SaleDetail = ResponseOf<typeof dashboard.retrieveSale>['sale'];
export type Refund = SaleDetail['refunds'][number];

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

/** `Visa 5858`. */
export function cardName({ card_brand, last_4 }: Pick<SaleTender, 'card_brand' | 'last_4'>): string {
  return last_4 === undefined ? brandName(card_brand) : `${brandName(card_brand)} ${last_4}`;
}

/** The card, `Cash`, or the name of another tender. */
export function tenderName({ type, name, is_exchange, ...card }: SaleTender): string {
  if (is_exchange) return 'Exchange';
  if (type === 'CASH') return 'Cash';
  return type === 'OTHER' ? (name ?? 'Other') : cardName(card);
}

export function tenderNames({ tenders }: Pick<Sale, 'tenders'>): string {
  return tenders.length === 0 ? 'Free' : tenders.map(tenderName).join(', ');
}

export const KINDS: Readonly<Record<Sale['kind'], string>> = {
  REGISTER: 'At a register',
  API: 'By an application',
  ONLINE_STORE: 'Online order',
};

/** What was sold: its first item, and how many more. */
export function saleTitle({ first_item, item_count, tenders, kind }: Sale): string {
  if (first_item !== undefined) return item_count > 1 ? `${first_item} + ${item_count - 1} more` : first_item;
  return tenders[0]?.note ?? (kind === 'API' ? 'Custom amount' : KINDS[kind]);
}

type Stated = Pick<Sale, 'state' | 'total_money' | 'refunded_money'>;

export function stateName({ state, total_money: total, refunded_money: refunded }: Stated): string {
  if (state === 'CANCELED') return 'Canceled';
  if (state === 'OPEN') return 'Partly paid';
  if (refunded.amount === 0) return 'Paid';
  return refunded.amount < total.amount ? 'Partly refunded' : 'Refunded';
}

const TONES = { Paid: 'good', 'Partly paid': 'warning', 'Partly refunded': 'warning' } as const;

export function SaleState({ sale }: { readonly sale: Stated }) {
  const name = stateName(sale);
  return <Tag tone={TONES[name as keyof typeof TONES] ?? 'quiet'}>{name}</Tag>;
}
