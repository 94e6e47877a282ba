/** The page with the receipt of a sale, to which `receipt_url` leads (decision 0156). For an online order it also shows the delivery. */
import { html } from '../../api/html.js';
import type { Page, PageResponse } from '../../api/pages.js';
import { nowOn } from '../../base/clock.js';
import { receiptPath } from '../../base/receipt-url.js';
import { findMerchantWithLocations } from '../merchants/queries.js';
import { findOwnerSale } from '../paid-sales/detail-queries.js';
import { receiptIdOfSale } from '../paid-sales/owner-model.js';
import { toReceiptPage } from '../paid-sales/receipt.view.js';
import { receiptNumberOf } from '../paid-sales/sale-fields.view.js';
import { findDeliveryOfSale } from './queries.js';
import { toReceiptSections } from './receipt-sections.js';

export const receiptPage: Page = {
  surface: 'checkout',
  name: 'showReceipt',
  method: 'GET',
  path: '/receipts/:payment_id',
  guard: 'receipts',
  async handle({ database }, { params: { payment_id: id = '' }, query: { merchant: merchantId = '' }, baseUrl }) {
    if (!isId(id) || !isId(merchantId)) return NOT_FOUND;
    const found = await findMerchantWithLocations(database.sql, merchantId);
    if (!found) return NOT_FOUND;
    const { merchant, locations } = found;
    const sale = await findOwnerSale(database.sql, merchant.id, { id, now: nowOn(merchant.clock) });
    // Accepts only the ids of the sale and its tenders in v1, although `findOwnerSale` also finds a sale by the id of a refund.
    const tender = sale?.tenders.find((each) => each.id === id);
    if (!sale || (!tender && sale.v1Id !== id)) return NOT_FOUND;
    const location = locations.find((each) => each.id === sale.locationId);
    if (!location) return NOT_FOUND;
    const receiptId = tender?.id ?? receiptIdOfSale(sale);
    const address = `${baseUrl}${receiptPath(merchant.id, receiptId)}`;
    const delivery = sale.orderId === null ? undefined : await findDeliveryOfSale(database.sql, merchant.id, sale.id);
    const sections = delivery ? toReceiptSections(delivery) : [];
    return toReceiptPage({ merchant, location, sale, sections, receiptNumber: receiptNumberOf(receiptId), address });
  },
};

/** Longer values, and characters that no id has, are refused without a lookup. */
function isId(text: string): boolean {
  return /^[\w-]{1,64}$/.test(text);
}

const NOT_FOUND: PageResponse = {
  status: 404,
  title: 'Receipt not found',
  isUnlisted: true,
  body: html`<h1>There is no receipt at this address</h1>
<p>The address may be incomplete. Open the whole link from your message, or scan the code on your receipt again.</p>
<p>If that does not help, ask the business. It finds your sale by the date and the amount, or by the last four digits of your card.</p>`,
};
