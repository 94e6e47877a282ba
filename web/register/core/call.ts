/** Calls an operation of the register, in the name of the device and of the person who is signed in. */
import type { ArgumentsOf, Callable, ResponseOf } from '../../client/callable.js';
import { Problem, unreachable } from '../../client/problem.js';
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
    if (!(error instanceof Problem)) throw error;
    // Otherwise the portal of a guest network could refuse a sale, or say that the device is no longer known.
    const problem = error.isFromElsewhere ? unreachable() : error;
    if (problem.isOutage) noteOutage();
    throw problem;
  }
}

/** Whether the server responds to a register. That `/readyz` gets through says nothing about other requests. */
export async function responds(): Promise<boolean> {
  return callAs(register.showDevice, {}).then(
    () => true,
    (error: unknown) => !(error instanceof Problem && error.isOutage),
  );
}
