/** Signs in as the owner of the demo business: a sandbox offers it to browsers on its own machine. */
import { readProblem, unreachable } from './problem.js';

export async function signInToDemo(): Promise<void> {
  const response = await fetch('/dashboard/demo-sign-in', { method: 'POST' }).catch(() => {
    throw unreachable();
  });
  if (!response.ok) throw await readProblem(response);
}
