/** A sale as pages show it: what paid for it, and its state. */

import { tenderName } from '../../../src/business/tenders/words.js';
import type { dashboard, ResponseOf } from '../../client/operations.js';
import { Tag } from '../../ui/tag.js';

export type Sale = ResponseOf<typeof dashboard.listSales>['sales'][number];
export type SaleTender = Sale['tenders'][number];
export type SaleDetail = ResponseOf<typeof dashboard.retrieveSale>['sale'];
export type Refund = SaleDetail['refunds'][number];

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
