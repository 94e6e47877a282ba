/** Writes many rows at once in the quickest way that PostgreSQL has: as lines of text that it reads as they come. */
import type { Writable } from 'node:stream';

/** A value as it goes into a column; times come as texts (`toTimestamp`). */
export type Cell = string | number | boolean | Buffer | readonly string[] | null;

/** A `copy ... from stdin`, as the driver has it: not sent before it is asked for its stream. */
interface CopyStatement {
  writable(): Promise<Writable>;
}

/** One line for each record, with a cell for each column that the statement names. */
export async function copyRows<Item>(
  statement: CopyStatement,
  items: readonly Item[],
  toCells: (item: Item) => readonly Cell[],
): Promise<void> {
  if (items.length === 0) return;
  // Printed one by one: cells that live only as long as their line cost hardly any tidying up.
  let lines = '';
  for (const item of items) lines += printRow(toCells(item));
  const stream = await statement.writable();
  await new Promise<void>((resolve, reject) => {
    // What goes wrong after the last line is told to the statement, which has long been answered: it is heard here.
    Object.assign(statement, { reject });
    stream.once('error', reject).once('finish', resolve);
    stream.end(lines);
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
  return `{${cell.map((item) => escaped(quoted(item))).join(',')}}`;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function escaped(text: string): string {
  return /[\\\t\n\r]/.test(text) ? text.replaceAll(/[\\\t\n\r]/g, (found) => ESCAPES[found] ?? found) : text;
}

/** An item of an array: identifiers need no quotes. */
function quoted(item: string): string {
  return /^[\w-]+$/.test(item) && item.toLowerCase() !== 'null' ? item : `"${item.replaceAll(/["\\]/g, '\\$&')}"`;
}
