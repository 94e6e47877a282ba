/**
 * Stops this process with SIGTERM when its parent exits. npm forwards a SIGTERM to its shell, but many shells exit without forwarding it,
 * and a parent that is killed forwards nothing. Plain JavaScript, because scripts use it before anything is built.
 */
import { readFileSync } from 'node:fs';

/** Whether npm, npx or a program like them has started this process, or a program that they have started. */
export function isStartedByNpm() {
  return process.env.npm_lifecycle_event !== undefined;
}

/** The parent, and npm if the parent is only the shell in which npm runs a script. Only Linux shows that. */
export function parents() {
  const event = `npm_lifecycle_event=${process.env.npm_lifecycle_event}\0`;
  const isShellOfNpm = read(`/proc/${process.ppid}/environ`).includes(event);
  return isShellOfNpm ? [process.ppid, parentOf(process.ppid)] : [process.ppid];
}

/** `onEnd` is called before the signal. */
export function stopWithParent([parent, npm] = parents(), onEnd = () => {}) {
  const timer = setInterval(() => {
    if (process.ppid === parent && (npm === undefined || parentOf(parent) === npm)) return;
    clearInterval(timer);
    onEnd();
    process.kill(process.pid, 'SIGTERM');
  }, 100).unref();
}

/** The fields after the name of the program, which may contain anything, are its state and its parent. */
function parentOf(pid) {
  return Number(/.*\) \S (\d+)/s.exec(read(`/proc/${pid}/stat`))?.[1]);
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
