/** Writes and reads many rows with COPY, the fastest way that PostgreSQL has. */
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { printArray } from './arrays.js';
import { resumeSocketOf, statementOf } from './driver.js';
import type { Tx } from './sql.js';

/** The value of a column. Times are passed as text (`toTimestamp`). */
export type Cell = string | number | boolean | Buffer | readonly string[] | null;

/** A `copy ... from stdin` statement of the driver. It is sent when `writable` is called. */
interface CopyStatement {
  writable(): Promise<Writable>;
}

/** Lines are sent in chunks of about this length: each chunk is a system call, and a small one costs as much as a large one. */
const CHUNK_LENGTH = 65_536;

interface Table {
  readonly statement: (tx: Tx) => CopyStatement;
  readonly chunks: Buffer[];
  /** Lines that do not fill a chunk yet. */
  rest: string;
}

/**
 * Rows of several tables that are written together. Each row is printed at once, so that only its text is kept in memory,
 * and PostgreSQL does not wait for printing while it reads.
 */
export class Bulk {
  readonly #tables = new Map<string, Table>();
  readonly #afterwards: ((tx: Tx) => Promise<void>)[] = [];

  /** Tables are written in the order of the first call for each table, even if that call has no rows. */
  copy<Item>(
    table: string,
    statement: (tx: Tx) => CopyStatement,
    items: readonly Item[],
    toCells: (item: Item) => readonly Cell[],
  ): void {
    const lines = this.#tables.get(table) ?? this.#open(table, statement);
    for (const item of items) {
      lines.rest += printRow(toCells(item));
      if (lines.rest.length < CHUNK_LENGTH) continue;
      lines.chunks.push(Buffer.from(lines.rest));
      lines.rest = '';
    }
  }

  /** Adds work that runs after all rows have been written. */
  afterwards(work: (tx: Tx) => Promise<void>): void {
    this.#afterwards.push(work);
  }

  async send(tx: Tx): Promise<void> {
    for (const { statement, chunks, rest } of this.#tables.values()) {
      if (chunks.length > 0 || rest !== '') await sendRows(statement(tx), [...chunks, Buffer.from(rest)]);
    }
    for (const work of this.#afterwards) await work(tx);
  }

  #open(name: string, statement: Table['statement']): Table {
    const table = { statement, chunks: [], rest: '' };
    this.#tables.set(name, table);
    return table;
  }
}

/** Sends lines, which begin and end anywhere in the chunks, as fast as PostgreSQL takes them. */
async function sendRows(statement: CopyStatement, chunks: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<void> {
  const stream = await statement.writable();
  await new Promise<void>((resolve, reject) => {
    // The driver reports an error after the last line by rejecting the statement, whose promise has already been resolved.
    // The error is passed on here.
    const { reject: rejectStatement } = statementOf(statement);
    const rejectBoth = (error: unknown): void => {
      rejectStatement(error);
      reject(error);
    };
    Object.assign(statement, { reject: rejectBoth });
    pipeline(chunks, stream).then(resolve, reject);
  });
}

/** A table and its columns, without those that are computed. */
export interface TableColumns {
  readonly table: string;
  readonly columns: readonly string[];
}

/** The rows of a table as COPY prints them, a line for each. They must be read to the end before the next statement. */
export async function* readTable(tx: Tx, { table, columns }: TableColumns): AsyncGenerator<Buffer> {
  const stream: Readable = await tx`copy ${tx(table)} (${tx(columns as string[])}) to stdout`.readable();
  yield* stream as AsyncIterable<Buffer>;
  resumeSocketOf(stream);
}

/** Writes rows that `readTable` has printed. */
export function writeTable(tx: Tx, { table, columns }: TableColumns, lines: AsyncIterable<Buffer>): Promise<void> {
  return sendRows(tx`copy ${tx(table)} (${tx(columns as string[])}) from stdin`, lines);
}

function printRow(cells: readonly Cell[]): string {
  return `${cells.map(printCell).join('\t')}\n`;
}

export function printCell(cell: Cell): string {
  if (cell === null) return '\\N';
  if (typeof cell === 'string') return escaped(cell);
  if (typeof cell === 'boolean') return cell ? 't' : 'f';
  if (Buffer.isBuffer(cell)) return `\\\\x${cell.toString('hex')}`;
  if (typeof cell === 'number') return String(cell);
  return escaped(printArray(cell));
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const ESCAPED = Object.keys(ESCAPES);

/** Most texts need no escaping. In a long text, four calls of `includes` take a sixth of the time of one regular expression. */
function escaped(text: string): string {
  for (const character of ESCAPED) {
    if (text.includes(character)) return text.replaceAll(/[\\\t\n\r]/g, (found) => ESCAPES[found] ?? found);
  }
  return text;
}
