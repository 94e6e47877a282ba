/** `npm start`: installs and builds if needed, then runs `tillhouse serve` with the given arguments in this process. */
import { parents, stopWithParent } from '../src/cli/parent.mjs';
import { ensureBuilt, ensureInstalled, requireNode } from './prepare.mjs';

const started = parents();
requireNode();
ensureInstalled();
ensureBuilt();
if (process.env.npm_lifecycle_event === 'start' && !process.argv.includes('--keep')) stopWithParent(started);
delete process.env.npm_lifecycle_event; // `serve` would look for the same parents, and only now
process.argv.splice(2, 0, 'serve');
await import('../dist/main.js');
