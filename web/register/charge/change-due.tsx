/** The change for the buyer, in digits that can be read from two metres. */
import { printMoney, type WireMoney } from '../../ui/money.js';
import classes from './change-due.module.css';

interface ChangeDueProps {
  readonly change: WireMoney;
  /** `Out of $20.00`. */
  readonly note: string;
}

export function ChangeDue({ change, note }: ChangeDueProps) {
  const text = printMoney(change);
  return (
    <div className={classes['root']} role="status">
      <span className={classes['label']}>{change.amount > 0 ? 'Give back' : 'No change'}</span>
      <strong className={classes['amount']} style={{ '--letters': text.length } as React.CSSProperties}>
        {text}
      </strong>
      <span className={classes['note']}>{note}</span>
    </div>
  );
}
