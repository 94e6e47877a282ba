/** Splits what is due: evenly among people, or an amount now and the rest later. */
import { useState } from 'react';
import { printMoney } from '../../ui/money.js';
import { AmountPad } from '../parts/amount-pad.js';
import { BigButton } from '../parts/big-button.js';
import classes from './charge.module.css';
import { splitEvenly } from './split.js';

interface SplitPanelProps {
  readonly due: number;
  readonly currency: string;
  /** The parts that are paid one after the other. */
  readonly onSplit: (parts: readonly number[]) => void;
}

const PEOPLE = [2, 3, 4, 5, 6];

export function SplitPanel({ due, currency, onSplit }: SplitPanelProps) {
  const [typed, setTyped] = useState(0);
  const print = (amount: number) => printMoney({ amount, currency });
  const isPart = typed > 0 && typed < due;
  return (
    <div className={classes['split']}>
      <fieldset>
        <legend>Evenly</legend>
        <div className={classes['evenly']}>
          {PEOPLE.filter((people) => people <= due).map((people) => (
            <BigButton
              key={people}
              isTall
              note={`${print(splitEvenly(due, people)[0] ?? 0)} each`}
              onClick={() => onSplit(splitEvenly(due, people))}
            >
              {people} people
            </BigButton>
          ))}
        </div>
      </fieldset>
      <fieldset>
        <legend>By amount</legend>
        <AmountPad
          label="Amount of this part"
          value={typed}
          currency={currency}
          onChange={setTyped}
          onEnter={() => isPart && onSplit([typed, due - typed])}
        />
        <BigButton tone="main" isTall isDisabled={!isPart} onClick={() => onSplit([typed, due - typed])}>
          {typed >= due && typed > 0
            ? `Less than ${print(due)}`
            : isPart
              ? `Charge ${print(typed)} first`
              : 'Type an amount'}
        </BigButton>
      </fieldset>
    </div>
  );
}
