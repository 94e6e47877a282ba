/** Refunds and exchanges of items at a register. Refunds of amounts are in actions.ts. */
import { reportPaidOut } from '../../access/devices/kept-writes.js';
import { Refusal } from '../../base/errors.js';
import { type Amount, add, subtract } from '../../base/money.js';
import type { Change } from '../../database/change.js';
import { breakDownReturn, type ReturnedItem } from '../receipts/item-refunds.js';
import { reserveSale } from '../sales/actions.js';
import { findRegisterSale } from '../sales/queries.js';
import {
  type GoodsToExchange,
  payersOf,
  type RegisterAct,
  type RegisterRefundAct,
  recordCashRefunds,
  requireAfterSale,
} from './actions.js';
import { type ItemParts, toItemParts } from './item-parts.js';
import { divideExchange, sixtyDayWindow } from './model.js';
import { admitPaidOut } from './paid-out.js';
import { type CreatedRefunds, readSaleToRefund, refundTenders, type SaleToRefund } from './refund-tenders.js';
import { findPayers, requireRefundableParts } from './through-exchanges.js';

/** A sale as a register names it: by an id of the published API, or by the id that this register chose for it. */
export interface NamedSale {
  readonly paymentId: string | undefined;
  readonly saleId: string | undefined;
}

/** The id by which refunds find the sale. */
export async function resolveNamedSale(
  change: Change,
  { device }: Pick<RegisterAct, 'device'>,
  { paymentId, saleId }: NamedSale,
): Promise<string> {
  if ((paymentId === undefined) === (saleId === undefined)) {
    throw new Refusal('CONFLICTING_PARAMETERS', { field: 'sale_id', detail: 'Send either payment_id or sale_id.' });
  }
  if (saleId === undefined) return paymentId ?? '';
  const own = { deviceId: device.id, registerSaleId: saleId };
  return (await findRegisterSale(change.sql, change.merchantId, own))?.id ?? saleId;
}

interface ItemsToReturn {
  readonly paymentId: string;
  readonly items: readonly ReturnedItem[];
  /** The sum that the buyer was told, if the register sent it. Another sum is refused. */
  readonly expected: Amount | undefined;
  readonly reason: string;
}

/** Refunds items with their taxes and discounts. Cash leaves the drawer of the device that makes the refund. */
export async function refundItems(
  change: Change,
  act: RegisterRefundAct,
  input: ItemsToReturn,
): Promise<CreatedRefunds> {
  const found = await readItems(change, act, input);
  const overruled = admitPaidOut(act, payersOf(await findPayers(change, found.parts)));
  const attempt = { now: act.at, window: sixtyDayWindow(found.sale.createdAt), field: 'items', overruled };
  const parts = await requireRefundableParts(change, found.parts, attempt);
  const created = returnParts(change, act, { ...found, parts }, { origin: 'REGISTER', reason: input.reason });
  await recordCashRefunds(change, act, created);
  reportPaidOut(change, act, { amount: found.priced.amount, saleId: found.sale.id });
  return created;
}

/** Returns items whose value pays for another sale, as `exchangeGoods` does with an amount. */
export async function exchangeItems(
  change: Change,
  act: RegisterAct,
  input: ItemsToReturn & Pick<GoodsToExchange, 'refunded' | 'returned'>,
): Promise<CreatedRefunds> {
  const found = await readItems(change, act, input);
  if (found.tenders.some(({ id }) => input.returned.some(({ paymentId }) => paymentId === id))) {
    throw new Refusal('INVALID_VALUE', { field: 'returns', detail: 'Name each sale once: with all returned items.' });
  }
  const { amount } = found.priced;
  if (input.refunded > amount) throw tooMuchMoney(input.refunded, amount);
  const wanted = divideExchange(found.parts, subtract(amount, input.refunded));
  const attempt = { now: act.at, window: sixtyDayWindow(found.sale.createdAt), field: 'items' };
  const parts = await requireRefundableParts(change, wanted, attempt, input.returned);
  const created = returnParts(change, act, { ...found, parts }, { origin: 'EXCHANGE', reason: input.reason });
  await recordCashRefunds(change, act, created);
  return created;
}

type FoundItems = SaleToRefund & ItemParts;

async function readItems(change: Change, { device, at }: RegisterAct, input: ItemsToReturn): Promise<FoundItems> {
  const { paymentId, items, expected } = input;
  const found = await readSaleToRefund(change, { paymentId, locationId: device.locationId, refundScope: 'SALE' });
  requireAfterSale(found.sale.createdAt, at);
  const parts = toItemParts(found, items);
  const { amount } = parts.priced;
  if (expected !== undefined && expected !== amount) {
    throw new Refusal('CONFLICT', {
      field: 'items',
      detail: `The sale has changed: these items are worth ${amount} by now, not ${expected}. Nothing was returned.`,
    });
  }
  return { ...found, ...parts };
}

function returnParts(
  change: Change,
  { ids, device, attendant, at, now }: RegisterAct,
  { sale, parts, priced }: FoundItems,
  { origin, reason }: { readonly origin: 'REGISTER' | 'EXCHANGE'; readonly reason: string },
): CreatedRefunds {
  const amounts = parts.map(({ part }) => part);
  const created = refundTenders(change, parts, {
    ...{ origin, type: 'PARTIAL', reason, employeeId: attendant.employeeId, deviceId: device.id },
    ...{ ids, at, now, sale, breakdowns: breakDownReturn(priced, amounts) },
  });
  // Refunds of an amount depend on what was returned by item, also of other tenders.
  reserveSale(change, sale.id);
  return created;
}

export function tooMuchMoney(refunded: Amount, worth: Amount): Refusal {
  const detail = `The returned goods are worth ${worth}, so ${refunded} cannot go back as money.`;
  return new Refusal('INVALID_VALUE', { field: 'returns.refunded_money', detail });
}

/** What the goods of an exchange pay for the new ones, without what goes back as money. */
export function exchangedValue({ refunds }: CreatedRefunds): Amount {
  return add(...refunds.filter(({ origin }) => origin === 'EXCHANGE').map(({ amount }) => amount));
}
