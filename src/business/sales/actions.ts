/** Opens sales, adds tenders to them, completes and cancels them. */
import { Refusal } from '../../base/errors.js';
import { type Amount, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Tx } from '../../database/database.js';
import { identifyLines } from '../receipts/line-ids.js';
import { computeReceipt, type ReceiptInput } from '../receipts/model.js';
import { toReceiptRecord } from '../receipts/record.js';
import { type RingUpContext, type Sale, type SaleTender, toNewSale } from './model.js';
import { insertSale, moveFreeSaleToCompleted, moveSaleToCanceled, updateSaleWithTender } from './queries.js';

export interface RegisterSaleInput extends RingUpContext {
  readonly receipt: ReceiptInput;
  /** The total that the register computed, if it sent one. It must equal the total that the server computes. */
  readonly expectedDue: Amount | undefined;
  readonly requestHash: Buffer;
}

/** Returns undefined if the register has already sent this sale, possibly in a concurrent request. */
export async function openRegisterSale(
  tx: Tx,
  merchant: { readonly id: string; readonly currency: string },
  { receipt: input, expectedDue, requestHash, ...ringUpContext }: RegisterSaleInput,
): Promise<Sale | undefined> {
  const receipt = computeReceipt(identifyLines(input, merchant.id));
  if (expectedDue !== undefined && expectedDue !== receipt.due) {
    throw new Refusal('INVALID_VALUE', {
      field: 'total_money',
      detail: `total_money is ${expectedDue}, but the total of the sale is ${receipt.due}.`,
    });
  }
  const sale = toNewSale(receipt.due, ringUpContext);
  const isNew = await insertSale(tx, merchant.id, sale, {
    receipt: toReceiptRecord(receipt, merchant.currency),
    requestHash,
  });
  return isNew ? sale : undefined;
}

/** Adds a captured payment to its sale. A declined payment changes nothing. */
export async function addTenderToSale(
  tx: Tx,
  merchantId: string,
  { saleId, id: paymentId, amount, capturedAt: at }: SaleTender & { readonly saleId: string },
): Promise<void> {
  if (at !== null) await updateSaleWithTender(tx, merchantId, { saleId, paymentId, amount, at });
}

/** A sale with a total of zero is complete without a tender (decision 0055). */
export async function completeFreeSale(tx: Tx, merchantId: string, { id, due }: Sale, at: Instant): Promise<void> {
  if (due === ZERO) await moveFreeSaleToCompleted(tx, merchantId, id, at);
}

/** Cancels a sale that nobody will pay any more. Does nothing if the sale is not OPEN. */
export async function cancelOpenSale(tx: Tx, merchantId: string, saleId: string): Promise<void> {
  await moveSaleToCanceled(tx, merchantId, saleId);
}
