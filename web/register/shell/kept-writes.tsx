/** What is kept on this device: what waits to be sent, and what the server refused, one by one, with ways to deal with it. */
import { type ReactNode, useState } from 'react';
import { printMilliseconds } from '../../../src/base/time.js';
import { useStore } from '../../client/store.js';
import { IconCircleCheck, IconClock } from '../../ui/icons.js';
import { printMoney } from '../../ui/money.js';
import { Empty } from '../../ui/states.js';
import { printTime } from '../../ui/time.js';
import { type Cart, isEmpty } from '../core/cart.js';
import { isClockWrong } from '../core/clock.js';
import { isOnline } from '../core/connection.js';
import { cart } from '../core/current-cart.js';
import { device } from '../core/device.js';
import { attendant, team } from '../core/people.js';
import { discard, pending, type QueuedWrite, type RefusedWrite, refused, retry, sendNow } from '../core/queue.js';
import { useAttempt } from '../parts/attempt.js';
import { BigButton } from '../parts/big-button.js';
import { Message } from '../parts/message.js';
import { Panel } from '../parts/panel.js';
import classes from './kept-writes.module.css';
import { goTo } from './places.js';
import { cartOf } from './refused-cart.js';
import { amountOf, wordsFor, wordsForError } from './write-words.js';

export function KeptWrites({ onClose }: { readonly onClose: () => void }) {
  const [waiting, failed, online] = [useStore(pending), useStore(refused), useStore(isOnline)];
  const [wrongClock, person] = [useStore(isClockWrong), useStore(attendant)];
  return (
    <Panel
      title="Kept on this register"
      size={620}
      onClose={onClose}
      footer={
        <BigButton isDisabled={waiting.count === 0} isBusy={waiting.isSending} onClick={() => void sendNow()}>
          {waiting.count === 0 ? 'Nothing to send' : online ? 'Send now' : 'Try the network now'}
        </BigButton>
      }
    >
      <div className={classes['root']}>
        {wrongClock && (
          <Message tone="warning" icon={IconClock}>
            The clock of this device is wrong. All times are corrected by the server's.
          </Message>
        )}
        {waiting.isTooLong && (
          <Message tone="warning">
            The oldest entry is more than two days old. The server accepts entries for 72 hours: bring this register to
            a network soon.
          </Message>
        )}
        {failed.length > 0 && (
          <List title="Refused by the server" note={person ? undefined : 'Sign in to deal with them.'}>
            {failed.map((each) => (
              <Refused key={each.write.id} refused={each} isSignedIn={person !== undefined} onClose={onClose} />
            ))}
          </List>
        )}
        {waiting.count > 0 && (
          <List title="Waiting to be sent">
            {waiting.list.map((write) => (
              <li key={write.id} className={classes['entry']}>
                <Words write={write} />
              </li>
            ))}
          </List>
        )}
        {waiting.count === 0 && failed.length === 0 && (
          <Empty icon={IconCircleCheck} title="Nothing is kept here">
            Everything has reached the server.
          </Empty>
        )}
      </div>
    </Panel>
  );
}

interface ListProps {
  readonly title: string;
  readonly note?: string | undefined;
  readonly children: ReactNode;
}

function List({ title, note, children }: ListProps) {
  return (
    <section className={classes['section']} aria-label={title}>
      <h3>{title}</h3>
      {note !== undefined && <p className={classes['note']}>{note}</p>}
      <ul className={classes['list']}>{children}</ul>
    </section>
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

interface RefusedProps {
  readonly refused: RefusedWrite;
  readonly isSignedIn: boolean;
  readonly onClose: () => void;
}

/** A refused write never disappears by itself: a person reads why, and decides. */
function Refused({ refused: entry, isSignedIn, onClose }: RefusedProps) {
  return (
    <li className={classes['entry']} data-refused>
      <Words write={entry.write} />
      <p className={classes['reason']}>{wordsForError(entry)}</p>
      {isSignedIn && <Ways refused={entry} onClose={onClose} />}
    </li>
  );
}

function Ways({ refused: entry, onClose }: Omit<RefusedProps, 'isSignedIn'>) {
  const { write, canRetry, response } = entry;
  const [isAsking, setAsking] = useState(false);
  const { attempt, isBusy } = useAttempt();
  const current = useStore(cart);
  const sold = cartOf(entry);
  const showOpen = async (): Promise<void> => {
    if (!(await attempt(() => discard(write.id)))) return;
    onClose();
    goTo('open-sales');
  };
  const ringUpAgain = async (sale: Cart): Promise<void> => {
    const isDone = await attempt(async () => {
      await cart.save(sale);
      await discard(write.id);
    }, 'The sale is in the cart again.');
    if (!isDone) return;
    onClose();
    goTo('sell');
  };
  return (
    <div className={classes['ways']}>
      {canRetry && (
        <BigButton isDisabled={isBusy} onClick={() => attempt(() => retry(write.id))}>
          Try again
        </BigButton>
      )}
      {response !== undefined && (
        <BigButton tone="main" isDisabled={isBusy} onClick={showOpen}>
          Find it under Open
        </BigButton>
      )}
      {sold && (
        <BigButton
          isDisabled={isBusy || !isEmpty(current)}
          {...(!isEmpty(current) && { note: 'empty the cart first' })}
          onClick={() => ringUpAgain(sold)}
        >
          Back to the cart
        </BigButton>
      )}
      {response === undefined &&
        (isAsking ? (
          <BigButton tone="danger" isDisabled={isBusy} onClick={() => attempt(() => discard(write.id))}>
            Yes, remove it for good
          </BigButton>
        ) : (
          <BigButton onClick={() => setAsking(true)}>Remove</BigButton>
        ))}
    </div>
  );
}
