/** The operations of the sandbox with their types. See web/build/operations.ts. */
import { declared } from 'virtual:operations/sandbox';
import type { DeclaredOn } from '../../src/operations.js';
import type { CallablesOf } from './callable.js';

export const sandbox = declared as unknown as CallablesOf<DeclaredOn<'sandbox'>>;
