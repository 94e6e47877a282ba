/** The page with the receipt of a sale: what a buyer may know of it, and nothing else. */
import { Html, html } from '../../api/html.js';
import type { PageResponse } from '../../api/pages.js';
import { quantityAsNumber, RATE_OF_ONE } from '../../base/decimal.js';
import { type Amount, add, allocate, negate, subtract, ZERO } from '../../base/money.js';
import { printAddress } from '../../base/postal-address.js';
import { MoneyPrinter } from '../../base/print-money.js';
import { qrModules } from '../../base/qr-code.js';
import type { Instant } from '../../base/time.js';
import type { Location, Merchant } from '../merchants/model.js';
import { pictureUrl } from '../pictures/view.js';
import { ONLY_VARIATION } from '../receipts/line-ids.js';
import { type Applied, priceOf, type Receipt, type TaxInput } from '../receipts/model.js';
import { tenderTypeOf } from '../tenders/model.js';
import type { OwnerSaleDetail, OwnerTender } from './owner-model.js';

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

  money(value: Amount): string {
    return this.#money.print(value);
  }

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
  if (!receipt) {
    return toTable(
      'Items',
      tenders.map(({ amount }) => ({ name: 'Payment', amount: print.money(amount) })),
    );
  }
  return toTable(
    'Items',
    receipt.items.map((item) => {
      const quantity = quantityAsNumber(item.quantity);
      return {
        name: quantity === 1 ? item.name : `${quantity} × ${item.name}`,
        details: [
          ...(item.variationName && item.variationName !== ONLY_VARIATION ? [item.variationName] : []),
          ...(quantity === 1 ? [] : [`${print.money(item.price)} each`]),
          ...item.modifiers.map(({ name, applied }) => (applied === ZERO ? name : `${name} ${print.money(applied)}`)),
          ...(item.notes ? [item.notes] : []),
        ],
        amount: print.money(priceOf(item)),
      };
    }),
  );
}

/** From the prices of the items to the total. Inclusive taxes are named after it. */
function toSumTable({ receipt, tenders }: ShownReceipt['sale'], print: Printer): Html | false {
  const tip = add(...tenders.map((tender) => tender.tip ?? ZERO));
  const tipLine = tip === ZERO ? [] : [{ name: 'Tip', amount: print.money(tip) }];
  if (!receipt) return toTable('Sums', tipLine);
  const discounts = discountLines(receipt, print);
  const additive = receipt.taxes.filter(({ inclusion }) => inclusion === 'ADDITIVE');
  const surcharges = receipt.surcharges.map(({ name, applied }) => ({ name, amount: print.money(applied) }));
  const changes = [...discounts, ...surcharges, ...additive.map((tax) => taxLine(tax, print))];
  const subtotal = { name: 'Subtotal', amount: print.money(add(...receipt.items.map(priceOf))) };
  return toTable('Sums', [
    ...(changes.length === 0 ? [] : [subtotal, ...changes]),
    { name: 'Total', amount: print.money(receipt.due), isStrong: true },
    ...receipt.taxes
      .filter(({ inclusion }) => inclusion === 'INCLUSIVE')
      .map((tax) => ({ ...taxLine(tax, print), name: `Includes ${taxLine(tax, print).name}` })),
    ...tipLine,
  ]);
}

function taxLine({ name, rate, applied }: Applied<TaxInput>, print: Printer): Line {
  return { name: `${name} ${(rate / RATE_OF_ONE) * 100} %`, amount: print.money(applied) };
}

/** What each discount takes off the prices. Stored amounts are without inclusive taxes, so their share is added. */
function discountLines({ items, discounts }: Receipt, print: Printer): Line[] {
  const after = add(...items.map(({ total, additiveTax }) => subtract(total, additiveTax)));
  const off = subtract(add(...items.map(priceOf)), after);
  const shares =
    discounts.length === 0
      ? []
      : allocate(
          off,
          discounts.map(({ applied }) => Math.abs(applied)),
        );
  return discounts.map(({ name }, index) => ({ name, amount: print.money(negate(shares[index] ?? ZERO)) }));
}

function toTenderTable({ tenders }: ShownReceipt['sale'], print: Printer): Html | false {
  return toTable(
    'Payments',
    tenders.map((tender) => {
      const { total, tendered } = tender;
      const change = tendered === null || tendered === total ? undefined : subtract(tendered, total);
      return {
        name: tenderName(tender),
        ...(change !== undefined && {
          details: [`Received ${print.money(add(total, change))}, change ${print.money(change)}`],
        }),
        amount: print.money(total),
      };
    }),
  );
}

function tenderName(tender: OwnerTender): string {
  const { tenderName: name, cardBrand, last4 } = tender;
  const type = tenderTypeOf(tender);
  if (type === 'CASH') return 'Cash';
  if (type === 'OTHER') return name ?? 'Other';
  const brand = (cardBrand ?? 'Card')
    .replace(/^SQUARE_/, '')
    .replaceAll('_', ' ')
    .toLowerCase();
  const printed = brand.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()).replace(/^Other Brand$/, 'Card');
  return last4 === null ? printed : `${printed} •••• ${last4}`;
}

function toRefundTable({ refunds, tenders }: ShownReceipt['sale'], print: Printer): Html | false {
  const made = refunds.filter(({ status }) => status === 'PENDING' || status === 'COMPLETED');
  const total = add(...made.map(({ amount }) => amount));
  return toTable('Refunds', [
    ...made.map(({ amount, createdAt, paymentId, status, origin }) => {
      const tender = tenders.find(({ id }) => id === paymentId);
      const way = origin === 'EXCHANGE' ? 'Exchanged' : `Refund${tender ? ` to ${tenderName(tender)}` : ''}`;
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
