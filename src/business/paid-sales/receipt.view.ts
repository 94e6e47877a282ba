/** The page with the receipt of a sale: what a buyer may know of it, and nothing else. */
import { Html, html } from '../../api/html.js';
import type { PageResponse } from '../../api/pages.js';
import { present } from '../../api/wire.js';
import { type Amount, add, negate, subtract, ZERO } from '../../base/money.js';
import { printAddress } from '../../base/postal-address.js';
import { MoneyPrinter } from '../../base/print-money.js';
import { qrModules } from '../../base/qr-code.js';
import type { Instant } from '../../base/time.js';
import { type PaidWith, type ReceiptLine, receiptItems, receiptPayments } from '../figures/receipt.js';
import type { Location, Merchant } from '../merchants/model.js';
import { pictureUrl } from '../pictures/view.js';
import { toRefundPayer } from '../refunds/dashboard.view.js';
import { tenderTypeOf } from '../tenders/model.js';
import { tenderName } from '../tenders/words.js';
import type { OwnerSaleDetail, OwnerTender } from './owner-model.js';
import { receiptSumsOf } from './sale-fields.view.js';

export interface ReceiptSection {
  readonly title: string;
  readonly lines: readonly { readonly name: string; readonly details?: readonly string[]; readonly at?: Instant }[];
}

export interface ShownReceipt {
  readonly merchant: Pick<Merchant, 'id' | 'businessName' | 'country' | 'currency'>;
  readonly location: Pick<Location, 'name' | 'timezone' | 'profile'>;
  readonly sale: Pick<OwnerSaleDetail, 'state' | 'createdAt' | 'receipt' | 'tenders' | 'refunds'>;
  /** What else there is to say about the sale, after the money. */
  readonly sections: readonly ReceiptSection[];
  readonly receiptNumber: string;
  /** Of this page, for its QR code. */
  readonly address: string;
}

export function toReceiptPage(shown: ShownReceipt): PageResponse {
  const { merchant, sale, receiptNumber, address } = shown;
  const print = new Printer(shown);
  const paid = add(...sale.tenders.map(({ total }) => total));
  return {
    status: 200,
    title: `Receipt from ${merchant.businessName}`,
    isUnlisted: true,
    body: html`<article class="receipt">
<header>
${toHeader(shown)}
<p class="sum">${print.money(sale.tenders.length > 0 ? paid : (sale.receipt?.due ?? ZERO))}</p>
<p>${print.time(sale.createdAt)} · Receipt ${receiptNumber}</p>
</header>
${toStateNote(sale, print)}
${toItemTable(sale, print)}
${toSumTable(sale, print)}
${toTenderTable(sale, print)}
${toRefundTable(sale, print)}
${shown.sections.map((section) => toSection(section, print))}
<footer>
${shown.location.profile.receiptText !== undefined && html`<p class="text">${shown.location.profile.receiptText}</p>`}
${toQrCode(address)}
<p>Scan to open this receipt.</p>
</footer>
</article>`,
  };
}

/** Amounts and times as people at the location write them. */
class Printer {
  readonly #money: MoneyPrinter;
  readonly #time: Intl.DateTimeFormat;

  constructor({
    merchant: { country, currency },
    location: { timezone },
  }: Pick<ShownReceipt, 'merchant' | 'location'>) {
    const locale = /^[A-Z]{2}$/.test(country) ? `en-${country}` : 'en';
    this.#money = new MoneyPrinter(currency, locale);
    const format = { dateStyle: 'medium', timeStyle: 'short', timeZone: timezone } as const;
    this.#time = new Intl.DateTimeFormat(locale, format);
  }

  readonly money = (value: Amount): string => this.#money.print(value);

  time(at: Instant): string {
    return this.#time.format(at);
  }
}

function toHeader({ merchant, location: { name, profile } }: ShownReceipt): Html {
  const { address = {}, phoneNumber, logoPictureId } = profile;
  const ownName = name === merchant.businessName ? undefined : name;
  const lines = [ownName, ...printAddress(address), phoneNumber].filter((line) => line !== undefined && line !== '');
  return html`${
    logoPictureId !== undefined &&
    html`<img class="logo" src="${pictureUrl(merchant.id, logoPictureId)}" alt="">
`
  }<h1>${merchant.businessName}</h1>
${lines.map((line) => html`<p>${line}</p>`)}`;
}

