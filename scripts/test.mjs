/** `npm test`: checks style and types, and runs the tests of the first tier. Arguments go to the test runner: file names, and options. */
import { runTests } from './run-tests.mjs';

await runTests({ tier: 'first', checks: true });
