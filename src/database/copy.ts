/** Writes many rows at once in the quickest way that PostgreSQL has: as lines of text that it reads as they come. */
import type { Writable } from 'node:stream';
import { printArray } from './arrays.js';
import type { Statement } from './connection.js';
import type { Tx } from './database.js';

/** A value as it goes into a column; times come as texts (`toTimestamp`). */
export type Cell = string | number | boolean | Buffer | readonly string[] | null;

/** A `copy ... from stdin`, as the driver has it: not sent before it is asked for its stream. */
interface CopyStatement {
  writable(): Promise<Writable>;
}

/** Lines go out in pieces of about this length: each is a call of the system, and small ones cost as much as large ones. */
const PIECE = 65_536;

interface Table {
  readonly statement: (tx: Tx) => CopyStatement;
  readonly pieces: Buffer[];
  /** What does not make a piece yet. */
  rest: string;
}

/**
 * Rows of several tables that are written together. They are printed as they are given, so that only their lines are kept
 * and PostgreSQL, which reads meanwhile what was sent before, never waits for the printing.
 */
export class Bulk {
  readonly #tables = new Map<string, Table>();
  readonly #afterwards: ((tx: Tx) => Promise<void>)[] = [];

  /** Tables are written in the order in which they are first named, also with nothing for them. */
  copy<Item>(
    table: string,
    statement: (tx: Tx) => CopyStatement,
    items: readonly Item[],
    toCells: (item: Item) => readonly Cell[],
  ): void {
    const lines = this.#tables.get(table) ?? this.#open(table, statement);
    for (const item of items) {
      lines.rest += printRow(toCells(item));
      if (lines.rest.length < PIECE) continue;
      lines.pieces.push(Buffer.from(lines.rest));
      lines.rest = '';
    }
  }

  /** What is said when all rows are there. */
  afterwards(work: (tx: Tx) => Promise<void>): void {
    this.#afterwards.push(work);
  }

  async send(tx: Tx): Promise<void> {
    for (const { statement, pieces, rest } of this.#tables.values()) {
      if (pieces.length > 0 || rest !== '') await send(statement(tx), pieces, rest);
    }
    for (const work of this.#afterwards) await work(tx);
  }

  #open(name: string, statement: Table['statement']): Table {
    const table = { statement, pieces: [], rest: '' };
    this.#tables.set(name, table);
    return table;
  }
}

async function send(statement: CopyStatement, pieces: readonly Buffer[], rest: string): Promise<void> {
  const stream = await statement.writable();
  await new Promise<void>((resolve, reject) => {
    // What goes wrong after the last line is told to the statement, which has long been answered: it is heard here.
    const { reject: rejectStatement } = statement as unknown as Statement;
    const rejectBoth = (error: unknown): void => {
      rejectStatement(error);
      reject(error);
    };
    Object.assign(statement, { reject: rejectBoth });
    stream.once('error', reject).once('finish', resolve);
    for (const piece of pieces) stream.write(piece);
    stream.end(rest);
  });
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

/** Most texts need nothing; each character is looked for by itself, which takes a sixth of the time in a long one. */
function escaped(text: string): string {
  for (const character of ESCAPED) {
    if (text.includes(character)) return text.replaceAll(/[\\\t\n\r]/g, (found) => ESCAPES[found] ?? found);
  }
  return text;
}
