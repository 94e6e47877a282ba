/** Opens sales, adds tenders to them, completes and cancels them. */
import { Refusal } from '../../base/errors.js';
import { type Amount, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Change } from '../../database/change.js';
import { identifyLines } from '../receipts/line-ids.js';
import { computeReceipt, type ReceiptInput } from '../receipts/model.js';
import { toReceiptRecord } from '../receipts/record.js';
import { markLateDay } from '../reports/actions.js';
import { type RingUpContext, type Sale, type SaleTender, toNewSale } from './model.js';
import {
  insertSale,
  moveFreeSaleToCompleted,
  moveSaleToCanceled,
  updateSaleVersion,
  updateSaleWithTender,
} from './queries.js';

export interface RegisterSaleInput extends RingUpContext {
  readonly receipt: ReceiptInput;
  /** The total that the register computed, if it sent one. It must equal the total that the server computes. */
  readonly expectedDue: Amount | undefined;
  readonly requestHash: Buffer;
}

/** The caller has looked whether the register has already sent this sale. A concurrent request that opens it repeats the change. */
export function openRegisterSale(
  change: Change,
  merchant: { readonly id: string; readonly currency: string },
  { receipt: input, expectedDue, requestHash, ...ringUpContext }: RegisterSaleInput,
): Sale {
  const receipt = computeReceipt(identifyLines(input, merchant.id));
  if (expectedDue !== undefined && expectedDue !== receipt.due) {
    throw new Refusal('INVALID_VALUE', {
      field: 'total_money',
      detail: `total_money is ${expectedDue}, but the total of the sale is ${receipt.due}.`,
    });
  }
  const sale = toNewSale(receipt.due, ringUpContext);
  insertSale(change, sale, { receipt: toReceiptRecord(receipt, merchant.currency), requestHash });
  return sale;
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

/** A payment of the sale is in flight. Concurrent decisions about the sale have to be made again. */
export function reserveSale(change: Change, saleId: string): void {
  updateSaleVersion(change, saleId);
}

/** A sale with a total of zero is complete without a tender (decision 0055). */
export function completeFreeSale(
  change: Change,
  { id, locationId, due }: Sale,
  { at, now }: { readonly at: Instant; readonly now: Instant },
): void {
  if (due !== ZERO) return;
  moveFreeSaleToCompleted(change, id, at);
  markLateDay(change, { locationId, at, now });
}

/** Cancels a sale that nobody will pay any more. Does nothing if the sale is not OPEN. */
export function cancelOpenSale(change: Change, saleId: string): void {
  moveSaleToCanceled(change, saleId);
}
