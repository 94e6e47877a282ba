/**
 * `npm run test:long`: all tests with more repetitions (decision 0204), an upgrade under load, and the long runs of random rounds
 * (decision 0246). `--rounds N` plays N rounds of each of these runs, and no other tests unless they are named; `--seed N` chooses the
 * rounds. All other arguments go to the test runner: names of files, and options.
 */
import { runTests } from './run-tests.mjs';
import { isFileName, takeNumber } from './test-arguments.mjs';

const args = process.argv.slice(2);
const rounds = takeNumber(args, '--rounds');
const seed = takeNumber(args, '--seed');

process.env.TILLHOUSE_LONG = '1';
if (rounds !== undefined && !args.some(isFileName)) args.push('test/rounds/');
if (rounds !== undefined) process.env.TILLHOUSE_ROUNDS = rounds;
if (seed !== undefined) process.env.TILLHOUSE_SEED = seed;
await runTests({ checks: true, args });
