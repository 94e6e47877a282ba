/** Waits for the token of a card reader: typed by the reader like by a keyboard, sent by an app around this page, or pasted. */
import { useState } from 'react';
import { BigButton } from '../parts/big-button.js';
import { TextField } from '../parts/text-field.js';
import classes from './charge.module.css';
import { useReaderApp, type WantedCard } from './reader-app.js';
import { readToken } from './reader-token.js';
import { useReaderKeys } from './use-reader-keys.js';

interface CardReaderProps {
  readonly wanted: WantedCard;
  readonly isBusy: boolean;
  readonly onToken: (sourceId: string) => void;
}

export function CardReader({ wanted, isBusy, onToken }: CardReaderProps) {
  const [refusal, setRefusal] = useState<string>();
  const [refusals, setRefusals] = useState(0);
  const hand = (given: string): void => {
    if (isBusy) return;
    const token = readToken(given);
    if ('refusal' in token) {
      setRefusal(token.refusal);
      setRefusals((count) => count + 1);
    } else {
      setRefusal(undefined);
      onToken(token.sourceId);
    }
  };
  const { fieldRef, typed, setTyped, handOver } = useReaderKeys(hand);
  useReaderApp({ wanted, isBusy, attempt: refusals }, hand);
  return (
    <div className={classes['other']}>
      <p className={classes['hint']} role="status">
        {isBusy ? 'Charging the card …' : 'Present the card to the reader.'}
      </p>
      <TextField
        fieldRef={fieldRef}
        label="Token of the card"
        value={typed}
        onChange={(text) => {
          setTyped(text);
          setRefusal(undefined);
        }}
        onEnter={handOver}
        error={refusal}
        hint="The reader fills this in. If it only shows the token, type it. Never type a card number."
      />
      <BigButton tone="main" isTall isDisabled={typed.trim() === ''} isBusy={isBusy} onClick={handOver}>
        Charge the card
      </BigButton>
    </div>
  );
}
