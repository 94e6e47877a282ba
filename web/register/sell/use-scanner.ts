/** Listens for a barcode scanner: it is a keyboard that types a code faster than anybody could, and then Enter. */
import { useEffect, useRef } from 'react';

/** People leave more time between two keys. */
const MAX_PAUSE_MS = 45;
const MIN_LENGTH = 4;
/** Longer than any barcode, and long enough for the address of a receipt. */
const MAX_LENGTH = 512;

interface Typed {
  readonly text: string;
  readonly at: number;
}

const NOTHING: Typed = { text: '', at: 0 };

/** What was typed so far, after one more key. A slow key starts a new text. */
export function collect({ text, at }: Typed, key: string, now: number): Typed {
  if (key.length !== 1) return { text, at };
  const isFast = now - at <= MAX_PAUSE_MS;
  return { text: isFast && text.length < MAX_LENGTH ? text + key : key, at: now };
}

export function isScan({ text, at }: Typed, now: number): boolean {
  return text.length >= MIN_LENGTH && now - at <= MAX_PAUSE_MS * 2;
}

/** `onScan` gets the code. In a field the characters appear too; the field's owner decides what Enter means there. */
export function useScanner(onScan: (code: string) => void): void {
  const latest = useRef(onScan);
  latest.current = onScan;
  useEffect(() => {
    let typed = NOTHING;
    const listen = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      // What is typed in a dialog, for example a passcode, is never a code to look up and show.
      if (document.querySelector('[role="dialog"]') !== null) {
        typed = NOTHING;
        return;
      }
      const isInField = event.target instanceof HTMLElement && event.target.matches('input, textarea');
      if (event.key !== 'Enter') {
        typed = collect(typed, event.key, event.timeStamp);
        // Otherwise a space in the code would press the button that has the focus.
        if (!isInField && typed.text.length > 1 && event.key === ' ') event.preventDefault();
        return;
      }
      const found = typed;
      typed = NOTHING;
      if (isInField || !isScan(found, event.timeStamp)) return;
      event.preventDefault();
      event.stopPropagation();
      latest.current(found.text);
    };
    addEventListener('keydown', listen, true);
    return () => removeEventListener('keydown', listen, true);
  }, []);
}
