/** Prints orders as JSON text in the format of `v1.view.ts`, so that their tenders are printed like those of all sales. */
import { printV1Money } from '../../api/money.js';
import { Printed } from '../../api/printed.js';
import { type Amount, negate } from '../../base/money.js';
import { printSeconds } from '../../base/time.js';
import { printV1Tender } from '../paid-sales/v1.print.js';
import type { ReceiptSite } from '../receipts/url.js';
import type { OrderWithTender } from './model.js';

export function printV1Order(order: OrderWithTender, site: ReceiptSite): Printed {
  const money = (value: Amount) => printV1Money(value, order.currency);
  const history = order.history.map(
    ({ action, createdAt }) => `{"action":"${action}","created_at":"${printSeconds(createdAt)}"}`,
  );
  return new Printed(
    `{"id":"${order.id}","buyer_email":${JSON.stringify(order.buyerEmail)}` +
      `,"recipient_name":${JSON.stringify(order.recipientName)},"state":"${order.state}"` +
      `,"shipping_address":${order.shippingAddress},"subtotal_money":${money(order.subtotal)}` +
      `,"total_shipping_money":${money(order.shipping)},"total_tax_money":${money(order.tax)}` +
      `,"total_price_money":${money(order.total)},"total_discount_money":${money(order.discount)}` +
      `,"created_at":"${printSeconds(order.createdAt)}","updated_at":"${printSeconds(order.updatedAt)}"` +
      `,"expires_at":"${printSeconds(order.expiresAt)}","order_history":[${history.join()}]` +
      printText('recipient_phone_number', order.recipientPhoneNumber) +
      printText('buyer_note', order.buyerNote) +
      printText('completed_note', order.completedNote) +
      printText('refunded_note', order.refundedNote) +
      printText('canceled_note', order.canceledNote) +
      printText('promo_code', order.promoCode) +
      `${printPayment(order, site)}}`,
  );
}

function printText(name: string, text: string | null): string {
  return text === null ? '' : `,"${name}":${JSON.stringify(text)}`;
}

/** What all payments of the checkout have in common: a card, without a tip and without a register. */
const CHECKOUT_TENDER = {
  sourceType: 'CARD',
  tip: null,
  employeeId: null,
  entryMethod: null,
  tendered: null,
  tenderName: null,
  isExchange: false,
  note: null,
} as const;

/** v1 does not show declined payments, nor payments whose outcome is unknown (decision 0026). */
function printPayment({ tender, currency }: OrderWithTender, site: ReceiptSite): string {
  if (!tender || tender.capturedAt === null) return '';
  const { capturedAt, refundedOrExchanged } = tender;
  const paid = { ...CHECKOUT_TENDER, ...tender, capturedAt };
  const printed = printV1Tender(paid, negate(refundedOrExchanged), { currency, ...site });
  return `,"payment_id":"${tender.id}","tender":${printed}`;
}
