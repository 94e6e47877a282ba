/** Secrets are stored as hashes (decision 0001). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashSecret, hashWithKey, secretMatches } from './secrets.js';

describe('hashSecret', () => {
  it('is SHA-256, so that hashes made elsewhere match', () => {
    expect(hashSecret('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  it('reads text as UTF-8', () => {
    expect(hashSecret('ü').toString('hex')).toBe(hashSecret(Buffer.from([0xc3, 0xbc]).toString()).toString('hex'));
  });
});

describe('hashWithKey', () => {
  it('is HMAC-SHA-256 (RFC 4231, case 2)', () => {
    expect(hashWithKey('Jefe', 'what do ya want for nothing?').toString('hex')).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
  });

  it('depends on the key', () => {
    expect(hashWithKey('one', 'text').equals(hashWithKey('other', 'text'))).toBe(false);
    expect(hashWithKey('one', 'text').equals(hashWithKey('one', 'text'))).toBe(true);
  });
});

describe('secretMatches', () => {
  it('accepts the secret and nothing else', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (secret, guess) => {
        expect(secretMatches(secret, hashSecret(secret))).toBe(true);
        expect(secretMatches(guess, hashSecret(secret))).toBe(guess === secret);
      }),
    );
  });

  it.each([
    ['a prefix', 'correct hors'],
    ['a longer text', 'correct horse '],
    ['another case', 'Correct horse'],
    ['an empty text', ''],
  ])('refuses %s', (_what, guess) => {
    expect(secretMatches(guess, hashSecret('correct horse'))).toBe(false);
  });
});
