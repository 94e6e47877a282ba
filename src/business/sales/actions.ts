/** Opens sales, adds tenders to them, edits, completes and cancels them. */
import { Refusal } from '../../base/errors.js';
import { type Amount, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Change } from '../../database/change.js';
import { publish } from '../../events/publishing.js';
import { type ReceiptRecord, toReceiptRecord } from '../receipts/copies.js';
import { identifyLines } from '../receipts/line-ids.js';
import { computeReceipt, type Receipt, type ReceiptInput } from '../receipts/model.js';
import { storeLines } from '../receipts/stored.js';
import { markLateDay } from '../reports/actions.js';
import {
  asCanceled,
  asFree,
  NO_REGISTER,
  type RingUpContext,
  requireCoveredTotal,
  type Sale,
  type SaleTender,
  toNewSale,
  v1IdOf,
  withTender,
  withTotal,
} from './model.js';
import { readPayableSale, toSaleReceipt } from './queries.js';
import { type AnySale, sales } from './table.js';

export interface RegisterSaleInput extends RingUpContext {
  readonly receipt: ReceiptInput;
  /** The total that the register computed, if it sent one. It must equal the total that the server computes. */
  readonly expectedDue: Amount | undefined;
  readonly requestHash: Buffer;
}

interface Seller {
  readonly id: string;
  readonly currency: string;
}

/** The caller has checked that the register has not sent this sale before. If a concurrent request opens it, the change is repeated. */
export function openRegisterSale(
  change: Change,
  merchant: Seller,
  { receipt: input, expectedDue, requestHash, ...ringUpContext }: RegisterSaleInput,
): Sale {
  const receipt = toExpectedReceipt(merchant, input, expectedDue);
  const sale = toNewSale(receipt.due, ringUpContext);
  openSale(change, sale, { receipt: toReceiptRecord(receipt, merchant.currency), requestHash });
  return sale;
}

const NO_ACT = { lastDeviceId: null, lastDeviceName: null, lastEmployeeId: null, lastActAt: null };

/** If the register has already sent a sale with this id, this violates sales_register_id, and the change is repeated. */
export function openSale(
  change: Change,
  sale: AnySale,
  { receipt, requestHash }: { readonly receipt: ReceiptRecord; readonly requestHash: Buffer | null },
): void {
  change.insert(sales, { ...sale, ...NO_ACT, ...toSaleReceipt(receipt), requestHash });
}

function toExpectedReceipt(merchant: Seller, input: ReceiptInput, expectedDue: Amount | undefined): Receipt {
  const receipt = computeReceipt(identifyLines(input, merchant.id));
  if (expectedDue === undefined || expectedDue === receipt.due) return receipt;
  throw new Refusal('INVALID_VALUE', {
    field: 'total_money',
    detail: `total_money is ${expectedDue}, but the total of the sale is ${receipt.due}.`,
  });
}

/** Keeps the lines of a sale that was rung up and is not paid, so that it can be taken up and edited. */
export function keepOpenLines(change: Change, sale: Sale, lines: ReceiptInput): void {
  change.save(sales, sale, { ...sale, openLines: storeLines(lines) });
}

/** Keeps who took a tender for an open sale, edited or canceled it, and where (decision 0235). */
export function noteAct(
  change: Change,
  sale: Sale,
  { device, employeeId, at }: Pick<RingUpContext, 'device' | 'employeeId' | 'at'>,
): void {
  const act = { lastDeviceId: device.id, lastDeviceName: device.name, lastEmployeeId: employeeId, lastActAt: at };
  change.save(sales, sale, { ...sale, ...act });
}

export interface SaleEdit {
  readonly lines: ReceiptInput;
  readonly label: string | null;
  readonly expectedDue: Amount | undefined;
  /** The sum of card payments whose outcome is unknown. */
  readonly reserved: Amount;
  readonly at: Instant;
  readonly now: Instant;
}

