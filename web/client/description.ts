/** The OpenAPI description of this server, as text. It is the same until the server is restarted. */
import { readProblem, unreachable } from './problem.js';

export async function readDescription(): Promise<string> {
  const response = await fetch('/openapi.json').catch(() => {
    throw unreachable();
  });
  if (!response.ok) throw await readProblem(response);
  return response.text();
}
