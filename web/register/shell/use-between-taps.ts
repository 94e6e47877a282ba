/** What appears above the buttons moves them, so it waits for a pause between taps. Otherwise a finger could hit the wrong button. */
import { useEffect, useRef, useState } from 'react';

/** Nobody who rings up several items pauses for longer. */
const PAUSE_MS = 600;
/** After this time a touch counts as ended: browsers do not always say that it has. */
const MAX_TOUCH_MS = 5000;

let isTouching = false;
let touchedAt = Number.NEGATIVE_INFINITY;

function note(isDown: boolean): void {
  isTouching = isDown;
  touchedAt = performance.now();
}

const options = { capture: true, passive: true };
addEventListener('pointerdown', () => note(true), options);
for (const end of ['pointerup', 'pointercancel'] as const) addEventListener(end, () => note(false), options);

/** The value as it is, but it appears and disappears only after a pause. */
export function useBetweenTaps<Value>(value: Value | undefined): Value | undefined {
  const isThere = value !== undefined;
  const [isShown, setShown] = useState(isThere);
  const last = useRef(value);
  useEffect(() => {
    if (value !== undefined) last.current = value;
  });
  useEffect(() => {
    if (isThere === isShown) return;
    let timer: ReturnType<typeof setTimeout>;
    const wait = (): void => {
      const since = performance.now() - touchedAt;
      const left = isTouching && since < MAX_TOUCH_MS ? PAUSE_MS : PAUSE_MS - since;
      if (left <= 0) setShown(isThere);
      else timer = setTimeout(wait, left);
    };
    wait();
    return () => clearTimeout(timer);
  }, [isThere, isShown]);
  return isShown ? (value ?? last.current) : undefined;
}
