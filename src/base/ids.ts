/** Creates identifiers (decision 0014): opaque for clients, with a time prefix for index locality. */
import { createHash, randomBytes, randomFillSync } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE36 = BASE62.slice(0, 36);
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

// Random bytes are drawn in blocks: one system call per identifier is too slow for hot paths.
const pool = Buffer.alloc(4096);
let poolUsed = pool.length;

function randomByte(): number {
  if (poolUsed === pool.length) {
    randomFillSync(pool);
    poolUsed = 0;
  }
  return pool[poolUsed++] ?? 0;
}

/** The input of identifiers: a time in milliseconds, and bytes that are random or, for generated businesses, repeatable. */
export interface IdSource {
  now(): number;
  byte(): number;
}

const REAL: IdSource = { now: () => Date.now(), byte: randomByte };

/** Creates identifiers from one source. It is passed as an argument, like time: generated businesses use a repeatable source. */
export class Ids {
  readonly #source: IdSource;
  #lastMillisecond = 0;
  #sequence = 0;
  readonly #tail = Buffer.alloc(8);

  constructor(source: IdSource = REAL) {
    this.#source = source;
  }

  /** For a source whose time goes back on purpose: the next UUID starts from the time of the source again. */
  protected forgetOrder(): void {
    this.#lastMillisecond = 0;
  }

  /** A UUID of version 7. The 12 bits after the time count up within a millisecond, so UUIDs sort by creation. */
  newUuid(): string {
    const now = this.#source.now();
    if (now > this.#lastMillisecond) {
      this.#lastMillisecond = now;
      this.#sequence = this.#source.byte(); // a byte leaves most of the 12 bits for counting
    } else if (++this.#sequence > 0xfff) {
      this.#lastMillisecond++;
      this.#sequence = 0;
    }
    const bytes = this.#tail;
    for (let i = 0; i < bytes.length; i++) bytes[i] = this.#source.byte();
    bytes[0] = 0x80 | ((bytes[0] ?? 0) & 0x3f);
    const tail = bytes.toString('hex');
    const count = this.#sequence.toString(16).padStart(3, '0');
    return `${uuidPrefix(this.#lastMillisecond)}${count}-${tail.slice(0, 4)}-${tail.slice(4)}`;
  }

  /** `length` base62 characters. The first eight are the time in milliseconds. */
  newId(length: number): string {
    let time = this.#source.now();
    let front = '';
    for (let i = 0; i < 8; i++) {
      front = BASE62[time % 62] + front;
      time = Math.floor(time / 62);
    }
    return front + this.#text(BASE62, length - front.length);
  }

  /** For merchants and locations: 13 upper-case letters and digits. The first one is the kind. */
  newShortId(kind: 'M' | 'L'): string {
    return kind + this.#text(BASE36, 12);
  }

  #text(alphabet: string, length: number): string {
    const unbiased = 256 - (256 % alphabet.length);
    let text = '';
    while (text.length < length) {
      const byte = this.#source.byte();
      if (byte < unbiased) text += alphabet[byte % alphabet.length];
    }
    return text;
  }
}

/** Identifiers from real time and real randomness. A server passes them to its operations. */
export const realIds = new Ids();

/** The beginning of a UUID of version 7: the time and the version. */
export function uuidPrefix(milliseconds: number): string {
  const time = milliseconds.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7`;
}

/** A UUID of version 8, derived from the words, for records without an id of their own. */
export function deriveUuid(...words: readonly string[]): string {
  const bytes = createHash('sha256').update(words.join('\n')).digest();
  bytes[6] = 0x80 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytes.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** A random, URL-safe secret. `length` includes the prefix. */
export function newSecret(prefix: string, length: number): string {
  return (
    prefix +
    randomBytes(length)
      .toString('base64url')
      .slice(0, length - prefix.length)
  );
}
