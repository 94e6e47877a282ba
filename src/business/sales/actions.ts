/** Changes sales: opens them, adds what was paid, completes and cancels them. */
import { Refusal } from '../../base/errors.js';
import { type Amount, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Tx } from '../../database/database.js';
import { identifyLines } from '../receipts/line-ids.js';
import { computeReceipt, type ReceiptInput } from '../receipts/model.js';
import { toReceiptRecord } from '../receipts/record.js';
import { type OnlineSale, type RingingUp, ringUp, type Sale, type TakenTender } from './model.js';
import { insertSale, moveFreeSaleToCompleted, moveSaleToCanceled, updateSaleWithTender } from './queries.js';

export interface RegisterSale extends RingingUp {
  readonly receipt: ReceiptInput;
  /** The total that the register computed, if it sent one; it must equal ours. */
  readonly expectedDue: Amount | undefined;
  readonly requestHash: Buffer;
}

/** Undefined where the register sent this sale before, perhaps at this moment. */
export async function openRegisterSale(
  tx: Tx,
  merchant: { readonly id: string; readonly currency: string },
  { receipt: input, expectedDue, requestHash, ...ringing }: RegisterSale,
): Promise<Sale | undefined> {
  const receipt = computeReceipt(identifyLines(input, merchant.id));
  if (expectedDue !== undefined && expectedDue !== receipt.due) {
    throw new Refusal('INVALID_VALUE', {
      field: 'total_money',
      detail: `total_money is ${expectedDue}, but the sale comes to ${receipt.due}.`,
    });
  }
  const sale = ringUp(receipt.due, ringing);
  const isNew = await insertSale(tx, merchant.id, sale, {
    receipt: toReceiptRecord(receipt, merchant.currency),
    requestHash,
  });
  return isNew ? sale : undefined;
}

/** A payment that was captured pays for its sale; returns undefined for one that was declined. */
export async function addToSale(
  tx: Tx,
  merchantId: string,
  { saleId, id: paymentId, amount, capturedAt: at }: TakenTender & { readonly saleId: string },
): Promise<Sale | OnlineSale | undefined> {
  return at === null ? undefined : updateSaleWithTender(tx, merchantId, { saleId, paymentId, amount, at });
}

/** A sale that costs nothing is complete without a tender (decision 0055). */
export async function completeFreeSale(tx: Tx, merchantId: string, { id, due }: Sale, at: Instant): Promise<void> {
  if (due === ZERO) await moveFreeSaleToCompleted(tx, merchantId, id, at);
}

/** Nobody will pay this sale any more. Leaves a sale that is not open as it is. */
export async function cancelOpenSale(tx: Tx, merchantId: string, saleId: string): Promise<void> {
  await moveSaleToCanceled(tx, merchantId, saleId);
}
