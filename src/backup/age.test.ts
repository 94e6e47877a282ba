import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decrypt, encrypt, isAgeFile } from './age.js';
import { DamagedAgeFile, NotForThisIdentity } from './age-header.js';
import { NotAnAgeKey, parseIdentities, parseRecipient } from './age-keys.js';

/** Both were made by age-keygen. */
const RECIPIENT = 'age1vsrtdjc7gxsq029thrlsvetfqlpf58xxr6zq3kzvtj4h5kk0u5as2p5uvh';
const IDENTITY = 'AGE-SECRET-KEY-1Y7LQ6UYE9U9YM070MY36EEPTFRZDUHES883EP57MAX42JQTPX9YSLCNP4G';
const OTHER = 'AGE-SECRET-KEY-1FSC08SL4V8HXJ9PX0C8CXE0D3Q96GD8JSS9V9H0C3F9E95P0CHDSK3MWSE';

/** What `age -r RECIPIENT` of Debian made of the text `books`. */
const OF_AGE =
  'YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBXaEpUZzBHNlEzSVJpSGZubzhWcFZ3MG5VNW56VS80M2hhczhsYTJhSFZVCldydHI2cEU3MGJvdEtmc00wU3V4M0EzZTBxdldFcDUzUGp2VHcrdEIwUnMKLS0tIFR0bTRlZkdGSy9kbCs4TGVIdmt0VHloNlRlcWgyZ3NlUFpuamlxU29YZ1UKQ0rjGlsrrdssOfBt1wgeqdJRVYA+ltiCosVWe2XU1+xSqwTD1A==';

const CHUNK = 64 * 1024;

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function collect(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of source) pieces.push(piece);
  return Buffer.concat(pieces);
}

const seal = (text: Buffer, size = 10_000) => collect(encrypt(inPieces(text, size), [parseRecipient(RECIPIENT)]));
const open = (file: Buffer, identity = IDENTITY, size = 7_001) =>
  collect(decrypt(inPieces(file, size), parseIdentities(identity)));

describe('a file that was encrypted', () => {
  it.each([0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 3 * CHUNK + 17])('is decrypted: %i bytes', async (length) => {
    const text = randomBytes(length);
    const file = await seal(text);
    expect(isAgeFile(file)).toBe(true);
    expect((await open(file)).equals(text)).toBe(true);
    expect((await open(file, IDENTITY, 1_000_000)).equals(text)).toBe(true);
  });

  it('is opened by each of its recipients, and by a file of several identities', async () => {
    const text = Buffer.from('books');
    const file = await seal(text);
    expect((await open(file, `# created: today\n\n${OTHER}\n${IDENTITY}\n`)).toString()).toBe('books');
    await expect(open(file, OTHER)).rejects.toThrow(NotForThisIdentity);
  });

  it('cannot be cut off or changed anywhere', async () => {
    const file = await seal(randomBytes(2 * CHUNK));
    const header = file.indexOf('\n---') + 50;
    for (const length of [10, 100, header, header + 16, header + 20, file.length - CHUNK - 16, file.length - 1]) {
      await expect(open(file.subarray(0, length)), `${length} bytes`).rejects.toThrow(DamagedAgeFile);
    }
    for (const at of [header + 20, header + CHUNK, file.length - 1]) {
      const changed = Buffer.from(file);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await expect(open(changed), `byte ${at}`).rejects.toThrow(DamagedAgeFile);
    }
    const otherMac = Buffer.from(file);
    const mac = file.indexOf('\n--- ') + 6;
    otherMac[mac] = otherMac[mac] === 65 ? 66 : 65;
    await expect(open(otherMac)).rejects.toThrow(DamagedAgeFile);
    await expect(open(Buffer.concat([file, Buffer.from('more')]))).rejects.toThrow(DamagedAgeFile);
  });
});

it('opens what the program age has made', async () => {
  expect((await open(Buffer.from(OF_AGE, 'base64'))).toString()).toBe('books');
});

it('refuses what is not a key', () => {
  const wrong = [
    '',
    'age1',
    'age1vsrtdjc7gxsq029thrlsvetfqlpf58xxr6zq3kzvtj4h5kk0u5as2p5uvz',
    RECIPIENT.slice(0, -1),
    `${RECIPIENT.slice(0, -1)}H`,
    IDENTITY,
    'ssh-ed25519 AAAA',
  ];
  for (const text of wrong) expect(() => parseRecipient(text), text).toThrow(NotAnAgeKey);
  for (const text of ['', '# nothing\n', RECIPIENT, `${IDENTITY}\nsomething`]) {
    expect(() => parseIdentities(text), text).toThrow(NotAnAgeKey);
  }
});
