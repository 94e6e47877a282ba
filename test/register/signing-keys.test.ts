/** Who may sign in at a register without a network, and the keys that the passcodes unlock. */
import { indexedDB } from 'fake-indexeddb';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { isSignedBy } from '../../src/access/devices/signing-keys.js';
import { DAY_MS, instant } from '../../src/base/time.js';
import { newPair, SigningKeys, signText } from '../../web/register/core/signing-keys.js';
import { LocalDatabase } from '../../web/register/core/storage/local-database.js';

let time = 0;
let keys: SigningKeys;

beforeEach(() => {
  globalThis.indexedDB = indexedDB;
  time = Date.parse('2026-03-01T08:00:00Z');
  keys = new SigningKeys(new LocalDatabase(crypto.randomUUID()), () => instant(time));
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** All rounds of one hash take almost half a second of CPU time. One test runs them all; the others are about counting. */
function deriveQuickly(): void {
  const derive = SubtleCrypto.prototype.deriveBits;
  vi.spyOn(SubtleCrypto.prototype, 'deriveBits').mockImplementation(function (this: SubtleCrypto, algorithm, ...rest) {
    return derive.call(this, { ...(algorithm as Pbkdf2Params), iterations: 1 }, ...rest);
  });
}

async function remember(employeeId: string, passcode: string): Promise<string> {
  const pair = await newPair();
  await keys.keep(employeeId, passcode, pair);
  return pair.publicKey;
}

const check = async (employeeId: string, passcode: string) => (await keys.unlock(employeeId, passcode)).result;

it('an employee signs in offline with the passcode of an earlier sign-in with the network', async () => {
  expect(await check('ann', '1234')).toBe('NONE');
  await remember('ann', '1234');
  expect(await check('ann', '1234')).toBe('RIGHT');
  expect(await check('ann', '1235')).toBe('WRONG');
  expect(await check('bob', '1234')).toBe('NONE');
  expect(await keys.list()).toEqual(new Set(['ann']));
});

it('nobody signs in offline seven days after that', async () => {
  deriveQuickly();
  await remember('ann', '1234');
  time += 7 * DAY_MS - 1;
  expect(await check('ann', '1234')).toBe('RIGHT');
  time += 1;
  expect(await keys.list()).toEqual(new Set());
  expect(await check('ann', '1234')).toBe('NONE');
});

it('nobody signs in offline after five failures, even if they are simultaneous in several tabs', async () => {
  deriveQuickly();
  await remember('ann', '1234');
  const results = await Promise.all(['0', '1', '2', '3', '4', '5', '6'].map((code) => check('ann', code)));
  expect(results.filter((result) => result === 'WRONG' || result === 'WIPED').length).toBe(5);
  expect(await check('ann', '1234')).toBe('NONE');
});

it('what the unlocked key signs, the server accepts; another sign-in has another key', async () => {
  deriveQuickly();
  const publicKey = await remember('ann', '1234');
  const unlocking = await keys.unlock('ann', '1234');
  if (unlocking.result !== 'RIGHT') throw new Error(unlocking.result);
  const { key } = unlocking;
  const signature = await signText(key, 'refund $5');
  expect(isSignedBy(publicKey, 'refund $5', signature)).toBe(true);
  expect(isSignedBy(publicKey, 'refund $6', signature)).toBe(false);
  await expect(crypto.subtle.exportKey('pkcs8', key.privateKey)).rejects.toThrow();
  const other = await remember('bob', '1234');
  expect(other).not.toBe(publicKey);
  expect(isSignedBy(other, 'refund $5', signature)).toBe(false);
});

it('a reload opens the key with the secret of the tab, until somebody signs in again or it has ended', async () => {
  deriveQuickly();
  await remember('ann', '1234');
  const unlocking = await keys.unlock('ann', '1234');
  const secret = unlocking.result === 'RIGHT' ? unlocking.key.secret : '';
  expect((await keys.reopen('ann', secret))?.publicKey).toBeDefined();
  expect(await keys.reopen('ann', '')).toBeUndefined();
  expect(await keys.reopen('bob', secret)).toBeUndefined();
  time += 7 * DAY_MS;
  expect(await keys.reopen('ann', secret)).toBeUndefined();
  await remember('ann', '1234');
  expect(await keys.reopen('ann', secret)).toBeUndefined();
});
