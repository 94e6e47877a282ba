/** `npm start`: sets up what is missing, then is `tillhouse serve` with the arguments given, in this very process. */
import { ensureBuilt, ensureInstalled } from './prepare.mjs';

const parent = process.ppid;
ensureInstalled();
ensureBuilt();
if (process.env.npm_lifecycle_event === 'start') stopWithParent();
process.argv.splice(2, 0, 'serve');
await import('../dist/main.js');

/** npm passes a SIGTERM on to its shell, and many a shell ends without passing it on to us: then our parent is gone. */
function stopWithParent() {
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 100).unref();
}
