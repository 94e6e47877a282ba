/** The addresses of receipts: `receipt_url` of both generations (decision 0156). Nothing that is stored contains them (decision 0260). */

/** Only a payment with this status has a receipt. */
export const RECEIPT_STATUS = 'COMPLETED';

/** The address that clients know, for a server without a public URL. */
const KNOWN = 'https://squareup.com/receipt/preview/';
const [PATH, QUERY] = ['/receipts/', '?merchant='];

/** The merchant is in the address, so that the receipt is found on one node. */
export function receiptPath(merchantId: string, paymentId: string): string {
  return `${PATH}${paymentId}${QUERY}${merchantId}`;
}

export interface ReceiptSite {
  readonly merchantId: string;
  readonly publicUrl: string | undefined;
}

export function receiptUrl({ merchantId, publicUrl }: ReceiptSite, paymentId: string): string {
  return publicUrl === undefined ? `${KNOWN}${paymentId}` : `${publicUrl}${receiptPath(merchantId, paymentId)}`;
}

/** The parts of an address, for statements that print many: what comes before the id of the payment, and before that of the merchant. */
export function receiptUrlParts(publicUrl: string | undefined): {
  readonly before: string;
  /** Undefined: the address has no merchant. */
  readonly between: string | undefined;
} {
  return publicUrl === undefined
    ? { before: KNOWN, between: undefined }
    : { before: `${publicUrl}${PATH}`, between: QUERY };
}

/** For pages of this server, which know their own address: only the path if there is no public URL. */
export function receiptLink({ merchantId, publicUrl = '' }: ReceiptSite, paymentId: string): string {
  return `${publicUrl}${receiptPath(merchantId, paymentId)}`;
}
