/** Prints amounts of money exactly: minor units become decimal text, never a binary fraction. */
import { Text } from '@mantine/core';
import { amount, type Amount as Minor } from '../../src/base/money.js';

/** The generations name the currency differently. */
export type WireMoney =
  | { readonly amount: number; readonly currency: string }
  | { readonly amount: number; readonly currency_code: string };

function currencyOf(money: WireMoney): string {
  return 'currency' in money ? money.currency : money.currency_code;
}

const formats = new Map<string, Intl.NumberFormat>();

function formatOf(currency: string): Intl.NumberFormat {
  const format = formats.get(currency) ?? new Intl.NumberFormat(undefined, { style: 'currency', currency });
  formats.set(currency, format);
  return format;
}

/** `-1234` cents are `-12.34`. */
export function toDecimal(minor: Minor, digits: number): string {
  const text = String(Math.abs(minor)).padStart(digits + 1, '0');
  const split = text.length - digits;
  return `${minor < 0 ? '-' : ''}${text.slice(0, split)}${digits > 0 ? `.${text.slice(split)}` : ''}`;
}

export function digitsOf(currency: string): number {
  return formatOf(currency).resolvedOptions().maximumFractionDigits ?? 2;
}

/** For people: with the currency, and with a real minus sign. */
export function printMoney(money: WireMoney): string {
  const currency = currencyOf(money);
  const decimal = toDecimal(amount(money.amount), digitsOf(currency));
  return formatOf(currency)
    .format(decimal as never)
    .replace('-', '−');
}

/** For spreadsheets: a number. */
export function plainMoney(money: WireMoney): string {
  return toDecimal(amount(money.amount), digitsOf(currencyOf(money)));
}

/** What was typed as an amount, in minor units. Undefined if it is none. */
export function parseMoney(text: string, currency: string): number | undefined {
  const digits = digitsOf(currency);
  const [, whole, fraction = ''] = /^(\d{1,9})(?:[.,](\d+))?$/.exec(text.trim()) ?? [];
  return whole === undefined || fraction.length > digits ? undefined : Number(whole + fraction.padEnd(digits, '0'));
}

/** Never by colour alone: negative amounts have a minus. */
export function Money({ value, fw }: { readonly value: WireMoney; readonly fw?: number }) {
  return (
    <Text span inherit fw={fw ?? 'inherit'} style={{ whiteSpace: 'nowrap' }}>
      {printMoney(value)}
    </Text>
  );
}
