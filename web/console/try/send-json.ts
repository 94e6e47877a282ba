/** Sends a request that makes what an example needs. */
import { sendAsProgram } from '../../client/send-as-program.js';
import type { Counter } from './register-state.js';

/** Returns what the response has. Throws if the request is refused. */
export async function sendJson(
  [method, path, body]: Parameters<Counter['send']>,
  credentials: Readonly<Record<string, string>>,
): ReturnType<Counter['send']> {
  const { status, text } = await sendAsProgram({
    method,
    path,
    headers: { ...credentials, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });
  if (status !== 200) throw new Error(`${method} ${path} was refused with ${status}: ${text}`);
  return JSON.parse(text);
}
