/** `npm start`: installs and builds if needed, then runs `tillhouse serve` with the given arguments in this process. */
import { ensureBuilt, ensureInstalled } from './prepare.mjs';

const parent = process.ppid;
ensureInstalled();
ensureBuilt();
if (process.env.npm_lifecycle_event === 'start') stopWithParent();
process.argv.splice(2, 0, 'serve');
await import('../dist/main.js');

/** npm sends SIGTERM to its shell, and many shells exit without forwarding it. The exit of the parent is then the signal. */
function stopWithParent() {
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 100).unref();
}
