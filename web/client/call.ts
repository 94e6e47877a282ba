/** Calls an operation of the server. The types of input and response come from its declaration. */
import type { ArgumentsOf, Callable, ResponseOf } from './callable.js';
import { untilConnected } from './connection.js';
import { Problem } from './problem.js';
import { ask, type PromptKind } from './prompts.js';
import { type Given, sendRequest } from './send.js';

/**
 * Waits for a server that does not respond, but only to read: a write without a response may have happened. Asks the person to sign in
 * again if the session has ended, and then continues, so that nothing that was typed is lost.
 */
export async function call<Operation extends Callable>(
  operation: Operation,
  ...[input]: ArgumentsOf<Operation>
): Promise<ResponseOf<Operation>> {
  for (;;) {
    try {
      return (await sendRequest(operation, (input ?? {}) as Given)) as ResponseOf<Operation>;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.isOutage) {
        const isBack = untilConnected();
        if (operation.method !== 'GET') throw error;
        await isBack;
      } else {
        const question = questionFor(error, operation);
        if (question === undefined || !(await ask(question))) throw error;
      }
    }
  }
}

/** Calls an operation without asking the person anything: for signing in, and to learn whether somebody is signed in. */
export async function callOnce<Operation extends Callable>(
  operation: Operation,
  ...[input]: ArgumentsOf<Operation>
): Promise<ResponseOf<Operation>> {
  return (await sendRequest(operation, (input ?? {}) as Given)) as ResponseOf<Operation>;
}

function questionFor({ status, code }: Problem, { name }: Callable): PromptKind | undefined {
  if (status === 401 && name !== 'signIn') return 'sign-in';
  return code === 'RECENT_SIGN_IN_REQUIRED' ? 'password' : undefined;
}
