/** Rings up sales at a register, including exchanges. */
import { readOccurredAt } from '../../access/devices/register-writes.js';
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

/** Returned goods of an earlier sale, whose value pays for this sale. */
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
  // A concurrent request has created the sale.
  return sale ? resolveTenders(context, sale.id) : ringUpSale(context, input);
}

/** Removes the value of returned goods from their sales, and makes it a tender of this sale. No money moves (contract 19). */
async function exchangeReturns(tx: Tx, context: SaleContext, { returns }: NewSaleWithReturns): Promise<NewTender[]> {
  const at = readOccurredAt(context.now, context.occurredAt);
  const tenders: NewTender[] = [];
  for (const goods of returns) {
    const [refund] = await exchangeGoods(tx, { ...context, at }, goods);
    if (!refund) throw new Error('an exchange must create a refund');
    const { amount } = goods;
    tenders.push({ registerTenderId: refund.id, amount, tip: null, source: { kind: 'EXCHANGE' } });
  }
  return tenders;
}
