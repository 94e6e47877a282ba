/** `npm start`: installs and builds if needed, then runs `tillhouse serve` with the given arguments in this process. */
import { parents, stopWithParent } from './parent.mjs';
import { ensureBuilt, ensureInstalled } from './prepare.mjs';

const started = parents();
ensureInstalled();
ensureBuilt();
if (process.env.npm_lifecycle_event === 'start') stopWithParent(started);
process.argv.splice(2, 0, 'serve');
await import('../dist/main.js');
