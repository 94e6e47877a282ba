/**
 * The field for the token of a reader that types like a keyboard. What the reader types outside of the field goes there too, however
 * slowly. Enter hands the whole text over, once.
 */
import { type RefObject, useEffect, useRef, useState } from 'react';

interface ReaderKeys {
  readonly fieldRef: RefObject<HTMLInputElement | null>;
  readonly typed: string;
  readonly setTyped: (text: string) => void;
  /** Empties the field, and passes on what was in it. */
  readonly handOver: () => void;
}

export function useReaderKeys(onToken: (text: string) => void): ReaderKeys {
  const fieldRef = useRef<HTMLInputElement>(null);
  const [typed, show] = useState('');
  // Several keys can come before React renders again.
  const text = useRef('');
  const setTyped = (next: string): void => {
    text.current = next;
    show(next);
  };
  const handOver = (): void => {
    const whole = text.current;
    setTyped(''); // not needed any more, and possibly a card number
    onToken(whole);
  };
  const latest = useRef({ setTyped, handOver });
  latest.current = { setTyped, handOver };
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const isShortcut = event.ctrlKey || event.metaKey || event.altKey;
      if (isShortcut && !event.getModifierState('AltGraph')) return;
      // Text that is typed into another field belongs there, for example a passcode.
      if (document.querySelector('[role="dialog"]') !== null) return;
      if (event.target instanceof HTMLElement && event.target.matches('input, textarea')) return;
      const isEnter = event.key === 'Enter';
      // Before a token begins, space and Enter press the button that has the focus.
      if (text.current === '' && (isEnter || event.key === ' ')) return;
      if (!isEnter && event.key.length !== 1) return;
      event.preventDefault();
      event.stopPropagation();
      if (isEnter) latest.current.handOver();
      else {
        fieldRef.current?.focus();
        latest.current.setTyped(text.current + event.key);
      }
    };
    addEventListener('keydown', listen, true);
    return () => removeEventListener('keydown', listen, true);
  }, []);
  return { fieldRef, typed, setTyped, handOver };
}
