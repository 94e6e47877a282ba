/** The header of a file in the format of age: the key of the file, encrypted for each recipient, and a MAC of the header. */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { type Identity, publicBytes, type Recipient, recipientOf } from './age-keys.js';

export const AGE_MAGIC = 'age-encryption.org/';
const VERSION_LINE = `${AGE_MAGIC}v1\n`;
const FILE_KEY_BYTES = 16;
const TAG_BYTES = 16;
const NO_NONCE = Buffer.alloc(12);
export const CIPHER = 'chacha20-poly1305';

/** The file is not what its writer made, or was cut off. */
export class DamagedAgeFile extends Error {}

/** None of the identities can decrypt the file. */
export class NotForThisIdentity extends Error {}

export function derive(key: Buffer, salt: Buffer, about: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, about, 32));
}

export interface NewHeader {
  readonly fileKey: Buffer;
  readonly text: string;
}

export function newHeader(recipients: readonly Recipient[]): NewHeader {
  const fileKey = randomBytes(FILE_KEY_BYTES);
  const stanzas = recipients.map((recipient) => {
    const { publicKey, privateKey } = generateKeyPairSync('x25519');
    const share = publicBytes(publicKey);
    const key = wrappingKey(privateKey, recipient.key, Buffer.concat([share, recipient.bytes]));
    const cipher = createCipheriv(CIPHER, key, NO_NONCE, { authTagLength: TAG_BYTES });
    const body = Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()]);
    return `-> X25519 ${toBase64(share)}\n${toBase64(body)}\n`;
  });
  const signed = `${VERSION_LINE}${stanzas.join('')}---`;
  return { fileKey, text: `${signed} ${toBase64(macOf(fileKey, signed))}\n` };
}

/** Returns the key of the file. `text` is the header as it was read, to its last line break. */
export function openHeader(text: string, identities: readonly Identity[]): Buffer {
  const [, signed = '', mac = ''] = /^([\s\S]*\n---) ([A-Za-z0-9+/]{43})\n$/.exec(text) ?? [];
  if (!signed.startsWith(VERSION_LINE)) throw new DamagedAgeFile('the header is damaged');
  const fileKey = findFileKey(signed, identities);
  if (fileKey === undefined) throw new NotForThisIdentity('the file is for other identities');
  if (!timingSafeEqual(Buffer.from(mac, 'base64'), macOf(fileKey, signed))) {
    throw new DamagedAgeFile('the header is damaged');
  }
  return fileKey;
}

/** Stanzas of other kinds are for other recipients. */
function findFileKey(signed: string, identities: readonly Identity[]): Buffer | undefined {
  for (const [, share = '', body = ''] of signed.matchAll(/^-> X25519 ([A-Za-z0-9+/]{43})\n([A-Za-z0-9+/]{43})$/gm)) {
    for (const identity of identities) {
      const fileKey = unwrap(identity, Buffer.from(share, 'base64'), Buffer.from(body, 'base64'));
      if (fileKey !== undefined) return fileKey;
    }
  }
  return undefined;
}

function unwrap({ key, recipient }: Identity, share: Buffer, body: Buffer): Buffer | undefined {
  try {
    const wrapping = wrappingKey(key, recipientOf(share).key, Buffer.concat([share, recipient.bytes]));
    const decipher = createDecipheriv(CIPHER, wrapping, NO_NONCE, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(body.subarray(FILE_KEY_BYTES));
    return Buffer.concat([decipher.update(body.subarray(0, FILE_KEY_BYTES)), decipher.final()]);
  } catch {
    return undefined; // it is for somebody else
  }
}

function wrappingKey(privateKey: KeyObject, publicKey: KeyObject, salt: Buffer): Buffer {
  return derive(diffieHellman({ privateKey, publicKey }), salt, 'age-encryption.org/v1/X25519');
}

function macOf(fileKey: Buffer, signed: string): Buffer {
  return createHmac('sha256', derive(fileKey, Buffer.alloc(0), 'header'))
    .update(signed)
    .digest();
}

function toBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
