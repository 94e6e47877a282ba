/** Amounts of money that people type: exact, in the currency of the business. */
import { TextInput, type TextInputProps } from '@mantine/core';
import { MAX_AMOUNT } from '../../src/base/money.js';
import { digitsOf, toDecimal, type WireMoney } from './money.js';

/** The properties that are passed on. An input has three hundred, and comparing them all takes the compiler half a second. */
type Passed = 'label' | 'aria-label' | 'description' | 'required' | 'error' | 'w' | 'style';

interface PriceInputProps extends Pick<TextInputProps, Passed> {
  readonly currency: string;
  /** What was typed. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function PriceInput({ currency, onChange, ...rest }: PriceInputProps) {
  return (
    <TextInput
      inputMode="decimal"
      autoComplete="off"
      placeholder={toDecimal(0 as never, digitsOf(currency))}
      rightSection={currency}
      rightSectionWidth={48}
      rightSectionProps={{ style: { fontSize: 12, color: 'var(--mantine-color-dimmed)' } }}
      styles={{ input: { textAlign: 'right', fontVariantNumeric: 'tabular-nums' } }}
      onChange={(event) => onChange(event.currentTarget.value)}
      {...rest}
    />
  );
}

/** Minor units; undefined if the text is not an amount. Decimal commas are accepted. */
export function parsePrice(typed: string, currency: string): number | undefined {
  const digits = digitsOf(currency);
  const [, whole = '', fraction = ''] = /^(\d{1,12})(?:[.,](\d*))?$/.exec(typed.trim()) ?? [];
  if (whole === '' || fraction.length > digits) return undefined;
  const minor = Number(whole + fraction.padEnd(digits, '0'));
  return minor <= MAX_AMOUNT ? minor : undefined;
}

export function printPrice(money: WireMoney & { readonly currency: string }): string {
  return toDecimal(money.amount as never, digitsOf(money.currency));
}
