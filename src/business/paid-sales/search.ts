/** Understands what is typed or scanned to find a sale: an id, a reference, digits, a receipt number or address, an amount. Pure. */
import { type Amount, amount, MAX_AMOUNT } from '../../base/money.js';

/** Everything that a text can mean. A sale is found if one of them applies. */
export interface SaleSearch {
  /** The id of a sale, tender, refund or order, or the reference or order id of an application. */
  readonly id: string;
  /** The last four digits of a card. */
  readonly last4: string | undefined;
  /** The end of the id of a tender. */
  readonly receiptNumber: string | undefined;
  /** What a tender or the whole sale cost. */
  readonly amount: Amount | undefined;
}

/** `1111`, and as receipts print it: `**** 1111`, `•••• 1111`, `x1111`, `Visa 1111`. */
const LAST_4 = /^(?:[*•·x\s]*|[a-z][a-z ]{2,20}\s)(\d{4})$/i;
const RECEIPT_NUMBER = /^#?([0-9A-Za-z]{4})$/;
/** With or without a sign or a code of the currency: `18.40`, `$18.40`, `1,234.50 USD`, `18,40 €`. */
const AMOUNT =
  /^(?:([A-Z]{3})\s?|[^\w\s.,#*•·-]{1,3}\s?)?(\d{1,3}(?:[,' ]\d{3})+|\d{1,9})(?:[.,](\d{1,3}))?(?:\s?([A-Z]{3})|\s?[^\w\s.,#*•·-]{1,3})?$/i;

/** The number of digits after the point, such as 2 for dollars and 0 for yen. */
function fractionDigits(currency: string): number {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

/** The address of a receipt, as a scanner types it. */
const RECEIPT_ADDRESS = /^https?:\/\/[^\s]{1,300}\/receipts\/([\w-]{1,192})(?:[?#]\S*)?$/i;

export function parseSaleSearch(typed: string, currency: string): SaleSearch {
  const text = RECEIPT_ADDRESS.exec(typed.trim())?.[1] ?? typed.trim();
  return {
    id: text,
    last4: LAST_4.exec(text)?.[1],
    receiptNumber: RECEIPT_NUMBER.exec(text)?.[1],
    amount: parseAmount(text, currency),
  };
}

function parseAmount(text: string, currency: string): Amount | undefined {
  const [, before, whole, fraction = '', after] = AMOUNT.exec(text) ?? [];
  // Other letters are not a currency: `abc3` is a receipt number, not 3 dollars.
  const isTheirs = [before, after].every((code) => code === undefined || code.toUpperCase() === currency);
  const digits = fractionDigits(currency);
  if (whole === undefined || !isTheirs || fraction.length > digits) return undefined;
  const minor = Number(whole.replaceAll(/\D/g, '') + fraction.padEnd(digits, '0'));
  return minor > 0 && minor <= MAX_AMOUNT ? amount(minor) : undefined;
}
