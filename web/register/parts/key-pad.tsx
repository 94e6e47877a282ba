/** The twelve keys of a till, for fingers and for the keyboard. */
import { memo, useEffect, useRef } from 'react';
import { flushSync } from 'react-dom';
import { IconBackspace } from '../../ui/icons.js';
import classes from './key-pad.module.css';

/** A digit, `00`, or the key that removes the last digit. */
export type PadKey = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9' | '00' | 'BACK';

const ROWS: readonly PadKey[] = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];

interface KeyPadProps {
  readonly onKey: (key: PadKey) => void;
  /** What Enter does. */
  readonly onEnter?: (() => void) | undefined;
  /** The key to the left of the zero. Default: none. */
  readonly hasDoubleZero?: boolean;
  readonly isDisabled?: boolean;
}

function toKey(pressed: string): PadKey | undefined {
  if (pressed === 'Backspace') return 'BACK';
  return /^\d$/.test(pressed) ? (pressed as PadKey) : undefined;
}

/** Digits of the keyboard reach the pad wherever the focus is, except in a field. */
function useKeyboard(onKey: (key: PadKey) => void, onEnter: (() => void) | undefined, isDisabled: boolean): void {
  const latest = useRef({ onKey, onEnter });
  latest.current = { onKey, onEnter };
  useEffect(() => {
    if (isDisabled) return;
    const listen = (event: KeyboardEvent): void => {
      const from = event.target;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (from instanceof HTMLElement && from.matches('input, textarea, select, [contenteditable]')) return;
      const key = toKey(event.key);
      const isOnButton = from instanceof HTMLElement && from.closest('button, a') !== null;
      if (key !== undefined) {
        event.preventDefault();
        // At once: an Enter that follows quickly must see the digit.
        flushSync(() => latest.current.onKey(key));
      } else if (event.key === 'Enter' && !isOnButton && latest.current.onEnter) {
        event.preventDefault();
        latest.current.onEnter();
      }
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [isDisabled]);
}

export const KeyPad = memo(function KeyPad({ onKey, onEnter, hasDoubleZero = false, isDisabled = false }: KeyPadProps) {
  useKeyboard(onKey, onEnter, isDisabled);
  const pad = useRef<HTMLFieldSetElement>(null);
  // Otherwise a dialog would focus its close button, and Enter would close the dialog.
  useEffect(() => pad.current?.focus({ preventScroll: true }), []);
  const key = (name: PadKey) => (
    <button key={name} type="button" className={classes['key']} disabled={isDisabled} onClick={() => onKey(name)}>
      {name}
    </button>
  );
  return (
    <fieldset ref={pad} className={classes['pad']} aria-label="Digits" tabIndex={-1} data-autofocus>
      {ROWS.map(key)}
      {hasDoubleZero ? key('00') : <span />}
      {key('0')}
      <button
        type="button"
        className={classes['key']}
        disabled={isDisabled}
        aria-label="Delete the last digit"
        onClick={() => onKey('BACK')}
      >
        <IconBackspace size={28} stroke={1.6} aria-hidden />
      </button>
    </fieldset>
  );
});
