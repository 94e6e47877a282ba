/** Calls an operation of the checkout with the publishable key of the page. */
import type { ArgumentsOf, Callable, ResponseOf } from '../client/callable.js';
import { untilConnected } from '../client/connection.js';
import { Problem } from '../client/problem.js';
import { type Given, sendRequest } from '../client/send.js';
import { PUBLISHABLE_KEY } from './facts.js';

const OPTIONS = { headers: { authorization: `Bearer ${PUBLISHABLE_KEY}` } };

/** A read waits for a server that does not respond. A write may have happened, so the caller decides what to do. */
export async function ask<Operation extends Callable>(
  operation: Operation,
  ...[input]: ArgumentsOf<Operation>
): Promise<ResponseOf<Operation>> {
  for (;;) {
    try {
      return (await sendRequest(operation, (input ?? {}) as Given, OPTIONS)) as ResponseOf<Operation>;
    } catch (error) {
      if (!(error instanceof Problem) || !error.isOutage) throw error;
      const isBack = untilConnected();
      if (operation.method !== 'GET') throw error;
      await isBack;
    }
  }
}
