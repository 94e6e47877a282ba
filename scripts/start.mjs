/** `npm start`: sets up what is missing, then is `tillhouse serve` with the arguments given, in this very process. */
import { stopWithParent } from './parent.mjs';
import { ensureBuilt, ensureInstalled } from './prepare.mjs';

const parent = process.ppid;
ensureInstalled();
ensureBuilt();
if (process.env.npm_lifecycle_event === 'start') stopWithParent(parent);
process.argv.splice(2, 0, 'serve');
await import('../dist/main.js');
