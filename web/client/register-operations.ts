/** The operations of the register with their types. See web/build/operations.ts. */
import { declared } from 'virtual:operations/register';
import type { DeclaredOn } from '../../src/operations.js';
import type { CallablesOf } from './callable.js';

export const register = declared as unknown as CallablesOf<DeclaredOn<'register'>>;
