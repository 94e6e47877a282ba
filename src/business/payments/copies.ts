/**
 * The stored copies of the v2 JSON of payments: a write fills them with what the view prints, so that reads and lists only copy text. A copy
 * has no address of a server: what follows it in a response has the address of the receipt.
 */
import { printerVersion } from '../../base/printer-version.js';
import type { Payment, PaymentStatus } from './model.js';
import type { StoredCopy } from './table.js';
import { SAMPLE_PAYMENTS } from './v2.samples.js';
import { printPaymentStart } from './v2.view.js';

/** Which printer made a copy. A copy of another one is printed afresh when it is read, and renewed in the background. */
export const PAYMENT_PRINTER = printerVersion(SAMPLE_PAYMENTS.map(printPaymentStart));

/** Says that `v2_json_printer` has the version. Earlier programs had numbers only, and ignore copies with this one. */
export const NAMED_PRINTER = 2;

/** Null for a payment that v2 does not show: without an outcome, or not of a card (decision 0025). */
export function printCopy(payment: Payment<PaymentStatus>): string | null {
  return isShown(payment) ? printPaymentStart(payment) : null;
}

/** What all copies that this program writes have. */
export const COPY_VERSION = { v2JsonVersion: NAMED_PRINTER, v2JsonPrinter: PAYMENT_PRINTER } as const;

/** The columns of a copy. */
export function toCopy(payment: Payment<PaymentStatus>): StoredCopy {
  return { v2Json: printCopy(payment), ...COPY_VERSION };
}

function isShown(payment: Payment<PaymentStatus>): payment is Payment {
  return payment.status !== 'PENDING' && payment.sourceType === 'CARD';
}
