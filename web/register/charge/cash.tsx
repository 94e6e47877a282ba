/** Cash: what buyers usually hand over as one tap each, and a pad for everything else. */
import { useState } from 'react';
import { useStore } from '../../client/store.js';
import { printMoney } from '../../ui/money.js';
import { drawer } from '../core/drawer.js';
import { AmountPad } from '../parts/amount-pad.js';
import { BigButton } from '../parts/big-button.js';
import { suggestCash } from '../parts/denominations.js';
import classes from './cash.module.css';

interface CashProps {
  /** Minor units. */
  readonly due: number;
  readonly currency: string;
  readonly isBusy: boolean;
  readonly onTendered: (tendered: number) => void;
}

export function Cash({ due, currency, isBusy, onTendered }: CashProps) {
  const [typed, setTyped] = useState(0);
  const print = (amount: number) => printMoney({ amount, currency });
  const isOpen = useStore(drawer)?.state === 'OPEN';
  const isEnough = typed >= due;
  return (
    <div className={classes['root']}>
      <div className={classes['notes']}>
        {suggestCash(due, currency).map((amount, index) => (
          <BigButton
            key={amount}
            isTall
            tone={index === 0 ? 'main' : 'plain'}
            isDisabled={isBusy}
            onClick={() => onTendered(amount)}
            {...(index === 0 && { note: 'Exact amount' })}
          >
            {print(amount)}
          </BigButton>
        ))}
        {!isOpen && <p className={classes['noDrawer']}>No drawer is open: this cash will be in no drawer.</p>}
      </div>
      <div className={classes['pad']}>
        <AmountPad
          label="Cash received"
          value={typed}
          currency={currency}
          onChange={setTyped}
          onEnter={() => isEnough && !isBusy && onTendered(typed)}
        />
        <BigButton tone="main" isTall isDisabled={!isEnough} isBusy={isBusy} onClick={() => onTendered(typed)}>
          {typed === 0
            ? 'Type the cash received'
            : isEnough
              ? `Take ${print(typed)}`
              : `${print(due - typed)} is missing`}
        </BigButton>
      </div>
    </div>
  );
}
