/**
 * `npm run test:long`: plays a hundred random days at a register, with the queue alone and in the browser, and replaces the version before
 * the last change of the schema by this one, under load. Takes about a quarter of an hour.
 */
process.env.TILLHOUSE_LONG = '1';
process.argv.splice(2, 0, 'test/long', 'test/register/queue-days.test.ts', 'test/browser/register-days.test.ts');
await import('./test.mjs');
