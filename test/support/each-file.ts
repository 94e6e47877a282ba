/** Hooks for every test file. They are here because a shared module is loaded once, so a hook in it would apply to one file only. */
import { afterAll } from 'vitest';
import { expectNothingLeft } from './process.js';

afterAll(expectNothingLeft);
