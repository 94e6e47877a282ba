/** A past sale in words. */
import type { WireFoundSale } from '../parts/wire.js';

/** What was sold. A sale of an application may have an amount only. */
export function titleOf({ lines, kind }: Pick<WireFoundSale, 'lines' | 'kind'>): string {
  if (lines.length > 0) return lines.map(lineName).join(', ');
  return kind === 'ONLINE_STORE' ? 'Online order' : 'Custom amount';
}

/** `Flat white, Large`. */
export function lineName({ name, variation_name: variation }: WireFoundSale['lines'][number]): string {
  return variation === undefined || variation === 'Regular' ? name : `${name}, ${variation}`;
}

export function refundedWords({
  refunded_money: { amount },
  refundable_money: { amount: left },
}: Pick<WireFoundSale, 'refunded_money' | 'refundable_money'>): string | undefined {
  if (amount === 0) return undefined;
  return left > 0 ? 'partly given back' : 'given back';
}
