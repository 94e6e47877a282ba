/** The operations of the checkout with their types. See web/build/operations.ts. */
import { declared } from 'virtual:operations/checkout';
import type { DeclaredOn } from '../../src/operations.js';
import type { CallablesOf } from './callable.js';

export const checkout = declared as unknown as CallablesOf<DeclaredOn<'checkout'>>;
