/**
 * `npm run test:long`: all tests with more repetitions (decision 0204), and those that replace the version before the last change of the schema
 * by this one, under load. Arguments go to the test runner: names of files, and options.
 */
process.env.TILLHOUSE_LONG = '1';
await import('./test.mjs');
