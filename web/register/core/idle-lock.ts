/** Locks the register when nobody has touched it for a while. */
import { device } from './device.js';
import { attendant, lock } from './people.js';

const DEFAULT_SECONDS = 120;
const TOUCHES = ['pointerdown', 'keydown'] as const;

let timer: ReturnType<typeof setTimeout> | undefined;

export function watchIdleness(): void {
  for (const touch of TOUCHES) addEventListener(touch, restart, { capture: true, passive: true });
  attendant.subscribe(restart);
  restart();
}

function restart(): void {
  clearTimeout(timer);
  if (!attendant.get()) return;
  timer = setTimeout(lock, (device.get()?.settings.lock_after_seconds ?? DEFAULT_SECONDS) * 1000);
}
