/**
 * The format of a backup (decision 0174): lines of text, compressed with gzip, and encrypted if there are recipients (decision 0247). The
 * first line names the format, the second one describes the backup. Then, for each table, a line with its columns, its rows as COPY prints them, and a line `\.`. The last line has a checksum.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline as connect } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGunzip, createGzip } from 'node:zlib';
import type { TableColumns } from '../database/copy.js';
import type { AppliedMigration } from '../database/migrations.js';
import { decrypt, encrypt, isAgeFile } from './age.js';
import { DamagedAgeFile, NotForThisIdentity } from './age-header.js';
import type { Identity, Recipient } from './age-keys.js';

/** Who can read a backup: those with one of these keys, or everybody who has the file. */
export type Recipients = readonly Recipient[];

const FORMAT = 'Tillhouse backup 1\n';
const OTHER_FORMAT = /^Tillhouse backup \d+\n/;
const END_OF_ROWS = Buffer.from('\\.\n');
const END_OF_ROWS_AFTER_A_LINE = Buffer.from('\n\\.\n');
const LINE_BREAK = 0x0a;
const CHECKSUM_LENGTH = 'sha256 '.length + 64 + 1;

/** What a backup says about itself. */
export interface Description {
  /** The version of the program that made it. */
  readonly version: string;
  readonly takenAt: string;
  readonly migrations: readonly AppliedMigration[];
  /** Small files of the data folder, by name. */
  readonly files: Readonly<Record<string, string>>;
}

export interface TableRows extends TableColumns {
  /** Must be read to the end before the next table. */
  readonly rows: AsyncIterable<Buffer>;
}

/** The file cannot be restored. The message says why. */
export class UnusableBackup extends Error {}

/** Returns how many rows were written. */
export async function writeBackup(
  path: string,
  description: Description,
  tables: AsyncIterable<TableRows>,
  recipients: Recipients = [],
): Promise<number> {
  const hash = createHash('sha256');
  let count = 0;
  const hashed = (bytes: Buffer): Buffer => {
    hash.update(bytes);
    return bytes;
  };
  async function* content(): AsyncGenerator<Buffer> {
    yield hashed(Buffer.from(`${FORMAT}${JSON.stringify(description)}\n`));
    for await (const { table, columns, rows } of tables) {
      yield hashed(Buffer.from(`${JSON.stringify({ table, columns })}\n`));
      for await (const lines of rows) {
        count += countLines(lines);
        yield hashed(lines);
      }
      yield hashed(END_OF_ROWS);
    }
    yield Buffer.from(`sha256 ${hash.digest('hex')}\n`);
  }
  // A running server needs the CPU: the fastest level makes a file that is a fifth larger, in a third of the CPU time.
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  const file = createWriteStream(path, { mode: 0o600, flags: 'wx', flush: true });
  if (recipients.length === 0) await pipeline(content(), gzip, file);
  else await pipeline(content(), gzip, (compressed: AsyncIterable<Buffer>) => encrypt(compressed, recipients), file);
  return count;
}

/** Reads the whole file, and refuses one that is not a backup, or damaged. */
export async function verifyBackup(path: string, identities: readonly Identity[] = []): Promise<Description> {
  const hash = createHash('sha256');
  let head = '';
  let tail: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of decompressed(path, identities)) {
      if (head.length < FORMAT.length) head = requireFormat(path, head + chunk.toString('latin1'));
      tail = Buffer.concat([tail, chunk]);
      const surplus = Math.max(0, tail.length - CHECKSUM_LENGTH);
      hash.update(tail.subarray(0, surplus));
      tail = tail.subarray(surplus);
    }
  } catch (error) {
    if (error instanceof DamagedAgeFile) throw damaged(path);
    if (error instanceof NotForThisIdentity) throw notForThisIdentity(path);
    if (error instanceof UnusableBackup || !isOfContent(error)) throw error;
    throw head === '' ? notABackup(path) : damaged(path);
  }
  if (head === '') throw notABackup(path);
  if (tail.toString() !== `sha256 ${hash.digest('hex')}\n`) throw damaged(path);
  return readBackup(path, identities, (reader) => reader.describe());
}

/** Reads a backup that has been verified. */
export async function readBackup<Result>(
  path: string,
  identities: readonly Identity[],
  read: (reader: BackupReader) => Promise<Result>,
): Promise<Result> {
  const reader = new BackupReader(path, identities);
  try {
    return await read(reader);
  } finally {
    await reader.close();
  }
}

class BackupReader {
  readonly #path: string;
  readonly #chunks: AsyncGenerator<Buffer>;
  /** What was read and not used yet. */
  #rest: Buffer = Buffer.alloc(0);
  #count = 0;

  constructor(path: string, identities: readonly Identity[]) {
    this.#path = path;
    this.#chunks = decompressed(path, identities);
  }

