/** The body of an event as it is sent. What is stored of it has no address of a server, so a port or a public URL can change (decision 0260). */
import { RECEIPT_STATUS, type ReceiptSite, receiptUrl } from '../base/receipt-url.js';
import type { EventKind } from './model.js';

interface EventOfPayment {
  readonly data: {
    /** A test message has none. */
    readonly object?: { readonly payment: { readonly id: string; readonly status: string; receipt_url?: string } };
  };
}

/** Adds the address of the receipt to an event with a payment. Also replaces the one that earlier versions stored. */
export function toSentBody(
  { kind, body }: { readonly kind: EventKind; readonly body: string },
  site: ReceiptSite,
): string {
  if (!kind.startsWith('payment.')) return body;
  const event = JSON.parse(body) as EventOfPayment;
  const payment = event.data.object?.payment;
  if (payment?.status !== RECEIPT_STATUS) return body;
  payment.receipt_url = receiptUrl(site, payment.id);
  return JSON.stringify(event);
}

/** The same of a delivery that is shown. */
export function asSent<Shown extends { readonly kind: EventKind; readonly body: string }>(
  delivery: Shown,
  site: ReceiptSite,
): Shown {
  return { ...delivery, body: toSentBody(delivery, site) };
}
