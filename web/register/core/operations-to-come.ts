/** Operations that the server is about to declare. The types of `register` replace them. */

import type { Signature } from '../../../src/api/operation.js';
import type { Callable } from '../../client/callable.js';
import type { WireMember } from './wire.js';

export interface QueueResult {
  readonly id: string;
  readonly status: 'ACCEPTED' | 'REFUSED';
  readonly response?: unknown;
  readonly error?: { readonly code: string; readonly detail: string; readonly field?: string };
}

type Of<Input, Response> = Callable<Signature & { params: Record<never, never>; input: Input; response: Response }>;

export const listTeam: Of<Record<never, never>, { employees: readonly WireMember[] }> = {
  name: 'listTeam',
  method: 'GET',
  path: '/api/register/team',
};
export const sendQueue: Of<
  { sent_at: string; writes: readonly unknown[] },
  { now: string; results: readonly QueueResult[] }
> = { name: 'sendQueue', method: 'POST', path: '/api/register/queue' };
