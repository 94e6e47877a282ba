/** `npm start`: sets up what is missing, then is `tillhouse serve` with the arguments given, in this very process. */
import { ensureBuilt, ensureInstalled } from './prepare.mjs';

ensureInstalled();
ensureBuilt();
process.argv.splice(2, 0, 'serve');
await import('../dist/main.js');
