/** The program that keeps a PostgreSQL for several others: `node keeper.js FOLDER`. It says on standard error why it failed. */
import { keep } from './database/shared/keeper.js';

const ending = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => ending.abort());
process.stderr.on('error', () => {}); // whoever started it may have ended

try {
  await keep(process.argv[2] ?? '', ending.signal);
  process.exit(0);
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