function toStateNote({ state, receipt, tenders }: ShownReceipt['sale'], print: Printer): Html | false {
  if (state === 'CANCELED') return html`<p class="note">This sale was canceled.</p>`;
  if (state === 'COMPLETED' || !receipt) return false;
  const left = subtract(receipt.due, add(...tenders.map(({ amount }) => amount)));
  return html`<p class="note">Not paid in full yet: ${print.money(left)} left.</p>`;
}

function toSection({ title, lines }: ReceiptSection, print: Printer): Html {
  const printed = lines.map(({ at, ...line }) => ({ ...line, amount: at === undefined ? '' : print.time(at) }));
  return toTable(title, printed) || html``;
}

interface Line {
  readonly name: string;
  readonly details?: readonly string[];
  readonly amount: string;
  readonly isStrong?: boolean;
}

function toTable(caption: string, lines: readonly Line[]): Html | false {
  if (lines.length === 0) return false;
  return html`<table>
<caption>${caption}</caption>
<tbody>
${lines.map(
  ({
    name,
    details = [],
    amount,
    isStrong = false,
  }) => html`<tr${isStrong && new Html(' class="strong"')}><th scope="row">${name}${details.map(
    (detail) => html`<small>${detail}</small>`,
  )}</th><td>${amount}</td></tr>
`,
)}</tbody>
</table>`;
}

function toItemTable({ receipt, tenders }: ShownReceipt['sale'], print: Printer): Html | false {
  const items = receipt
    ? receiptItems(receipt.items, print.money)
    : tenders.map(({ amount }) => ({ name: 'Custom amount', details: [], amount }));
  return toTable('Items', toLines(items, print));
}

function toSumTable(sale: ShownReceipt['sale'], print: Printer): Html | false {
  const lines = receiptSumsOf(sale).map(({ name, amount, isSum }) => ({
    name,
    amount: print.money(amount),
    isStrong: isSum,
  }));
  return toTable('Sums', lines);
}

function toTenderTable({ tenders }: ShownReceipt['sale'], print: Printer): Html | false {
  return toTable('Payments', toLines(receiptPayments(tenders.map(toPaidWith), print.money), print));
}

const toLines = (lines: readonly ReceiptLine[], print: Printer): Line[] =>
  lines.map((line) => ({ ...line, amount: print.money(line.amount) }));

function toPaidWith({
  total,
  tendered,
  tenderName: name,
  cardBrand,
  last4,
  isExchange,
  ...tender
}: OwnerTender): PaidWith {
  const type = tenderTypeOf({ ...tender, cardBrand });
  return { total, tendered, type, is_exchange: isExchange, ...present({ name, card_brand: cardBrand, last_4: last4 }) };
}

function toRefundTable({ refunds, tenders }: ShownReceipt['sale'], print: Printer): Html | false {
  const made = refunds.filter(({ status }) => status === 'PENDING' || status === 'COMPLETED');
  const total = add(...made.map(({ amount }) => amount));
  return toTable('Refunds', [
    ...made.map(({ amount, createdAt, paymentId, payer, status, origin }) => {
      const tender = tenders.find(({ id }) => id === paymentId);
      const to = payer ? toRefundPayer(payer) : tender && toPaidWith(tender);
      const way = origin === 'EXCHANGE' ? 'Exchanged' : `Refund${to ? ` to ${tenderName(to)}` : ''}`;
      return {
        name: way,
        details: [`${print.time(createdAt)}${status === 'PENDING' ? ', on its way' : ''}`],
        amount: print.money(negate(amount)),
      };
    }),
    ...(made.length > 1 ? [{ name: 'Refunded', amount: print.money(negate(total)), isStrong: true }] : []),
  ]);
}

/** The quiet zone around the code, in modules. Scanners need it. */
const QUIET = 4;

function toQrCode(text: string): Html {
  const modules = qrModules(text);
  const side = modules.length + 2 * QUIET;
  const path = modules.map((row, y) =>
    runsOf(row).map(([x, length]) => `M${x + QUIET} ${y + QUIET}h${length}v1h-${length}z`),
  );
  return html`<svg class="qr" viewBox="0 0 ${String(side)} ${String(side)}" role="img" aria-label="QR code of this receipt" shape-rendering="crispEdges"><path fill="currentColor" d="${path.flat().join('')}"/></svg>`;
}

/** The dark runs of a row: where each begins, and its length. */
function runsOf(row: readonly boolean[]): [number, number][] {
  const text = row.map((dark) => (dark ? '1' : '0')).join('');
  return [...text.matchAll(/1+/g)].map(({ index, 0: { length } }) => [index, length]);
}
