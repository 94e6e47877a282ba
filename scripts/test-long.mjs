/** `npm run test:long`: plays a hundred random days at a register, with the queue alone and in the browser. Takes about a quarter of an hour. */
process.env.TILLHOUSE_LONG = '1';
process.argv.splice(2, 0, 'test/register/queue-days.test.ts', 'test/browser/register-days.test.ts');
await import('./test.mjs');
