/** Opens sales at a register, takes their tenders, and cancels open sales. */
import type { NamedApproval } from '../../access/devices/approval-model.js';
import { type FlaggingWrite, recordFlags, reportPaidOut } from '../../access/devices/kept-writes.js';
import type { AttendantContext } from '../../api/operation.js';
import { notFound, Refusal } from '../../base/errors.js';
import { type Amount, add } from '../../base/money.js';
import type { NormalizedRequest } from '../../base/normalized-request.js';
import type { Instant } from '../../base/time.js';
import type { Change } from '../../database/change.js';
import { readTimeOfWrite, recordReturnedTender } from '../cash-drawers/actions.js';
import { cancelWhenResolved, hasOwnLedger, resolveCreate } from '../payments/calls.js';
import { reverseOrVoid } from '../payments/capture.js';
import { type Payment, type PaymentStatus, requireUndisputed } from '../payments/model.js';
import { requireSource } from '../payments/outcomes.js';
import { listTenders, listTendersOfSales, readTendersOfSale } from '../payments/queries.js';
import type { ReceiptInput } from '../receipts/model.js';
import { undoExchanges } from '../refunds/through-exchanges.js';
import {
  addTenderToSale,
  cancelSale as closeSale,
  completeFreeSale,
  noteAct,
  openRegisterSale,
} from '../sales/actions.js';
import type { Sale } from '../sales/model.js';
import {
  type EditableSale,
  findRegisterSale,
  findSale,
  listOpenSales,
  readRegisterSale,
  readSale,
} from '../sales/queries.js';
import { toReturnedTender } from './drawer-events.js';
import { type NewTender, type TenderContext, takeTender, tenderIdUsed } from './tenders.js';

export interface NewSale {
  /** The id that the register chose. */
  readonly registerSaleId: string;
  readonly request: NormalizedRequest;
  readonly receipt: ReceiptInput;
  readonly label: string | null;
  /** What somebody else allowed, if the attendant may not. */
  readonly approval: NamedApproval | undefined;
  /** The total that the register computed, if it sent one. It must equal the total that the server computes. */
  readonly expectedDue: Amount | undefined;
  readonly tenders: readonly NewTender[];
}

/** A sale with all its payments, including declined and pending payments. */
export interface RegisterSaleWithTenders {
  readonly sale: EditableSale;
  readonly tenders: readonly Payment<PaymentStatus>[];
}

/** The register and its request. `now` is the time at which the server received the request. */
export interface SaleContext extends AttendantContext {
  /** The time at the register, if it sent one. A retry may be older than a new request. */
  readonly occurredAt: string | undefined;
}

/** The same with the time at which it was done. */
export interface SaleAct extends AttendantContext {
  readonly at: Instant;
}

/** For new requests only. */
export async function toSaleAct<Context extends SaleContext>(
  change: Change,
  context: Context,
): Promise<Context & SaleAct> {
  return { ...context, at: await readTimeOfWrite(change, context, context.occurredAt) };
}

/** The id of the sale that an earlier, equal request created. Undefined for a new sale. The change depends on it. */
export async function readDuplicateSale(
  change: Change,
  { device }: AttendantContext,
  { registerSaleId, request }: NewSale,
): Promise<string | undefined> {
  const known = await readRegisterSale(change, { deviceId: device.id, registerSaleId });
  if (!known || request.matchesHash(known.requestHash)) return known?.id;
  throw new Refusal('CONFLICT', { field: 'id', detail: `The id ${registerSaleId} was used for another sale.` });
}

export function openSale(change: Change, context: SaleAct, input: NewSale): Sale {
  for (const { source } of input.tenders) if (source.kind === 'CARD') requireSource(source.sourceId);
  const { merchant, ids, device, attendant, at } = context;
  return openRegisterSale(change, merchant, {
    ids,
    device,
    employeeId: attendant.employeeId,
    registerSaleId: input.registerSaleId,
    label: input.label,
    at,
    receipt: input.receipt,
    expectedDue: input.expectedDue,
    requestHash: input.request.hash,
  });
}

/** Who acts on an open sale, where and when. */
export function toAct({ device, attendant, at }: SaleAct) {
  return { device, employeeId: attendant.employeeId, at };
}

/** Finds a sale of the device's location. The change depends on it. */
export async function readSaleAtDevice(
  change: Change,
  { device }: Pick<AttendantContext, 'device'>,
  id: string,
): Promise<EditableSale> {
  const sale = await readSale(change, id);
  if (!sale || sale.locationId !== device.locationId) throw notFound('sale', id);
  return sale;
}

/**
 * A sale with a total of zero is complete without a tender (decision 0055). It may still have a tender for a tip. Returns the sale with the
 * tenders whose outcome is known.
 */
export async function takeTenders(
  change: Change,
  context: SaleAct,
  { sale, before }: { readonly sale: Sale; readonly before: readonly Payment<PaymentStatus>[] },
  tenders: readonly NewTender[],
): Promise<Sale> {
  const { attendant, now, at } = context;
  if (tenders.length === 0) return completeFreeSale(change, sale, { at, now });
  const taken = [...before];
  let current = sale;
  for (const tender of tenders) {
    if (taken.some(({ registerTenderId }) => registerTenderId === tender.registerTenderId)) throw tenderIdUsed(tender);
    const tenderContext: TenderContext = { ...context, employeeId: attendant.employeeId };
    const payment = await takeTender(change, tenderContext, { sale: current, reserved: sumReserved(taken) }, tender);
    current = addTenderToSale(change, current, payment, now);
    taken.push(payment);
  }
  return current;
}

