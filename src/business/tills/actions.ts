/** What is done to a register's sale: it is opened, takes its tenders one after another, and may be given up before it is paid. */
import { occurrence } from '../../access/devices/register-writes.js';
import type { AttendantContext } from '../../api/operation.js';
import { notFound, Refusal } from '../../base/errors.js';
import { type Amount, add, ZERO } from '../../base/money.js';
import type { UnderstoodRequest } from '../../base/understood.js';
import type { Tx } from '../../database/database.js';
import { recordReturn } from '../cash-drawers/actions.js';
import { cancelWhenResolved, keepsBooks, resolveCreate } from '../payments/calls.js';
import { reverseOrVoid } from '../payments/capture.js';
import { returnOfTender } from '../payments/drawer-events.js';
import type { Payment, PaymentStatus } from '../payments/model.js';
import { requireSource } from '../payments/outcomes.js';
import { listTenders, lockPayment } from '../payments/queries.js';
import type { ReceiptInput } from '../receipts/model.js';
import { cancelOpenSale, completeFreeSale, openRegisterSale } from '../sales/actions.js';
import { requireSaleAction, type Sale } from '../sales/model.js';
import { findRegisterSale, findSale, lockSale } from '../sales/queries.js';
import { type NewTender, type TenderContext, takeTender } from './tenders.js';

export interface NewSale {
  /** The register's own id. */
  readonly registerSaleId: string;
  readonly request: UnderstoodRequest;
  readonly receipt: ReceiptInput;
  /** What the register came to, if it says; it must be what we come to. */
  readonly expectedDue: Amount | undefined;
  readonly tenders: readonly NewTender[];
}

/** A sale with all that was tried to pay it. */
export interface TakenSale {
  readonly sale: Sale;
  readonly tenders: readonly Payment<PaymentStatus>[];
}

/** Where a register acts; `now` is when we hear of it. */
export interface SaleContext extends AttendantContext {
  /** When it happened, if the register says: up to 72 hours ago. A repetition may come later than that. */
  readonly occurredAt: string | undefined;
}

/** The same sale again is the sale as it is now. */
export async function findSentBefore(
  { database, merchant, device }: SaleContext,
  { registerSaleId, request }: NewSale,
): Promise<string | undefined> {
  const known = await findRegisterSale(database.sql, merchant.id, { deviceId: device.id, registerSaleId });
  if (!known || request.isKnownAs(known.requestHash)) return known?.id;
  throw new Refusal('CONFLICT', { field: 'id', detail: `The id ${registerSaleId} was used for another sale.` });
}

/** Undefined where the register sent it before, perhaps at this moment. */
export async function openSale(tx: Tx, context: SaleContext, given: NewSale): Promise<Sale | undefined> {
  for (const { source } of given.tenders) if (source.kind === 'CARD') requireSource(source.sourceId);
  const { merchant, ids, device, attendant, now, occurredAt } = context;
  return openRegisterSale(tx, merchant, {
    ids,
    device,
    employeeId: attendant.employeeId,
    registerSaleId: given.registerSaleId,
    at: occurrence(now, occurredAt),
    receipt: given.receipt,
    expectedDue: given.expectedDue,
    requestHash: given.request.hash,
  });
}

/** One more tender for an open sale. The same one again changes nothing. */
export async function addTender(context: SaleContext, id: string, tender: NewTender): Promise<TakenSale> {
  if (tender.source.kind === 'CARD') requireSource(tender.source.sourceId);
  const saleId = await context.database.transaction(async (tx) => {
    const sale = await holdAtDevice(tx, context, id);
    await takeTenders(tx, context, sale, [tender]);
    return sale.id;
  });
  return resolveTenders(context, saleId);
}

/** A sale of the device's location, held still. */
async function holdAtDevice(tx: Tx, { merchant, device }: SaleContext, id: string): Promise<Sale> {
  const sale = await lockSale(tx, merchant.id, id);
  if (!sale || sale.locationId !== device.locationId) throw notFound('sale', id);
  return sale;
}

