/**
 * The stored copies of sales as v1 lists them. A copy has no address of a server: where an address belongs it has the id that the address
 * leads to, after tabs. A response has the address instead, so a public URL can change (decision 0261).
 */
import { printerVersion } from '../../base/printer-version.js';
import type { PaidSale } from './model.js';
import { SAMPLE_CURRENCY, SAMPLE_SALES } from './v1.samples.js';
import { printV1Payment, type V1Addresses } from './v1.view.js';

const [TAB, QUOTE] = ['\t', '"'].map((character) => character.charCodeAt(0)) as [number, number];

/** A tab is white space, so a copy is JSON, and what is printed has no other tabs: inside of a text it is escaped. */
const MARKS: V1Addresses = { saleUrl: (id) => `\t\t"${id}"`, receiptUrl: (id) => `\t"${id}"` };

export function printCopy(sale: PaidSale, currency: string): string {
  return printV1Payment(sale, { currency, ...MARKS });
}

/** Which printer made a copy. A copy of another one is printed afresh when it is read. */
export const SALE_PRINTER = printerVersion(SAMPLE_SALES.map((sale) => printCopy(sale, SAMPLE_CURRENCY)));

/** Says that `printer` has the version. Earlier programs had numbers only, and ignore copies with this one. */
export const NAMED_PRINTER = 4;

/** The bytes of one or several copies with the addresses. They are not decoded: a page can have a megabyte, and few addresses. */
export function withAddresses(copies: Buffer, { saleUrl, receiptUrl }: V1Addresses): Buffer {
  const parts: Buffer[] = [];
  let end = 0;
  for (let mark = copies.indexOf(TAB); mark >= 0; mark = copies.indexOf(TAB, end)) {
    const isSale = copies[mark + 1] === TAB;
    const start = mark + (isSale ? 3 : 2);
    const quote = copies.indexOf(QUOTE, start);
    const id = copies.toString('latin1', start, quote);
    parts.push(copies.subarray(end, mark), Buffer.from(isSale ? saleUrl(id) : receiptUrl(id)));
    end = quote + 1;
  }
  return Buffer.concat([...parts, copies.subarray(end)]);
}
