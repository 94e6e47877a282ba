/**
 * Events of the window between this page and an app that shows it and has the card reader (decision 0191): the page says which card it
 * wants, and the app hands over its token. Only a script of the page or of this app can send such events, and no other page.
 */
import { useEffect, useRef } from 'react';

export interface WantedCard {
  readonly type: 'CARD' | 'GIFT_CARD';
  /** With the tip, in minor units. */
  readonly amount: number;
  readonly currency: string;
}

const WANTED = 'tillhouse:card-wanted';
const NOT_WANTED = 'tillhouse:card-not-wanted';
const CARD = 'tillhouse:card';

interface Attempt {
  readonly wanted: WantedCard;
  /** Whether a card is being charged: then no other card is wanted. */
  readonly isBusy: boolean;
  /** A new number announces the wanted card again, after a token of the app was refused. */
  readonly attempt: number;
}

/** Announces the card that is wanted for as long as the caller is shown. `onCard` gets the token that the app sends. */
export function useReaderApp({ wanted, isBusy, attempt }: Attempt, onCard: (token: string) => void): void {
  const { type, amount, currency } = wanted;
  const latest = useRef(onCard);
  latest.current = onCard;
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each attempt anew
  useEffect(() => {
    if (isBusy) return;
    const listen = (event: Event): void => {
      const { source_id: token } = ((event as CustomEvent<unknown>).detail ?? {}) as { source_id?: unknown };
      if (typeof token === 'string') latest.current(token);
    };
    addEventListener(CARD, listen);
    dispatchEvent(new CustomEvent(WANTED, { detail: { type, amount_money: { amount, currency } } }));
    return () => {
      removeEventListener(CARD, listen);
      dispatchEvent(new CustomEvent(NOT_WANTED));
    };
  }, [type, amount, currency, isBusy, attempt]);
}
