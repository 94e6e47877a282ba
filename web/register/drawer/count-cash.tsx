/** Counts the cash in a drawer: how many of each note and coin. The sum is always in sight. */
import { useState } from 'react';
import { printMoney } from '../../ui/money.js';
import { denominationsOf } from '../parts/denominations.js';
import classes from './count-cash.module.css';

type Counts = Readonly<Record<number, number>>;

const MAX_COUNT = 9999;

export function sumOf(counts: Counts): number {
  return Object.entries(counts).reduce((sum, [value, count]) => sum + Number(value) * count, 0);
}

interface CountCashProps {
  readonly currency: string;
  readonly onChange: (sum: number) => void;
}

export function CountCash({ currency, onChange }: CountCashProps) {
  const [counts, setCounts] = useState<Counts>({});
  const { notes, coins } = denominationsOf(currency);
  const set = (value: number, count: number): void => {
    const next = { ...counts, [value]: Math.max(0, Math.min(MAX_COUNT, count)) };
    setCounts(next);
    onChange(sumOf(next));
  };
  const group = (title: string, values: readonly number[]) => (
    <fieldset className={classes['group']}>
      <legend>{title}</legend>
      {values.map((value) => (
        <Row
          key={value}
          name={printMoney({ amount: value, currency })}
          count={counts[value] ?? 0}
          sum={printMoney({ amount: value * (counts[value] ?? 0), currency })}
          onCount={(count) => set(value, count)}
        />
      ))}
    </fieldset>
  );
  return (
    <div className={classes['root']}>
      {group('Notes', notes)}
      {group('Coins', coins)}
      <p className={classes['sum']} role="status">
        <span>Counted</span>
        <strong>{printMoney({ amount: sumOf(counts), currency })}</strong>
      </p>
    </div>
  );
}

interface RowProps {
  readonly name: string;
  readonly count: number;
  readonly sum: string;
  readonly onCount: (count: number) => void;
}

function Row({ name, count, sum, onCount }: RowProps) {
  return (
    <div className={classes['row']}>
      <span className={classes['name']}>{name}</span>
      <button type="button" aria-label={`One ${name} less`} disabled={count === 0} onClick={() => onCount(count - 1)}>
        −
      </button>
      <input
        inputMode="numeric"
        aria-label={`How many ${name}`}
        value={count === 0 ? '' : String(count)}
        placeholder="0"
        onChange={(event) => onCount(Number(event.currentTarget.value.replaceAll(/\D/g, '')) || 0)}
      />
      <button type="button" aria-label={`One ${name} more`} onClick={() => onCount(count + 1)}>
        +
      </button>
      <span className={classes['value']}>{count > 0 ? sum : ''}</span>
    </div>
  );
}