  /** The number of rows that were read. */
  get count(): number {
    return this.#count;
  }

  /** Call it once, and first. */
  async describe(): Promise<Description> {
    await this.#line();
    return JSON.parse(await this.#line()) as Description;
  }

  async *tables(): AsyncGenerator<TableRows> {
    for (let line = await this.#line(); line.startsWith('{'); line = await this.#line()) {
      yield { ...(JSON.parse(line) as TableColumns), rows: this.#rows() };
    }
  }

  async close(): Promise<void> {
    await this.#chunks.return(undefined);
  }

  async #line(): Promise<string> {
    for (;;) {
      const end = this.#rest.indexOf(LINE_BREAK);
      if (end >= 0) {
        const line = this.#rest.subarray(0, end).toString();
        this.#rest = this.#rest.subarray(end + 1);
        return line;
      }
      await this.#more();
    }
  }

  /** In pieces that begin and end anywhere, because a row can be larger than the memory should hold. */
  async *#rows(): AsyncGenerator<Buffer> {
    let isAtLine = true;
    for (;;) {
      const end = findEndOfRows(this.#rest, isAtLine);
      // The last bytes can be the beginning of the end mark, so they wait for more.
      const length = end ?? Math.max(0, this.#rest.length - END_OF_ROWS.length);
      const piece = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      this.#count += countLines(piece);
      if (length > 0) {
        isAtLine = piece[length - 1] === LINE_BREAK;
        yield piece;
      }
      if (end !== undefined) {
        this.#rest = this.#rest.subarray(END_OF_ROWS.length);
        return;
      }
      await this.#more();
    }
  }

  async #more(): Promise<void> {
    const { done, value } = await this.#chunks.next();
    if (done) throw damaged(this.#path);
    this.#rest = Buffer.concat([this.#rest, value]);
  }
}

/** Finds the line `\.`. No row looks like it, because COPY prints a backslash in a row as two. */
function findEndOfRows(rows: Buffer, isAtLine: boolean): number | undefined {
  if (isAtLine && rows.subarray(0, END_OF_ROWS.length).equals(END_OF_ROWS)) return 0;
  const before = rows.indexOf(END_OF_ROWS_AFTER_A_LINE);
  return before < 0 ? undefined : before + 1;
}

function countLines(lines: Buffer): number {
  let count = 0;
  for (let at = lines.indexOf(LINE_BREAK); at >= 0; at = lines.indexOf(LINE_BREAK, at + 1)) count += 1;
  return count;
}

async function* decompressed(path: string, identities: readonly Identity[]): AsyncGenerator<Buffer> {
  const file = createReadStream(path);
  const gunzip = createGunzip();
  const decrypted = (bytes: AsyncIterable<Buffer>) => decryptedIfNeeded(path, bytes, identities);
  // An error of the file, or of its encryption, destroys `gunzip` too, and so reaches the reader of the content.
  connect(file, decrypted, gunzip, () => {});
  try {
    yield* gunzip as AsyncIterable<Buffer>;
  } finally {
    file.destroy();
    gunzip.destroy();
  }
}

/** The first piece that a file returns is long enough to recognize it. */
async function* decryptedIfNeeded(
  path: string,
  file: AsyncIterable<Buffer>,
  identities: readonly Identity[],
): AsyncGenerator<Buffer> {
  const iterator = file[Symbol.asyncIterator]();
  const first = await iterator.next();
  async function* all(): AsyncGenerator<Buffer> {
    for (let next = first; !next.done; next = await iterator.next()) yield next.value;
  }
  if (first.done || !isAgeFile(first.value)) return yield* all();
  if (identities.length === 0) {
    throw new UnusableBackup(`${path} is encrypted. Name the file with the private key: --identity FILE`);
  }
  yield* decrypt(all(), identities);
}

/** Returns the beginning, once it is long enough. */
function requireFormat(path: string, head: string): string {
  if (head.length < FORMAT.length || head.startsWith(FORMAT)) return head;
  if (!OTHER_FORMAT.test(head)) throw notABackup(path);
  throw new UnusableBackup(`${path} was made by a newer version of Tillhouse. Restore it with that version.`);
}

/** Whether the file is the cause: it cannot be decompressed, or is a folder. Other errors come from the disk. */
function isOfContent(error: unknown): boolean {
  return /^(?:Z_|EISDIR$)/.test(String((error as { code?: unknown }).code));
}

function notABackup(path: string): UnusableBackup {
  return new UnusableBackup(`${path} is not a backup of Tillhouse. tillhouse backup FILE makes one.`);
}

function notForThisIdentity(path: string): UnusableBackup {
  return new UnusableBackup(`${path} is encrypted for other keys than those of --identity.`);
}

function damaged(path: string): UnusableBackup {
  return new UnusableBackup(`${path} is damaged or incomplete, so nothing was restored. Use another copy of it.`);
}
