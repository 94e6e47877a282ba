/**
 * `npm run test:long`: all tests with more repetitions (decision 0204), and tests of an upgrade under load, from the version before the
 * last change of the schema to this one. Arguments go to the test runner: names of files, and options.
 */
import { runTests } from './run-tests.mjs';

process.env.TILLHOUSE_LONG = '1';
await runTests({ checks: true });
