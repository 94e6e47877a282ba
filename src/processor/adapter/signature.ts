/** Signs requests to an adapter: an HMAC-SHA256 over the time, the method, the path and the body (decision 0185). */
import { createHmac } from 'node:crypto';

export const SIGNATURE_HEADER = 'tillhouse-signature';

export interface SignedRequest {
  readonly method: 'GET' | 'POST';
  /** The path of the URL with its query, as it is sent. */
  readonly path: string;
  readonly body: string;
}

/** `t` is the time in seconds, so that an adapter can refuse what somebody has recorded and sends again later. */
export function sign(secret: string, { method, path, body }: SignedRequest, seconds: number): string {
  const signed = `${seconds}.${method}.${path}.${body}`;
  return `t=${seconds},v1=${createHmac('sha256', secret).update(signed).digest('hex')}`;
}
