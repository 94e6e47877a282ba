/** Checks a file of a merchant. A refusal names the place, such as `file.records.payments.3.amount`. */
import { Refusal } from '../base/errors.js';
import { didYouMean } from '../base/nearest.js';
import { parseTime } from '../base/time.js';
import { isTimezone } from '../business/merchants/model.js';
import type { Row } from './merchant-file-queries.js';

/** The version of the format. */
export const FILE_FORMAT = 1;

export interface MerchantFile {
  readonly tillhouse_merchant: number;
  /** Its name, country, currency and so on. */
  readonly merchant: Row;
  readonly clock: { readonly now: string; readonly frozen: boolean };
  /** Lists of records by the names of their tables. */
  readonly records: Readonly<Record<string, readonly Row[]>>;
}

const CODES = [
  ['country', /^[A-Z]{2}$/, 'two capital letters, such as US'],
  ['currency', /^[A-Z]{3}$/, 'three capital letters, such as USD'],
] as const;

interface Known {
  readonly tables: readonly string[];
  readonly columns: ReadonlyMap<string, readonly string[]>;
  readonly merchantColumns: readonly string[];
}

export function checkMerchantFile(value: unknown, { tables, columns, merchantColumns }: Known): MerchantFile {
  const file = requireObject(value, 'file');
  if (file['tillhouse_merchant'] !== FILE_FORMAT) {
    throw refuse('file.tillhouse_merchant', `must be ${FILE_FORMAT}, the version of the format that this server knows`);
  }
  requireKnown(file, 'file', ['tillhouse_merchant', 'merchant', 'clock', 'records']);
  const merchant = requireObject(file['merchant'], 'file.merchant');
  requireKnown(merchant, 'file.merchant', merchantColumns);
  for (const [name, form, like] of CODES) {
    const given = merchant[name];
    if (given !== undefined && !form.test(String(given))) throw refuse(`file.merchant.${name}`, `must be ${like}`);
  }
  checkClock(file['clock']);
  const records = requireObject(file['records'], 'file.records');
  requireKnown(records, 'file.records', tables);
  for (const [table, rows] of Object.entries(records)) {
    const place = `file.records.${table}`;
    if (!Array.isArray(rows)) throw refuse(place, 'must be a list');
    for (const [index, row] of rows.entries()) {
      requireKnown(requireObject(row, `${place}.${index}`), `${place}.${index}`, columns.get(table) ?? []);
    }
  }
  const { locations } = records as MerchantFile['records'];
  if (!locations || locations.length === 0) throw refuse('file.records.locations', 'must have a location');
  for (const [index, { timezone }] of locations.entries()) {
    if (typeof timezone === 'string' && isTimezone(timezone)) continue;
    throw refuse(`file.records.locations.${index}.timezone`, 'must be a time zone such as America/New_York');
  }
  return value as MerchantFile;
}

function checkClock(value: unknown): void {
  const { now, frozen } = requireObject(value, 'file.clock');
  if (typeof now !== 'string' || parseTime(now) === undefined) {
    throw refuse('file.clock.now', 'must be a time such as 2026-02-26T10:15:30Z');
  }
  if (typeof frozen !== 'boolean') throw refuse('file.clock.frozen', 'must be true or false');
}

function requireObject(value: unknown, place: string): Row {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Row;
  throw refuse(place, 'must be an object');
}

function requireKnown(value: Row, place: string, known: readonly string[]): void {
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const name = unknown.slice(0, 100);
  throw refuse(`${place}.${name}`, `is not known.${didYouMean(name, known)} ${place} can have ${known.join(', ')}`);
}

function refuse(field: string, what: string): Refusal {
  return new Refusal('INVALID_VALUE', { field, detail: `${field} ${what}.` });
}
