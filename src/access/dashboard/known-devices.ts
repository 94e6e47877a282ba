/**
 * Browsers from which an owner has signed in before. Each has attempts of its own, so that a stranger who guesses passwords locks
 * other devices out, but never one of the owner's (decision 0121).
 */
import type { Cookies } from '../../api/cookies.js';
import { newSecret } from '../../base/ids.js';
import { hashSecret, type KeyedHash, secretMatches } from '../../base/secrets.js';
import { DAY_MS, SECOND_MS } from '../../base/time.js';
import type { StoredAccount } from './queries.js';

export const DEVICE_COOKIE = 'tillhouse_device';
/** As long as browsers keep any cookie. */
const COOKIE_SECONDS = (400 * DAY_MS) / SECOND_MS;

/** Names a device and proves that it is known: nothing of it is stored. A new password makes every one unknown. */
export function printDevice(keyedHash: KeyedHash, account: StoredAccount, id: string = newSecret('', 22)): string {
  return `${id}.${proofOf(keyedHash, account, id)}`;
}

/** The id of a device that is known for this account. */
export function readDevice(keyedHash: KeyedHash, account: StoredAccount, cookie: string | undefined) {
  const [id = '', proof = ''] = cookie?.split('.') ?? [];
  return id !== '' && secretMatches(proof, hashSecret(proofOf(keyedHash, account, id))) ? id : undefined;
}

export function printDeviceCookie(cookies: Cookies, value: string, path: string): string {
  return cookies.print({ name: DEVICE_COOKIE, value, path, sameSite: 'Strict', maxAgeSeconds: COOKIE_SECONDS });
}

function proofOf(keyedHash: KeyedHash, { accountId, passwordHash }: StoredAccount, id: string): string {
  return keyedHash(`known device ${id} ${accountId} ${passwordHash}`).toString('base64url');
}