/** A sale that costs nothing is complete without a tender (decision 0055); one may still come with it, for its tip. */
export async function takeTenders(
  tx: Tx,
  context: SaleContext,
  sale: Sale,
  tenders: readonly NewTender[],
): Promise<void> {
  const { merchant, attendant, now, occurredAt } = context;
  if (tenders.length === 0) await completeFreeSale(tx, merchant.id, sale, occurrence(now, occurredAt));
  let current = sale;
  for (const tender of tenders) {
    const before = await listTenders(tx, merchant.id, sale.id);
    const same = before.find(({ registerTenderId }) => registerTenderId === tender.registerTenderId);
    if (same) {
      requireSameTender(same, tender);
      continue;
    }
    const taking: TenderContext = {
      ...context,
      employeeId: attendant.employeeId,
      at: occurrence(now, occurredAt),
    };
    current = (await takeTender(tx, taking, { sale: current, reserved: reservedBy(before) }, tender)).sale;
  }
}

function reservedBy(tenders: readonly Payment<PaymentStatus>[]): Amount {
  return add(...tenders.filter(({ status }) => status === 'PENDING').map(({ amount }) => amount));
}

function requireSameTender(known: Payment<PaymentStatus>, { registerTenderId, amount, tip, source }: NewTender): void {
  const kind = source.kind === 'EXCHANGE' ? 'OTHER' : source.kind;
  // A gift card may have paid less than it was asked for.
  const fits = amount === undefined || known.amount <= amount;
  if (kind === known.sourceType && fits && (tip ?? ZERO) === (known.tip ?? ZERO)) return;
  throw new Refusal('CONFLICT', { field: 'id', detail: `The id ${registerTenderId} was used for another tender.` });
}

/** Asks for what is not known yet, then shows the sale as it is. */
export async function resolveTenders(context: SaleContext, saleId: string): Promise<TakenSale> {
  const { database, merchant } = context;
  const tenders = await listTenders(database.sql, merchant.id, saleId);
  const unknown = tenders.filter(({ status }) => status === 'PENDING');
  for (const { id } of unknown) await resolveCreate(context, id);
  return showSale(context, saleId);
}

/** A sale of the device's location. */
export async function showSale(
  { database, merchant, device }: Pick<AttendantContext, 'database' | 'merchant' | 'device'>,
  id: string,
): Promise<TakenSale> {
  const sale = await findSale(database.sql, merchant.id, id);
  if (!sale || sale.locationId !== device.locationId) throw notFound('sale', id);
  return { sale, tenders: await listTenders(database.sql, merchant.id, sale.id) };
}

/** What was paid of an open sale goes back: cash out of the drawer, cards through the processor. */
export async function cancelSale(tx: Tx, context: SaleContext, id: string): Promise<void> {
  const { merchant, device, processor, ids, attendant, now, occurredAt } = context;
  const act = { merchant, ids, device, employeeId: attendant.employeeId, at: occurrence(now, occurredAt) };
  const canceling = { merchantId: merchant.id, ids, at: now, tell: keepsBooks(processor, merchant.id) };
  const sale = await holdAtDevice(tx, context, id);
  requireSaleAction(sale, 'CANCEL');
  await cancelOpenSale(tx, merchant.id, sale.id);
  for (const tender of await listTenders(tx, merchant.id, sale.id)) {
    if (tender.status === 'PENDING') await cancelWhenResolved(tx, merchant.id, tender.id);
    const payment = tender.status === 'COMPLETED' ? await lockPayment(tx, merchant.id, tender.id) : undefined;
    if (!payment) continue;
    const returned = returnOfTender(payment, await reverseOrVoid(tx, canceling, payment));
    if (returned) await recordReturn(tx, act, returned);
  }
}
