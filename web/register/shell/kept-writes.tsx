/** What is kept on this device: what waits to be sent, and what the server refused, one by one, with ways to deal with it. */
import { useState } from 'react';
import { printMilliseconds } from '../../../src/base/time.js';
import { useStore } from '../../client/store.js';
import { IconAlertTriangle, IconCircleCheck, IconClock } from '../../ui/icons.js';
import { printMoney } from '../../ui/money.js';
import { Empty } from '../../ui/states.js';
import { printTime } from '../../ui/time.js';
import { isEmpty } from '../core/cart.js';
import { isClockWrong } from '../core/clock.js';
import { isOnline } from '../core/connection.js';
import { cart } from '../core/current-cart.js';
import { device } from '../core/device.js';
import { team } from '../core/people.js';
import { discard, pending, type QueuedWrite, type RefusedWrite, refused, retry, sendNow } from '../core/queue.js';
import { useAttempt } from '../parts/attempt.js';
import { BigButton } from '../parts/big-button.js';
import { Panel } from '../parts/panel.js';
import classes from './kept-writes.module.css';
import { cartOf } from './refused-cart.js';
import { amountOf, wordsFor, wordsForError } from './write-words.js';

export function KeptWrites({ onClose }: { readonly onClose: () => void }) {
  const [waiting, failed, online] = [useStore(pending), useStore(refused), useStore(isOnline)];
  const wrongClock = useStore(isClockWrong);
  return (
    <Panel
      title="Kept on this register"
      size={620}
      onClose={onClose}
      footer={
        <BigButton isDisabled={waiting.count === 0} isBusy={waiting.isSending} onClick={() => void sendNow()}>
          {online ? 'Send now' : 'Try the network now'}
        </BigButton>
      }
    >
      {wrongClock && (
        <p className={classes['note']}>
          <IconClock size={20} aria-hidden /> The clock of this device is wrong. All times are corrected by the
          server's.
        </p>
      )}
      {waiting.isTooLong && (
        <p className={classes['note']}>
          <IconAlertTriangle size={20} aria-hidden /> The oldest entry is more than two days old. The server accepts
          entries for 72 hours: bring this register to a network soon.
        </p>
      )}
      {failed.length > 0 && (
        <section aria-labelledby="refused-title">
          <h3 id="refused-title" className={classes['title']}>
            Refused by the server
          </h3>
          <ul className={classes['list']}>
            {failed.map((each) => (
              <Refused key={each.write.id} refused={each} />
            ))}
          </ul>
        </section>
      )}
      {waiting.count > 0 && (
        <section aria-labelledby="waiting-title">
          <h3 id="waiting-title" className={classes['title']}>
            Waiting to be sent
          </h3>
          <ul className={classes['list']}>
            {waiting.list.map((write) => (
              <li key={write.id} className={classes['entry']}>
                <Words write={write} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {waiting.count === 0 && failed.length === 0 && (
        <Empty icon={IconCircleCheck} title="Nothing is kept here">
          Everything has reached the server.
        </Empty>
      )}
    </Panel>
  );
}

/** What, by whom, when, how much. */
function Words({ write }: { readonly write: QueuedWrite }) {
  const [people, paired] = [useStore(team), useStore(device)];
  const person = people.find(({ id }) => id === write.employeeId);
  const sum = amountOf(write);
  const currency = paired?.business.currency ?? 'USD';
  return (
    <div className={classes['words']}>
      <span>
        <strong>{wordsFor(write)}</strong>
        <small>
          {printTime(printMilliseconds(write.occurredAt), 'both', paired?.location.timezone)}
          {person && ` · ${person.first_name} ${person.last_name}`}
        </small>
      </span>
      {sum !== undefined && <strong>{printMoney({ amount: sum, currency })}</strong>}
    </div>
  );
}

/** Nothing disappears by itself: a person decides, after reading why. */
function Refused({ refused: { write, error, canRetry } }: { readonly refused: RefusedWrite }) {
  const [isAsking, setAsking] = useState(false);
  const { attempt, isBusy } = useAttempt();
  const current = useStore(cart);
  const sold = cartOf(write);
  return (
    <li className={classes['entry']} data-refused>
      <Words write={write} />
      <p className={classes['reason']}>{wordsForError(error)}</p>
      <div className={classes['ways']}>
        {canRetry && (
          <BigButton isDisabled={isBusy} onClick={() => attempt(() => retry(write.id))}>
            Try again
          </BigButton>
        )}
        {sold && (
          <BigButton
            isDisabled={isBusy || !isEmpty(current)}
            {...(!isEmpty(current) && { note: 'empty the cart first' })}
            onClick={() =>
              attempt(async () => {
                cart.set(sold);
                await discard(write.id);
              }, 'The sale is in the cart again.')
            }
          >
            Back to the cart
          </BigButton>
        )}
        {isAsking ? (
          <BigButton tone="danger" isDisabled={isBusy} onClick={() => attempt(() => discard(write.id))}>
            Yes, remove it for good
          </BigButton>
        ) : (
          <BigButton onClick={() => setAsking(true)}>Remove</BigButton>
        )}
      </div>
    </li>
  );
}
