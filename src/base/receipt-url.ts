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

/** What comes before and after the id of the payment, for statements that print many addresses. */
export function receiptUrlParts({ merchantId, publicUrl }: ReceiptSite): {
  readonly before: string;
  readonly after: string;
} {
  return publicUrl === undefined
    ? { before: KNOWN, after: '' }
    : { before: `${publicUrl}${PATH}`, after: `${QUERY}${merchantId}` };
}

export function receiptUrl(site: ReceiptSite, paymentId: string): string {
  const { before, after } = receiptUrlParts(site);
  return before + paymentId + after;
}

/** For pages of this server, which know their own address: only the path if there is no public URL. */
export function receiptLink({ merchantId, publicUrl = '' }: ReceiptSite, paymentId: string): string {
  return `${publicUrl}${receiptPath(merchantId, paymentId)}`;
}
