/** Calls an operation of the server. The types of input and response come from its declaration. */
import { untilConnected } from './connection.js';
import type { Callable, InputOf, ResponseOf } from './operations.js';
import { Problem, readProblem, unreachable } from './problem.js';
import { ask, type PromptKind } from './prompts.js';

type Given = Readonly<Record<string, unknown>>;

/** The input may be left out if all of it is optional. */
type Arguments<Operation> =
  Record<never, never> extends InputOf<Operation> ? [input?: InputOf<Operation>] : [input: InputOf<Operation>];

/**
 * Waits for the server if it does not respond, but only to read: a write without a response may have happened. Asks the person to sign in
 * again if the session has ended, and then goes on, so nothing that was typed is lost.
 */
export async function call<Operation extends Callable>(
  operation: Operation,
  ...[input]: Arguments<Operation>
): Promise<ResponseOf<Operation>> {
  for (;;) {
    try {
      return (await send(operation, (input ?? {}) as Given)) as ResponseOf<Operation>;
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
  ...[input]: Arguments<Operation>
): Promise<ResponseOf<Operation>> {
  return (await send(operation, (input ?? {}) as Given)) as ResponseOf<Operation>;
}

function questionFor({ status, code }: Problem, { name }: Callable): PromptKind | undefined {
  if (status === 401 && name !== 'signIn') return 'sign-in';
  return code === 'RECENT_SIGN_IN_REQUIRED' ? 'password' : undefined;
}

/** Browsers send the session cookie and the Origin header, which protects writes, by themselves. */
async function send({ method, path, name }: Callable, input: Given): Promise<unknown> {
  const rest: Record<string, unknown> = { ...input };
  const place = path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => {
    const value = rest[parameter];
    delete rest[parameter];
    if (typeof value !== 'string' || value === '') throw new TypeError(`${name} needs ${parameter}`);
    return encodeURIComponent(value);
  });
  const isRead = method === 'GET' || method === 'DELETE';
  const response = await fetch(isRead ? place + printQuery(rest) : place, {
    method,
    headers: { accept: 'application/json', ...(!isRead && { 'content-type': 'application/json' }) },
    ...(!isRead && { body: JSON.stringify(rest) }),
  }).catch(() => {
    throw unreachable();
  });
  if (!response.ok) throw await readProblem(response);
  return response.json();
}

function printQuery(query: Given): string {
  const set = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}
