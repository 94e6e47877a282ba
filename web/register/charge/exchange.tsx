/** An exchange in which nothing is left to pay, or the goods that come back are worth more. */
import { useState } from 'react';
import { asProblem } from '../../client/problem.js';
import { useStore } from '../../client/store.js';
import { printMoney } from '../../ui/money.js';
import { device } from '../core/device.js';
import { Elsewhere } from '../core/elsewhere.js';
import { announce } from '../parts/announce.js';
import { BackButton } from '../parts/back-button.js';
import { BigButton } from '../parts/big-button.js';
import { Message } from '../parts/message.js';
import { goTo } from '../shell/places.js';
import classes from './charge.module.css';
import { type Charging, settleExchange } from './charging.js';
import { SaleSummary } from './sale-summary.js';

export function Exchange({ state }: { readonly state: Charging }) {
  const currency = useStore(device)?.business.currency ?? 'USD';
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const rest = printMoney({ amount: -state.due, currency });
  const finish = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await settleExchange(state);
    } catch (error) {
      if (error instanceof Elsewhere) {
        announce(error.message);
        goTo('sell');
      } else setProblem(asProblem(error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className={classes['charge']}>
      <section className={classes['pay']} aria-label="Exchange">
        <BackButton onClick={() => goTo('sell')}>Back to the cart</BackButton>
        <div className={classes['due']}>
          <span>{state.due < 0 ? 'To give back' : 'To pay'}</span>
          <h1>{rest}</h1>
        </div>
        <p className={classes['hint']}>
          {state.due < 0
            ? `The goods that come back are worth more. ${rest} goes back to where the first sale was paid from.`
            : state.cart.returns.length > 0
              ? 'The goods that come back pay for everything.'
              : 'Nothing has to be paid.'}
        </p>
        {problem !== undefined && (
          <div className={classes['message']}>
            <Message tone="danger" role="alert">
              {problem}
            </Message>
          </div>
        )}
        <div className={classes['ways']}>
          <BigButton tone="main" isTall isBusy={isBusy} onClick={finish}>
            {state.due < 0
              ? `Exchange and give back ${rest}`
              : state.cart.returns.length > 0
                ? 'Exchange'
                : 'Complete the sale'}
          </BigButton>
        </div>
      </section>
      <SaleSummary state={state} currency={currency} />
    </div>
  );
}
