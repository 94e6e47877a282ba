/** The owner has removed this device. What waits to be sent is still here. */
import { useState } from 'react';
import { asProblem, type Problem } from '../../client/problem.js';
import { useStore } from '../../client/store.js';
import { IconPlug, IconRefresh } from '../../ui/icons.js';
import { Empty } from '../../ui/states.js';
import { refreshDevice, unpair } from '../core/device.js';
import { pending } from '../core/queue.js';
import { BigButton } from '../parts/big-button.js';
import classes from './removed.module.css';

export function Removed() {
  const waiting = useStore(pending).count;
  const [problem, setProblem] = useState<Problem>();
  const attempt = (work: () => Promise<void>) => () => work().catch((error: unknown) => setProblem(asProblem(error)));
  return (
    <main className={classes['page']}>
      <Empty icon={IconPlug} title="This register was removed">
        The owner has removed this device in the dashboard.
        {waiting > 0 && ` ${waiting} entries have not been sent yet and are kept here.`} Pair it again to go on.
      </Empty>
      <div className={classes['ways']}>
        <BigButton icon={IconRefresh} onClick={attempt(refreshDevice)}>
          Ask again
        </BigButton>
        <BigButton tone="main" onClick={attempt(unpair)}>
          Pair it again
        </BigButton>
        {problem && <p role="alert">{problem.message}</p>}
      </div>
    </main>
  );
}
