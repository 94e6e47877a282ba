/** Rings up sales at a register, including exchanges. */
import { admitKeptWrite, type FlaggingWrite, recordFlags, reportPaidOut } from '../../access/devices/kept-writes.js';
import { type Amount, add, ZERO } from '../../base/money.js';
import type { Change } from '../../database/change.js';
import type { Flag } from '../../identity/kept-write.js';
import type { Refund } from '../payments/model.js';
import type { ReturnedItem } from '../receipts/item-refunds.js';
import { exchangeGoods, type RegisterAct } from '../refunds/actions.js';
import type { CreatedRefunds } from '../refunds/refund-tenders.js';
import {
  exchangedValue,
  exchangeItems,
  type NamedSale,
  resolveNamedSale,
  tooMuchMoney,
} from '../refunds/register-refunds.js';
import { keepOpenLines } from '../sales/actions.js';
import {
  type NewSale,
  openSale,
  type RegisterSaleWithTenders,
  readDuplicateSale,
  resolveTenders,
  type SaleAct,
  type SaleContext,
  takeTenders,
  toSaleAct,
} from './actions.js';
import { allowReductions, auditApproval } from './discounts.js';
import type { NewTender } from './tenders.js';

/** Returned goods of an earlier sale, whose value pays for this sale. */
export interface ReturnedGoods extends NamedSale {
  /** With items: the value that the buyer was told, if the register sent it. */
  readonly amount: Amount | undefined;
  readonly items: readonly ReturnedItem[] | undefined;
  /** The part of the value that goes back as money, because this sale costs less. */
  readonly refunded: Amount | undefined;
  readonly reason: string;
}

export interface NewSaleWithReturns extends NewSale {
  readonly returns: readonly ReturnedGoods[];
}

export async function ringUpSale(context: SaleContext, input: NewSaleWithReturns): Promise<RegisterSaleWithTenders> {
  const saleId = await context.database.change(context.merchant.id, async (change) => {
    const known = await readDuplicateSale(change, context, input);
    if (known !== undefined) return known;
    admitKeptWrite(context);
    const act = await toSaleAct(change, context);
    const allowed = await allowReductions(change, act, {
      ...input,
      before: null,
      sale: { operation: 'ringUpSale', saleId: input.registerSaleId, writeId: input.registerSaleId },
    });
    const { receipt } = allowed;
    const sale = openSale(change, act, { ...input, receipt });
    auditApproval(change, act, sale.id, allowed);
    const found: Flag[] = [...allowed.flags];
    const write = { ...act, flag: (each: Flag) => found.push(each) };
    const exchanged = await exchangeReturns(change, write, { ...input, saleId: sale.id });
    const paid = await takeTenders(change, act, { sale, before: [] }, [...exchanged, ...input.tenders]);
    if (paid.state === 'OPEN') keepOpenLines(change, paid, receipt);
    const online = { id: input.registerSaleId, operation: 'ringUpSale' };
    await recordFlags(change, context, { at: sale.rungUpAt, saleId: sale.id, more: found, online });
    return sale.id;
  });
  return resolveTenders(context, saleId);
}

/**
 * Removes the value of returned goods from their sales, and makes it a tender of this sale. Money moves only if they are worth more than
 * this sale costs, in the same commit (contract 19, decision 0162).
 */
async function exchangeReturns(
  change: Change,
  act: SaleAct & FlaggingWrite,
  { returns, saleId }: Pick<NewSaleWithReturns, 'returns'> & { readonly saleId: string },
): Promise<NewTender[]> {
  const tenders: NewTender[] = [];
  const returned: Refund[] = [];
  for (const goods of returns) {
    const exchanged = await exchange(change, act, goods, returned);
    const [refund] = exchanged.refunds;
    if (!refund) throw new Error('an exchange must create a refund');
    returned.push(...exchanged.refunds);
    const amount = exchangedValue(exchanged);
    if (amount > ZERO) tenders.push({ registerTenderId: refund.id, amount, tip: null, source: { kind: 'EXCHANGE' } });
  }
  if (returned.length > 0) reportPaidOut(change, act, { amount: add(...returned.map(({ amount }) => amount)), saleId });
  return tenders;
}

async function exchange(
  change: Change,
  act: RegisterAct,
  { amount = ZERO, items, refunded = ZERO, reason, ...named }: ReturnedGoods,
  returned: readonly Refund[],
): Promise<CreatedRefunds> {
  const paymentId = await resolveNamedSale(change, act, named);
  const goods = { paymentId, refunded, reason, returned };
  if (items) return exchangeItems(change, act, { ...goods, items, expected: amount || undefined });
  if (refunded > amount) throw tooMuchMoney(refunded, amount);
  return exchangeGoods(change, act, { ...goods, amount });
}
