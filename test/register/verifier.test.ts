/** Who may sign in at a register without a network. */
import { indexedDB } from 'fake-indexeddb';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DAY_MS, instant } from '../../src/base/time.js';
import { LocalDatabase } from '../../web/register/core/storage/local-database.js';
import { Verifiers } from '../../web/register/core/verifier.js';

let time = 0;
let verifiers: Verifiers;

beforeEach(() => {
  globalThis.indexedDB = indexedDB;
  time = Date.parse('2026-03-01T08:00:00Z');
  verifiers = new Verifiers(new LocalDatabase(crypto.randomUUID()), () => instant(time));
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

it('an employee signs in offline with the passcode of an earlier sign-in with the network', async () => {
  expect(await verifiers.check('ann', '1234')).toBe('NONE');
  await verifiers.remember('ann', '1234');
  expect(await verifiers.check('ann', '1234')).toBe('RIGHT');
  expect(await verifiers.check('ann', '1235')).toBe('WRONG');
  expect(await verifiers.check('bob', '1234')).toBe('NONE');
  expect(await verifiers.list()).toEqual(new Set(['ann']));
});

it('nobody signs in offline seven days after that', async () => {
  deriveQuickly();
  await verifiers.remember('ann', '1234');
  time += 7 * DAY_MS - 1;
  expect(await verifiers.check('ann', '1234')).toBe('RIGHT');
  time += 1;
  expect(await verifiers.list()).toEqual(new Set());
  expect(await verifiers.check('ann', '1234')).toBe('NONE');
});

it('nobody signs in offline after five failures, even if they are simultaneous in several tabs', async () => {
  deriveQuickly();
  await verifiers.remember('ann', '1234');
  const results = await Promise.all(['0', '1', '2', '3', '4', '5', '6'].map((code) => verifiers.check('ann', code)));
  expect(results.filter((result) => result === 'WRONG' || result === 'WIPED').length).toBe(5);
  expect(await verifiers.check('ann', '1234')).toBe('NONE');
});
