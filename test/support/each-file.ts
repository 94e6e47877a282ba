/** What holds for every test file. A module is loaded once for many of them, so that a hook in it would be that of one only. */
import { afterAll } from 'vitest';
import { expectNothingLeft } from './process.js';

afterAll(expectNothingLeft);
