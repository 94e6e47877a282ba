/** Encrypts to public keys, and decrypts, in the format of age: chunks of 64 KiB, so that memory stays flat (decision 0247). */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { AGE_MAGIC, CIPHER, DamagedAgeFile, derive, newHeader, openHeader } from './age-header.js';
import type { Identity, Recipient } from './age-keys.js';

const CHUNK_BYTES = 64 * 1024;
const TAG_BYTES = 16;
const SALT_BYTES = 16;
/** More than a header for hundreds of recipients. */
const MAX_HEADER_BYTES = 64 * 1024;
const END_OF_HEADER = /\n--- [A-Za-z0-9+/]{43}\n/;

export async function* encrypt(
  source: AsyncIterable<Buffer>,
  recipients: readonly Recipient[],
): AsyncGenerator<Buffer> {
  const { fileKey, text } = newHeader(recipients);
  const salt = randomBytes(SALT_BYTES);
  yield Buffer.concat([Buffer.from(text), salt]);
  const key = derive(fileKey, salt, 'payload');
  for await (const { bytes, nonce } of chunksOf(source, CHUNK_BYTES)) {
    const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  }
}

/** Whether a file that begins with these bytes is encrypted. */
export function isAgeFile(head: Buffer): boolean {
  return head.subarray(0, AGE_MAGIC.length).toString('latin1') === AGE_MAGIC;
}

/** Throws a `DamagedAgeFile`, also at the end of a file that was cut off, or a `NotForThisIdentity`. */
export async function* decrypt(source: AsyncIterable<Buffer>, identities: readonly Identity[]): AsyncGenerator<Buffer> {
  const { header, salt, rest } = await splitHeader(source);
  const key = derive(openHeader(header, identities), salt, 'payload');
  let isFirst = true;
  for await (const { bytes, nonce } of chunksOf(rest, CHUNK_BYTES + TAG_BYTES)) {
    const text = openChunk(key, bytes, nonce);
    if (text.length === 0 && !isFirst) throw new DamagedAgeFile('the last chunk is empty');
    isFirst = false;
    yield text;
  }
}

function openChunk(key: Buffer, bytes: Buffer, nonce: Buffer): Buffer {
  if (bytes.length < TAG_BYTES) throw new DamagedAgeFile('the file was cut off');
  try {
    const end = bytes.length - TAG_BYTES;
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(bytes.subarray(end));
    return Buffer.concat([decipher.update(bytes.subarray(0, end)), decipher.final()]);
  } catch (error) {
    throw new DamagedAgeFile('a chunk was changed, or the file was cut off', { cause: error });
  }
}

interface Chunk {
  readonly bytes: Buffer;
  /** Its number, and whether it is the last one. */
  readonly nonce: Buffer;
}

/** Cuts into chunks of this size. The last one is smaller or as large; it is empty only if it is the only one. */
async function* chunksOf(source: AsyncIterable<Buffer>, size: number): AsyncGenerator<Chunk> {
  let held: Buffer = Buffer.alloc(0);
  let count = 0;
  for await (const bytes of source) {
    held = Buffer.concat([held, bytes]);
    while (held.length > size) {
      yield { bytes: held.subarray(0, size), nonce: nonceOf(count++, false) };
      held = held.subarray(size);
    }
  }
  yield { bytes: held, nonce: nonceOf(count, true) };
}

function nonceOf(count: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(count, 5, 6);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

interface SplitFile {
  readonly header: string;
  readonly salt: Buffer;
  readonly rest: AsyncIterable<Buffer>;
}

async function splitHeader(source: AsyncIterable<Buffer>): Promise<SplitFile> {
  const iterator = source[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  for (;;) {
    const found = END_OF_HEADER.exec(held.toString('latin1'));
    const end = found ? found.index + found[0].length : Number.POSITIVE_INFINITY;
    if (held.length >= end + SALT_BYTES) {
      const header = held.subarray(0, end).toString('latin1');
      const salt = held.subarray(end, end + SALT_BYTES);
      return { header, salt, rest: resumed(held.subarray(end + SALT_BYTES), iterator) };
    }
    const { done, value } = await iterator.next();
    if (done || held.length > MAX_HEADER_BYTES) throw new DamagedAgeFile('the header is damaged');
    held = Buffer.concat([held, value]);
  }
}

/** Bytes that were read already, and all that follow. */
async function* resumed(head: Buffer, iterator: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
}
