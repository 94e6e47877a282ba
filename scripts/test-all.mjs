/** `npm run test:all`: runs the tests that `npm test` leaves out. Arguments go to the test runner: file names, and options. */
import { runTests } from './run-tests.mjs';

await runTests({ tier: 'second', checks: false });
