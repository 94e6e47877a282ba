/** An amount that is typed like at a till: the digits come in from the right. */
import { useCallback } from 'react';
import { printMoney } from '../../ui/money.js';
import classes from './amount-pad.module.css';
import { KeyPad, type PadKey } from './key-pad.js';

/** More digits are a mistake. */
const MAX_DIGITS = 9;

/** The amount after a key. */
export function typeKey(amount: number, key: PadKey): number {
  if (key === 'BACK') return Math.floor(amount / 10);
  const typed = Number(`${amount}${key}`);
  return String(typed).length > MAX_DIGITS ? amount : typed;
}

interface AmountPadProps {
  readonly label: string;
  /** Minor units. */
  readonly value: number;
  readonly currency: string;
  readonly onChange: (value: number) => void;
  readonly onEnter?: (() => void) | undefined;
}

export function AmountPad({ label, value, currency, onChange, onEnter }: AmountPadProps) {
  const type = useCallback((key: PadKey) => onChange(typeKey(value, key)), [value, onChange]);
  return (
    <div className={classes['root']}>
      <output className={classes['amount']} aria-label={label} data-empty={value === 0 || undefined}>
        {printMoney({ amount: value, currency })}
      </output>
      <KeyPad onKey={type} onEnter={onEnter} hasDoubleZero />
    </div>
  );
}
