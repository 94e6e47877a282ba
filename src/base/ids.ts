/** Creates identifiers (decision 0014): opaque for clients, with a time prefix for index locality. */
import { createHash, randomBytes, randomFillSync, randomInt } from 'node:crypto';

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

/** A time with a number that counts up within a millisecond, so that identifiers sort by creation. */
class Sequence {
  readonly #source: IdSource;
  readonly #limit: number;
  millisecond = 0;
  count = 0;

  constructor(source: IdSource, limit: number) {
    this.#source = source;
    this.#limit = limit;
  }

  next(): this {
    const now = this.#source.now();
    if (now > this.millisecond) {
      this.millisecond = now;
      this.count = this.#source.byte(); // a byte leaves most of the numbers for counting
    } else if (++this.count === this.#limit) {
      this.millisecond++;
      this.count = 0;
    }
    return this;
  }
}

/** Creates identifiers from one source. It is passed as an argument, like time: generated businesses use a repeatable source. */
export class Ids {
  readonly #source: IdSource;
  readonly #uuids: Sequence;
  readonly #ids: Sequence;
  readonly #tail = Buffer.alloc(8);

  constructor(source: IdSource = REAL) {
    this.#source = source;
    this.#uuids = new Sequence(source, 0x1000);
    this.#ids = new Sequence(source, 62 * 62);
  }

  /** For a source whose time goes back on purpose: the next identifier starts from the time of the source again. */
  protected forgetOrder(): void {
    this.#uuids.millisecond = 0;
    this.#ids.millisecond = 0;
  }

  /** A UUID of version 7. The 12 bits after the time count up within a millisecond, so UUIDs sort by creation. */
  newUuid(): string {
    const { millisecond, count } = this.#uuids.next();
    const bytes = this.#tail;
    for (let i = 0; i < bytes.length; i++) bytes[i] = this.#source.byte();
    bytes[0] = 0x80 | ((bytes[0] ?? 0) & 0x3f);
    const tail = bytes.toString('hex');
    return `${uuidPrefix(millisecond)}${count.toString(16).padStart(3, '0')}-${tail.slice(0, 4)}-${tail.slice(4)}`;
  }

  /** `length` base62 characters. The first eight are the time in milliseconds. The next two count up within a millisecond. */
  newId(length: number): string {
    const { millisecond, count } = this.#ids.next();
    const front = toBase62(millisecond, 8) + toBase62(count, 2);
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

function toBase62(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / 62)) text = BASE62[rest % 62] + text;
  return text;
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

/** The id of stored content: equal content has the same id. */
export function contentId(content: Buffer): string {
  return createHash('sha256').update(content).digest('base64url');
}

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Random digits, for a code that a person types. */
export function newDigits(count: number): string {
  return String(randomInt(10 ** count)).padStart(count, '0');
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