/** Replaces what an open sale sells. It is complete if its tenders pay the new total, or if it is free now (decision 0153). */
export function editOpenSale(change: Change, merchant: Seller, sale: Sale, edit: SaleEdit): void {
  const { lines, label, expectedDue, reserved, at, now } = edit;
  const receipt = toExpectedReceipt(merchant, lines, expectedDue);
  const { due } = receipt;
  const edited = withTotal({ ...sale, label, openLines: storeLines(lines) }, due, at);
  requireCoveredTotal(due, { paid: sale.paid, reserved });
  change.save(sales, sale, { ...edited, ...toSaleReceipt(toReceiptRecord(receipt, merchant.currency)) });
  if (edited.state === 'COMPLETED') announcePaid(change, edited, { at, now });
  else if (sale.tenderIds.length === 0) completeFreeSale(change, edited, { at, now });
}

interface PaidAt {
  /** When it was paid. */
  readonly at: Instant;
  readonly now: Instant;
}

/** The sale counts in reports at the time of its last payment. */
function announcePaid(change: Change, sale: AnySale, { at, now }: PaidAt): void {
  const { locationId } = sale;
  publish(change, { kind: 'PAYMENT_UPDATED', locationId, entityId: v1IdOf(sale), happenedAt: at });
  markLateDay(change, { locationId, at, now });
}

/** Adds a payment to its sale, if it is captured. Returns the sale as it is afterwards. A declined payment changes nothing. */
export function addTenderToSale<Any extends AnySale>(change: Change, sale: Any, tender: SaleTender, now: Instant): Any {
  const { capturedAt: at } = tender;
  if (at === null) return sale;
  const taken = withTender(sale, tender);
  change.save(sales, sale, taken);
  announcePaid(change, taken, { at, now });
  return taken;
}

/** The same for a sale that was not read yet. */
export async function addTender(
  change: Change,
  { saleId, ...tender }: SaleTender & { readonly saleId: string },
  now: Instant,
): Promise<void> {
  if (tender.capturedAt !== null) addTenderToSale(change, await readPayableSale(change, saleId), tender, now);
}

/** Because of a payment in flight or a refund by item, concurrent decisions about the sale have to be made again. */
export function reserveSale(change: Change, id: string): void {
  change.touch(sales, { id });
}

/** A sale with a total of zero is complete without a tender (decision 0055). Returns the sale as it is afterwards. */
export function completeFreeSale(change: Change, sale: Sale, { at, now }: PaidAt): Sale {
  if (sale.due !== ZERO) return sale;
  const completed = asFree(sale, at);
  change.save(sales, sale, completed);
  announcePaid(change, completed, { at, now });
  return completed;
}

export function cancelSale(change: Change, sale: AnySale): void {
  change.save(sales, sale, asCanceled(sale));
}

/** Cancels the sale of an order that nobody will pay any more. Does nothing if the sale is not OPEN. */
export async function cancelOpenSale(change: Change, saleId: string): Promise<void> {
  const sale = await readPayableSale(change, saleId);
  if (sale.state === 'OPEN') cancelSale(change, sale);
}

/** An application's payment that is captured is a sale of its own, which is complete at once. */
export function recordApiSale(
  change: Change,
  { saleId, locationId, capturedAt }: Pick<SaleTender, 'capturedAt'> & { saleId: string; locationId: string },
): void {
  if (capturedAt === null) return;
  change.insert(sales, {
    ...{ id: saleId, locationId, kind: 'API', state: 'COMPLETED', createdAt: capturedAt, paid: ZERO },
    ...{ rungUpAt: null, due: null, tenderIds: null, keepsOwnId: null, openLines: null, requestHash: null },
    ...{ receipt: null, v1Receipt: null, v1ReceiptVersion: null, v1ReceiptPrinter: null },
    ...NO_REGISTER,
    ...NO_ACT,
  });
}
