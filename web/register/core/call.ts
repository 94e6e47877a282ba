/** Calls an operation of the register, in the name of the device and of the person who is signed in. */
import type { ArgumentsOf, Callable, ResponseOf } from '../../client/callable.js';
import { Problem } from '../../client/problem.js';
import { register } from '../../client/register-operations.js';
import { type Given, sendRequest } from '../../client/send.js';
import { compareClock } from './clock.js';
import { noteOutage } from './connection.js';
import { credentials } from './credentials.js';

export { register };

/** A request without a response for so long counts as an outage. */
const TIME_LIMIT_MS = 10_000;

interface CallOptions {
  /** The session of somebody else than the attendant; null for none. */
  readonly session?: string | null;
  readonly timeLimitMs?: number;
}

export async function call<Operation extends Callable>(
  operation: Operation,
  ...[input]: ArgumentsOf<Operation>
): Promise<ResponseOf<Operation>> {
  return callAs(operation, (input ?? {}) as Given) as Promise<ResponseOf<Operation>>;
}

export async function callAs(
  operation: Callable,
  input: Given,
  { session = credentials.session ?? null, timeLimitMs = TIME_LIMIT_MS }: CallOptions = {},
): Promise<unknown> {
  const startedAt = Date.now();
  const headers = {
    ...(credentials.token !== undefined && { authorization: `Bearer ${credentials.token}` }),
    ...(session !== null && { 'tillhouse-employee-session': session }),
  };
  try {
    const response = await sendRequest(operation, input, { headers, signal: AbortSignal.timeout(timeLimitMs) });
    const { now } = (response ?? {}) as { now?: unknown };
    if (typeof now === 'string') compareClock(now, startedAt);
    return response;
  } catch (error) {
    if (error instanceof Problem && error.isOutage) noteOutage();
    throw error;
  }
}
