/** Rings up sales at a register, for money and for goods that come back. */
import { occurrence } from '../../access/devices/register-writes.js';
import type { Amount } from '../../base/money.js';
import type { Tx } from '../../database/database.js';
import { exchangeGoods } from '../refunds/actions.js';
import {
  findDuplicateSale,
  type NewSale,
  openSale,
  type RegisterSaleWithTenders,
  resolveTenders,
  type SaleContext,
  takeTenders,
} from './actions.js';
import { requireDiscountPermission } from './discounts.js';
import type { NewTender } from './tenders.js';

/** Goods of an earlier sale that pay for this one with their value. */
export interface ReturnedGoods {
  readonly paymentId: string;
  readonly amount: Amount;
  readonly reason: string;
}

export interface NewSaleWithReturns extends NewSale {
  readonly returns: readonly ReturnedGoods[];
}

export async function ringUpSale(context: SaleContext, input: NewSaleWithReturns): Promise<RegisterSaleWithTenders> {
  const known = await findDuplicateSale(context, input);
  if (known !== undefined) return resolveTenders(context, known);
  await requireDiscountPermission(context, input.receipt);
  const sale = await context.database.transaction(async (tx) => {
    const sale = await openSale(tx, context, input);
    if (sale) await takeTenders(tx, context, sale, [...(await exchangeReturns(tx, context, input)), ...input.tenders]);
    return sale;
  });
  // Sent twice at the same moment: the other one made it.
  return sale ? resolveTenders(context, sale.id) : ringUpSale(context, input);
}

/** What comes back is gone from the sale it was of, and is a tender of this one: of goods, not of money (contract 19). */
async function exchangeReturns(tx: Tx, context: SaleContext, { returns }: NewSaleWithReturns): Promise<NewTender[]> {
  const at = occurrence(context.now, context.occurredAt);
  const tenders: NewTender[] = [];
  for (const goods of returns) {
    const [refund] = await exchangeGoods(tx, { ...context, at }, goods);
    if (!refund) throw new Error('goods that came back are refunded');
    const { amount } = goods;
    tenders.push({ registerTenderId: refund.id, amount, tip: null, source: { kind: 'EXCHANGE' } });
  }
  return tenders;
}
