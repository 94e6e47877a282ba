/** Shown while the charge of a card has no response, so that nobody knows whether it succeeded. The register asks until it knows. */
import { useEffect, useRef } from 'react';
import { useStore } from '../../client/store.js';
import { pending, refused, retry, sendNow } from '../core/queue.js';
import { BigButton } from '../parts/big-button.js';
import { Message } from '../parts/message.js';
import { goTo } from '../shell/places.js';
import classes from './charge.module.css';
import { type Charging, settleUnknownCard } from './charging.js';
import { leaveUnknownCard } from './leave.js';

const PAUSE_MS = 3000;

interface UnknownCardProps {
  readonly state: Charging;
  /** Called if the card was declined or the sale was refused. */
  readonly onRefusal: (error: unknown) => void;
}

export function UnknownCard({ state, onRefusal }: UnknownCardProps) {
  const [waiting, failed] = [useStore(pending), useStore(refused)];
  const { writeId } = state.asked ?? {};
  const latest = useRef({ state, onRefusal });
  latest.current = { state, onRefusal };
  // biome-ignore lint/correctness/useExhaustiveDependencies: a response changes what waits or what was refused
  useEffect(() => {
    const settle = (): void => {
      const { state: now, onRefusal: tell } = latest.current;
      settleUnknownCard(now).catch(tell);
    };
    settle();
    const timer = setInterval(settle, PAUSE_MS); // the server may have the card, and still wait for its processor
    return () => clearInterval(timer);
  }, [writeId, waiting, failed]);
  const isSetAside = failed.some(({ write }) => write.id === writeId);
  const leave = (): void => {
    leaveUnknownCard();
    goTo('sell');
  };
  return (
    <div className={classes['other']}>
      <Message tone="warning" title="Keep the goods here" role="alert">
        {isSetAside
          ? 'It is not known whether the card was charged, and the server cannot say. Ask again. Do not charge the card again.'
          : 'It is not known yet whether the card was charged. Asking … Do not charge the card again.'}
      </Message>
      <BigButton
        tone="main"
        isTall
        isBusy={waiting.isSending}
        onClick={() => void (isSetAside && writeId !== undefined ? retry(writeId) : sendNow())}
      >
        Ask now
      </BigButton>
      <BigButton
        note="the register keeps asking, and keeps the sale in its list if the card is refused"
        onClick={leave}
      >
        Start another sale
      </BigButton>
    </div>
  );
}
