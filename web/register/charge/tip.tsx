/** The buyer's side of the screen: a tip, as one tap. */
import { useState } from 'react';
import { printMoney } from '../../ui/money.js';
import { AmountPad } from '../parts/amount-pad.js';
import { BigButton } from '../parts/big-button.js';
import classes from './tip.module.css';

interface TipProps {
  /** Minor units. */
  readonly due: number;
  readonly currency: string;
  /** Whole percentages. */
  readonly presets: readonly number[];
  readonly business: string;
  readonly onTip: (tip: number) => void;
}

/** Rounded half up, to the minor unit. */
export function tipOf(due: number, percent: number): number {
  return Math.floor((due * percent + 50) / 100);
}

export function Tip({ due, currency, presets, business, onTip }: TipProps) {
  const [custom, setCustom] = useState<number>();
  const print = (amount: number) => printMoney({ amount, currency });
  return (
    <section className={classes['root']} aria-labelledby="tip-title">
      <p className={classes['business']}>{business}</p>
      <h1 id="tip-title" className={classes['title']}>
        Add a tip?
      </h1>
      <p className={classes['due']}>
        Your total is <strong>{print(due)}</strong>
      </p>
      {custom === undefined ? (
        <>
          <div className={classes['presets']}>
            {presets.map((percent) => (
              <button
                key={percent}
                type="button"
                className={classes['preset']}
                onClick={() => onTip(tipOf(due, percent))}
              >
                <strong>{percent} %</strong>
                <span>{print(tipOf(due, percent))}</span>
              </button>
            ))}
          </div>
          <div className={classes['more']}>
            <BigButton isTall onClick={() => setCustom(0)}>
              Other amount
            </BigButton>
            <BigButton isTall onClick={() => onTip(0)}>
              No tip
            </BigButton>
          </div>
        </>
      ) : (
        <div className={classes['custom']}>
          <AmountPad
            label="Tip"
            value={custom}
            currency={currency}
            onChange={setCustom}
            onEnter={() => onTip(custom)}
          />
          <BigButton tone="main" isTall onClick={() => onTip(custom)}>
            {custom === 0 ? 'No tip' : `Add ${print(custom)}`}
          </BigButton>
          <BigButton tone="quiet" onClick={() => setCustom(undefined)}>
            Back
          </BigButton>
        </div>
      )}
    </section>
  );
}
