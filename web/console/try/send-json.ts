/** Sends a request that makes what an example needs. */
import { sendAsProgram } from '../../client/send-as-program.js';

interface JsonRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body: object | undefined;
  /** The headers with which the caller identifies itself. */
  readonly credentials: Readonly<Record<string, string>>;
}

/** Returns the body of the response. Throws if the request is refused. */
// biome-ignore lint/suspicious/noExplicitAny: responses of several operations, of which a member or two is read
export async function sendJson({ method, path, body, credentials }: JsonRequest): Promise<any> {
  const { status, text } = await sendAsProgram({
    method,
    path,
    headers: { ...credentials, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });
  if (status !== 200) throw new Error(`${method} ${path} was refused with ${status}: ${text}`);
  return JSON.parse(text);
}
