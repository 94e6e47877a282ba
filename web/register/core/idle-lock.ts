/** Locks the register when nobody has touched it for a while. */
import { device } from './device.js';
import { attendant, lock } from './people.js';

const DEFAULT_SECONDS = 120;
const TOUCHES = ['pointerdown', 'keydown'] as const;

let timer: ReturnType<typeof setTimeout> | undefined;
/** The idle time with which the timer was started. */
let seconds = DEFAULT_SECONDS;

export function watchIdleness(): void {
  for (const touch of TOUCHES) addEventListener(touch, restart, { capture: true, passive: true });
  attendant.subscribe(restart);
  device.subscribe(restartIfChanged);
  restart();
}

function readSeconds(): number {
  return device.get()?.settings.lock_after_seconds ?? DEFAULT_SECONDS;
}

function restart(): void {
  clearTimeout(timer);
  seconds = readSeconds();
  if (attendant.get()) timer = setTimeout(lock, seconds * 1000);
}

/** A changed idle time applies at once. Settings that arrive again unchanged must not keep the register from locking. */
function restartIfChanged(): void {
  if (readSeconds() !== seconds) restart();
}
