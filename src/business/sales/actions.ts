/** Opens sales, adds tenders to them, completes and cancels them. */
import { Refusal } from '../../base/errors.js';
import { type Amount, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Change } from '../../database/change.js';
import { identifyLines } from '../receipts/line-ids.js';
import { computeReceipt, type Receipt, type ReceiptInput } from '../receipts/model.js';
import { toReceiptRecord } from '../receipts/record.js';
import { markLateDay } from '../reports/actions.js';
import {
  type RingUpContext,
  requireCoveredTotal,
  requireSaleAction,
  type Sale,
  type SaleTender,
  toNewSale,
} from './model.js';
import {
  insertSale,
  moveFreeSaleToCompleted,
  moveSaleToCanceled,
  updateLastAct,
  updateOpenLines,
  updateOpenSale,
  updateSaleVersion,
  updateSaleWithTender,
} from './queries.js';

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
  insertSale(change, sale, { receipt: toReceiptRecord(receipt, merchant.currency), requestHash });
  return sale;
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
export function keepOpenLines(change: Change, saleId: string, lines: ReceiptInput): void {
  updateOpenLines(change, saleId, lines);
}

/** Keeps who took a tender for an open sale, edited or canceled it, and where (decision 0235). */
export function noteAct(
  change: Change,
  saleId: string,
  act: Pick<RingUpContext, 'device' | 'employeeId' | 'at'>,
): void {
  updateLastAct(change, saleId, act);
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
  requireSaleAction(sale, 'EDIT');
  const { lines, label, expectedDue, reserved, at, now } = edit;
  const receipt = toExpectedReceipt(merchant, lines, expectedDue);
  const { due } = receipt;
  requireCoveredTotal(due, { paid: sale.paid, reserved });
  updateOpenSale(change, { id: sale.id, due, label, receipt: toReceiptRecord(receipt, merchant.currency), lines, at });
  if (sale.tenderIds.length === 0) completeFreeSale(change, { ...sale, due }, { at, now });
  else if (due === sale.paid) markLateDay(change, { locationId: sale.locationId, at, now });
}

/** Adds a captured payment to its sale. A declined payment changes nothing. The sale counts in reports at the time of its last payment. */
export function addTenderToSale(
  change: Change,
  {
    saleId,
    locationId,
    id: paymentId,
    amount,
    capturedAt: at,
  }: SaleTender & Pick<Sale, 'locationId'> & { readonly saleId: string },
  now: Instant,
): void {
  if (at === null) return;
  updateSaleWithTender(change, { saleId, paymentId, amount, at });
  markLateDay(change, { locationId, at, now });
}

/** Because of a payment in flight or a refund by item, concurrent decisions about the sale have to be made again. */
export function reserveSale(change: Change, saleId: string): void {
  updateSaleVersion(change, saleId);
}

/** A sale with a total of zero is complete without a tender (decision 0055). Returns the sale as it is afterwards. */
export function completeFreeSale(
  change: Change,
  sale: Sale,
  { at, now }: { readonly at: Instant; readonly now: Instant },
): Sale {
  if (sale.due !== ZERO) return sale;
  moveFreeSaleToCompleted(change, sale.id, at);
  markLateDay(change, { locationId: sale.locationId, at, now });
  return { ...sale, state: 'COMPLETED', createdAt: at };
}

/** Cancels a sale that nobody will pay any more. Does nothing if the sale is not OPEN. */
export function cancelOpenSale(change: Change, saleId: string): void {
  moveSaleToCanceled(change, saleId);
}
