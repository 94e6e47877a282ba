/** Tokens that this page makes for itself, so that a request can be sent with one click. They stay in memory and expire soon. */
import { call } from '../../client/call.js';
import { sandbox } from '../../client/sandbox-operations.js';

const LIFETIME_MS = 60 * 60_000;
/** A token with less than this left is replaced by a new one. */
const LEFT_MS = 5 * 60_000;

interface Made {
  readonly token: Promise<string>;
  readonly expiresAt: number;
}

const made = new Map<string, Made>();

/** A token with all permissions of a merchant. */
export function ownToken(merchantId: string): Promise<string> {
  const known = made.get(merchantId);
  if (known && known.expiresAt - LEFT_MS > Date.now()) return known.token;
  const expiresAt = Date.now() + LIFETIME_MS;
  const token = create(merchantId, expiresAt);
  made.set(merchantId, { token, expiresAt });
  token.catch(() => made.delete(merchantId));
  return token;
}

async function create(merchantId: string, expiresAt: number): Promise<string> {
  const input = { merchant_id: merchantId, expires_at: new Date(expiresAt).toISOString() };
  return (await call(sandbox.createToken, input)).access_token;
}
