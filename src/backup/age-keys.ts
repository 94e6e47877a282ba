/** Keys of age (https://age-encryption.org/v1): a recipient is a public key, an identity the private one. Both are written in Bech32. */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

/** The text is not a key. The message says why. */
export class NotAnAgeKey extends Error {}

export interface Recipient {
  /** 32 bytes. */
  readonly bytes: Buffer;
  readonly key: KeyObject;
}

export interface Identity {
  readonly key: KeyObject;
  readonly recipient: Recipient;
}

const KEY_BYTES = 32;
/** What the encodings of a public and of a private key begin with. */
const PUBLIC_DER = Buffer.from('302a300506032b656e032100', 'hex');
const PRIVATE_DER = Buffer.from('302e020100300506032b656e04220420', 'hex');

export function parseRecipient(text: string): Recipient {
  return recipientOf(keyBytes(text, 'age'));
}

export function recipientOf(bytes: Buffer): Recipient {
  return { bytes, key: createPublicKey({ key: Buffer.concat([PUBLIC_DER, bytes]), format: 'der', type: 'spki' }) };
}

/** The text of a file as `age-keygen` writes it: an identity on each line, and comments. */
export function parseIdentities(text: string): readonly Identity[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '' && !line.startsWith('#'));
  if (lines.length === 0) throw new NotAnAgeKey('it has no identity');
  return lines.map((line) => {
    const bytes = keyBytes(line.trim(), 'age-secret-key-');
    const key = createPrivateKey({ key: Buffer.concat([PRIVATE_DER, bytes]), format: 'der', type: 'pkcs8' });
    return { key, recipient: recipientOf(publicBytes(key)) };
  });
}

export function publicBytes(key: KeyObject): Buffer {
  // The types do not know that a key object of a private key is accepted.
  const publicKey = key.type === 'public' ? key : createPublicKey(key as never);
  return publicKey.export({ format: 'der', type: 'spki' }).subarray(PUBLIC_DER.length);
}

function keyBytes(text: string, prefix: string): Buffer {
  const [name, bytes] = decodeBech32(text);
  if (name !== prefix || bytes.length !== KEY_BYTES) {
    throw new NotAnAgeKey(`a key begins with ${prefix === 'age' ? 'age1' : 'AGE-SECRET-KEY-1'} and has 32 bytes`);
  }
  return bytes;
}

const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const CHECKSUM_LENGTH = 6;
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

/** Returns what is before the separator, in lower case, and the bytes after it. */
function decodeBech32(text: string): readonly [string, Buffer] {
  const lower = text.toLowerCase();
  const separator = lower.lastIndexOf('1');
  const name = lower.slice(0, separator);
  const digits = [...lower.slice(separator + 1)].map((letter) => ALPHABET.indexOf(letter));
  const isOneCase = text === lower || text === text.toUpperCase();
  if (separator < 1 || !isOneCase || digits.includes(-1) || checksumOf(name, digits) !== 1) {
    throw new NotAnAgeKey('a letter of it is missing or wrong');
  }
  return [name, toBytes(digits.slice(0, -CHECKSUM_LENGTH))];
}

function checksumOf(name: string, digits: readonly number[]): number {
  const letters = [...name].map((letter) => letter.charCodeAt(0));
  let sum = 1;
  for (const value of [...letters.map((code) => code >> 5), 0, ...letters.map((code) => code & 31), ...digits]) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ value;
    for (const [bit, term] of GENERATOR.entries()) if ((top >>> bit) & 1) sum ^= term;
  }
  return sum;
}

/** Five bits a digit. What is left over at the end is zero, and less than a digit. */
function toBytes(digits: readonly number[]): Buffer {
  const bytes: number[] = [];
  let [bits, value] = [0, 0];
  for (const digit of digits) {
    value = ((value << 5) | digit) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((value >>> bits) & 0xff);
    }
  }
  if (bits >= 5 || (value & ((1 << bits) - 1)) !== 0) throw new NotAnAgeKey('a letter of it is missing or wrong');
  return Buffer.from(bytes);
}
