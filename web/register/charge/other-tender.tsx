/** Other tenders, with a name that the employee chooses. */
import { useState } from 'react';
import { printMoney } from '../../ui/money.js';
import { BigButton } from '../parts/big-button.js';
import { TextField } from '../parts/text-field.js';
import classes from './charge.module.css';

interface OtherTenderProps {
  readonly due: number;
  readonly currency: string;
  readonly isBusy: boolean;
  readonly onTake: (name: string) => void;
}

const USUAL = ['Voucher', 'Check', 'Bank transfer', 'Invoice', 'House account', 'Staff meal'];

export function OtherTender({ due, currency, isBusy, onTake }: OtherTenderProps) {
  const [name, setName] = useState('');
  return (
    <div className={classes['other']}>
      <div className={classes['ways']}>
        {USUAL.map((usual) => (
          <BigButton key={usual} isTall isDisabled={isBusy} onClick={() => onTake(usual)}>
            {usual}
          </BigButton>
        ))}
      </div>
      <TextField label="Something else" value={name} onChange={setName} maxLength={60} />
      <BigButton tone="main" isTall isDisabled={name.trim() === ''} isBusy={isBusy} onClick={() => onTake(name.trim())}>
        {`Record ${printMoney({ amount: due, currency })}`}
      </BigButton>
    </div>
  );
}
