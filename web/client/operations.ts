/** The operations of the dashboard with their types. See web/build/operations.ts. */
import { declared } from 'virtual:operations/dashboard';
import type { DeclaredOn } from '../../src/operations.js';
import type { CallablesOf } from './callable.js';

export type { Callable, InputOf, ResponseOf } from './callable.js';

export const dashboard = declared as unknown as CallablesOf<DeclaredOn<'dashboard'>>;