export function sumReserved(tenders: readonly Payment<PaymentStatus>[]): Amount {
  return add(...tenders.filter(({ status }) => status === 'PENDING').map(({ amount }) => amount));
}

/**
 * Calls the processor for tenders whose outcome is unknown, then returns the sale in its current state. The tender of a kept write may stay
 * pending: nobody waits for it at the register, and a worker repeats the call.
 */
export async function resolveTenders(context: SaleContext, saleId: string): Promise<RegisterSaleWithTenders> {
  const { database, merchant } = context;
  const tenders = await listTenders(database.sql, merchant.id, saleId);
  const unresolved = tenders.filter(({ status }) => status === 'PENDING');
  for (const { id } of unresolved) {
    await resolveCreate(context, id).catch((error: unknown) => {
      if (!context.kept || !(error instanceof Refusal) || error.reason !== 'TEMPORARY_ERROR') throw error;
    });
  }
  return showSale(context, saleId);
}

type Site = Pick<AttendantContext, 'database' | 'merchant' | 'device'>;

/** Finds a sale of the device's location. */
export async function showSale(site: Site, id: string): Promise<RegisterSaleWithTenders> {
  const found = await findSaleAtDevice(site, id);
  if (!found) throw notFound('sale', id);
  return found;
}

export async function findSaleAtDevice(
  { database, merchant, device }: Site,
  id: string,
): Promise<RegisterSaleWithTenders | undefined> {
  const sale = await findSale(database.sql, merchant.id, id);
  if (!sale || sale.locationId !== device.locationId) return undefined;
  return { sale, tenders: await listTenders(database.sql, merchant.id, sale.id) };
}

/** The sale that the register has sent with this id of its own. */
export async function findSaleOfRegister(
  site: Site,
  registerSaleId: string,
): Promise<RegisterSaleWithTenders | undefined> {
  const { database, merchant, device } = site;
  const known = await findRegisterSale(database.sql, merchant.id, { deviceId: device.id, registerSaleId });
  return known && findSaleAtDevice(site, known.id);
}

/** More sales would not fit on a screen, and the oldest ones are probably forgotten. */
const MAX_OPEN_SALES = 200;

/** The open sales of the device's location, newest first: parked ones, and those that are paid in part. */
export async function showOpenSales({
  database,
  merchant,
  device: { locationId },
}: Site): Promise<RegisterSaleWithTenders[]> {
  const sales = await listOpenSales(database.sql, merchant.id, { locationId, limit: MAX_OPEN_SALES });
  const saleIds = sales.map(({ id }) => id);
  const tenders = saleIds.length === 0 ? [] : await listTendersOfSales(database.sql, merchant.id, saleIds);
  return sales.map((sale) => ({ sale, tenders: tenders.filter(({ saleId }) => saleId === sale.id) }));
}

/** Cancels an open sale and returns its tenders: cash from the drawer, cards through the processor. */
export async function cancelSale(
  change: Change,
  context: SaleContext & FlaggingWrite,
  { saleId: id, writeId }: { readonly saleId: string; readonly writeId: string },
): Promise<void> {
  const { processor, ids, now } = context;
  const act = { ids, ...toAct(await toSaleAct(change, context)) };
  const sale = await readSaleAtDevice(change, context, id);
  closeSale(change, sale);
  noteAct(change, sale, act);
  const tenders = await readTendersOfSale(change, sale.id);
  const returned = tenders.filter(({ status }) => status === 'COMPLETED').map(({ total }) => total);
  if (returned.length > 0) {
    reportPaidOut(change, context, { amount: add(...returned), saleId: sale.id });
    await flagCanceledByOthers(change, context, { id: writeId, saleId: sale.id, at: act.at });
  }
  for (const { status, ...tender } of tenders) {
    if (status === 'PENDING') await cancelWhenResolved(change, tender.id);
    if (status !== 'COMPLETED') continue;
    const payment = { ...tender, status };
    requireUndisputed(payment);
    const canceling = { ids, at: now, notifyProcessor: hasOwnLedger(processor, change.merchantId, payment) };
    await undoExchanges(change, { tender: payment, at: act.at, now });
    const event = toReturnedTender(payment, await reverseOrVoid(change, canceling, payment));
    if (event) await recordReturnedTender(change, act, event);
  }
}

/** Money went back, and the employee may not issue refunds: the owner should know (decision 0228). A queue flags all that goes out. */
async function flagCanceledByOthers(
  change: Change,
  context: SaleContext,
  { id, saleId, at }: { readonly id: string; readonly saleId: string; readonly at: Instant },
): Promise<void> {
  if (context.kept || context.attendant.permissions.has('REGISTER_ISSUE_REFUNDS')) return;
  const detail = 'A sale was canceled and its money given back by an employee who may not issue refunds.';
  const more = [{ code: 'PERMISSION_MISSING', detail }] as const;
  await recordFlags(change, context, { at, saleId, more, online: { id, operation: 'cancelSale' } });
}
