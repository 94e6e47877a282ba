/** The change of one part of a sale. The next part is asked for when it was given, so that it is not forgotten between two buyers. */
import { IconCircleCheck } from '../../ui/icons.js';
import { printMoney } from '../../ui/money.js';
import { BigButton } from '../parts/big-button.js';
import { ChangeDue } from './change-due.js';
import classes from './charge.module.css';
import { type Charging, confirmChange } from './charging.js';

interface GiveChangeProps {
  readonly state: Charging;
  /** What the next part pays. Minor units. */
  readonly part: number;
  readonly currency: string;
}

export function GiveChange({ state, part, currency }: GiveChangeProps) {
  const { amount: paid = 0, tip = 0, change = 0, tendered = 0 } = state.taken.at(-1) ?? {};
  const print = (amount: number) => printMoney({ amount, currency });
  return (
    <div className={classes['change']}>
      <h1>
        <IconCircleCheck size={26} stroke={1.8} aria-hidden /> {print(paid + tip)} paid
      </h1>
      <ChangeDue change={{ amount: change, currency }} note={`Out of ${print(tendered)}`} />
      <BigButton
        tone="main"
        isTall
        onClick={() => confirmChange(state)}
        {...(part < state.due && { note: `${print(state.due)} is left to pay` })}
      >
        {part < state.due ? `Next part: ${print(part)}` : `Next: the rest of ${print(part)}`}
      </BigButton>
    </div>
  );
}
