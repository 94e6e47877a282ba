/** The addresses of receipts: `receipt_url` of both generations (decision 0156). */

/** The address that clients know, for a server without a public URL. Stored copies of payments contain it too. */
const KNOWN = 'https://squareup.com/receipt/preview/';

/** The merchant is in the address, so that the receipt is found on one node. */
export function receiptPath(merchantId: string, paymentId: string): string {
  return `/receipts/${paymentId}?merchant=${merchantId}`;
}

export interface ReceiptSite {
  readonly merchantId: string;
  readonly publicUrl: string | undefined;
}

export function receiptUrl({ merchantId, publicUrl }: ReceiptSite, paymentId: string): string {
  return publicUrl === undefined ? `${KNOWN}${paymentId}` : `${publicUrl}${receiptPath(merchantId, paymentId)}`;
}

/** For pages of this server, which know their own address: only the path if there is no public URL. */
export function receiptLink({ merchantId, publicUrl = '' }: ReceiptSite, paymentId: string): string {
  return `${publicUrl}${receiptPath(merchantId, paymentId)}`;
}

const STORED = /"receipt_url":"https:\/\/squareup\.com\/receipt\/preview\/(\w+)"/g;

/** Puts the public URL into the JSON of v2 payments, or of an event with one. So stored copies stay valid if the URL changes. */
export function withReceiptUrl(json: string, { merchantId, publicUrl }: ReceiptSite): string {
  if (publicUrl === undefined) return json;
  return json.replace(STORED, (_, id: string) => `"receipt_url":"${publicUrl}${receiptPath(merchantId, id)}"`);
}

/** The same for bytes. latin1 maps each byte to one character, so the bytes stay the same and UTF-8 is not decoded. */
export function withReceiptUrls(json: Buffer, site: ReceiptSite): Buffer {
  if (site.publicUrl === undefined) return json;
  return Buffer.from(withReceiptUrl(json.toString('latin1'), site), 'latin1');
}
