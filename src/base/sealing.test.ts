import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SealingKeys, UnopenedSecret } from './sealing.js';

const newKey = () => randomBytes(32).toString('base64');
const ABOUT = ['merchant', 'record'];

describe('SealingKeys', () => {
  it('encrypts with the first key, differently each time, and decrypts with any', () => {
    const [one, two] = [newKey(), newKey()];
    const keys = new SealingKeys([one, two]);
    const [sealed, again] = [keys.seal('the secret', ABOUT), keys.seal('the secret', ABOUT)];
    expect(sealed.secret.equals(again.secret)).toBe(false);
    expect(sealed.secret.includes('the secret')).toBe(false);
    expect(sealed.keyId).toBe(keys.ids[0]);
    expect(new SealingKeys([two, one]).open(sealed, ABOUT)).toBe('the secret');
    expect(new SealingKeys([one]).open(keys.seal('ünïcode', ABOUT), ABOUT)).toBe('ünïcode');
  });

  it('names the missing key, and quotes neither keys nor secrets', () => {
    const [key, other] = [newKey(), newKey()];
    const sealed = new SealingKeys([key]).seal('the secret', ABOUT);
    const missing = () => new SealingKeys([other]).open(sealed, ABOUT);
    expect(missing).toThrow(UnopenedSecret);
    expect(missing).toThrow(`does not have the key ${sealed.keyId}`);
    expect(missing).not.toThrow(key);
    expect(() => new SealingKeys([]).open(sealed, ABOUT)).toThrow('TILLHOUSE_SECRETS_KEY is not set');
    expect(() => new SealingKeys([]).seal('x', ABOUT)).toThrow('TILLHOUSE_SECRETS_KEY is not set');
  });

  it('refuses a secret of another record, and one of which a bit was changed', () => {
    const keys = new SealingKeys([newKey()]);
    const sealed = keys.seal('the secret', ABOUT);
    expect(() => keys.open(sealed, ['merchant', 'other'])).toThrow(UnopenedSecret);
    for (const [index] of sealed.secret.entries()) {
      const secret = Buffer.from(sealed.secret);
      secret[index] = (secret[index] ?? 0) ^ 1;
      expect(() => keys.open({ ...sealed, secret }, ABOUT)).toThrow(UnopenedSecret);
    }
    expect(() => keys.open({ ...sealed, secret: sealed.secret.subarray(0, 5) }, ABOUT)).toThrow(UnopenedSecret);
  });
});
