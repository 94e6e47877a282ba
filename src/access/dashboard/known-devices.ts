/**
 * Browsers from which an owner has signed in before. Each one has its own limit of failed attempts, so that somebody who guesses
 * passwords elsewhere cannot lock the owner out (decision 0121).
 */
import type { Cookies } from '../../api/cookies.js';
import { newSecret } from '../../base/ids.js';
import { hashSecret, type KeyedHash, secretMatches } from '../../base/secrets.js';
import { DAY_MS, SECOND_MS } from '../../base/time.js';
import type { StoredAccount } from './queries.js';

export const DEVICE_COOKIE = 'tillhouse_device';
/** The longest time that browsers keep a cookie. */
const COOKIE_SECONDS = (400 * DAY_MS) / SECOND_MS;

/** An id and a keyed hash that proves it, so that nothing has to be stored. A new password makes all devices unknown. */
export function printKnownDevice(keyedHash: KeyedHash, account: StoredAccount, id: string = newSecret('', 22)): string {
  return `${id}.${proofOf(keyedHash, account, id)}`;
}

/** Returns the id of the device if it is known for this account. */
export function verifyKnownDevice(keyedHash: KeyedHash, account: StoredAccount, cookie: string | undefined) {
  const [id = '', proof = ''] = cookie?.split('.') ?? [];
  return id !== '' && secretMatches(proof, hashSecret(proofOf(keyedHash, account, id))) ? id : undefined;
}

export function printDeviceCookie(cookies: Cookies, value: string, path: string): string {
  return cookies.print({ name: DEVICE_COOKIE, value, path, sameSite: 'Strict', maxAgeSeconds: COOKIE_SECONDS });
}

function proofOf(keyedHash: KeyedHash, { accountId, passwordHash }: StoredAccount, id: string): string {
  return keyedHash(`known device ${id} ${accountId} ${passwordHash}`).toString('base64url');
}
