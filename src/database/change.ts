/**
 * A write that depends on what was read. Reads take no locks: they note the version of each row on which the decision rests. Writes are
 * collected as steps, and `apply_change` runs all of them in one call, which is one commit. It refuses the change if one of those rows
 * has another version by then. Then everything is read and decided again (decision 0132).
 */
import { Refusal } from '../base/errors.js';
import type { JsonText } from '../base/json.js';
import type { Values } from './columns.js';
import { fn } from './functions.js';
import type { Fragment, Sql } from './sql.js';
import type { Table, TableOf } from './table.js';
import { codeOf } from './unavailable.js';

/** Sales by the ids that registers chose: their key in business/changes/functions.sql is not that of the table. */
export type VersionedTable = 'register_sales';

/** A row with its version: `select ..., xmin::text as version`. Every update of a row changes it. */
export interface Versioned {
  readonly version: string;
}

/** A row as it was read: with its version, unless the model has a version of its own. */
export type Stored<Model> = 'version' extends keyof Model ? Model : Model & Versioned;

/** A row on whose version a change depends. Without a version: the row must not exist. */
interface Expected {
  readonly table: string;
  /** JSON: the values of the key, or their columns too. */
  readonly key: string;
  readonly version: string | null;
}

/** JSON that is already printed is not printed again. */
type Argument = string | number | boolean | null | PrintedJson;

class PrintedJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** JSON as an argument of a step, such as a row of `Columns.toRow`. */
export function json(text: string | JsonText<unknown> | null): Argument {
  return text === null ? null : new PrintedJson(text);
}

/** What a step returns. It is known after the commit. */
export class StepResult<Result> {
  readonly #read: (returned: never) => Result;
  #result: { readonly value: Result } | undefined;

  constructor(read: (returned: never) => Result) {
    this.#read = read;
  }

  get value(): Result {
    if (!this.#result) throw new Error('the change is not committed yet');
    return this.#result.value;
  }

  resolve(returned: unknown): void {
    this.#result = { value: this.#read(returned as never) };
  }
}

interface Step {
  readonly call: string;
  /** Its argument as JSON. */
  print(): string;
  readonly result: Pick<StepResult<unknown>, 'resolve'>;
}

/** What a change writes to one row. Later writes of the row are merged into the first one: it is written once, and its indexes too. */
interface RowWrite {
  merge(changed: object): void;
}

export class Change {
  readonly merchantId: string;
  /** For reads. They see what is committed, not the steps of this change. */
  readonly sql: Sql;
  readonly #expected = new Map<string, Expected>();
  readonly #steps: Step[] = [];
  readonly #written = new Map<string, RowWrite>();
  readonly #gathered = new Map<string, string[]>();

  constructor(merchantId: string, sql: Sql) {
    this.merchantId = merchantId;
    this.sql = sql;
  }

  /**
   * Notes that the change depends on this row, as it was read. A write that changes what a decision about a row depends on must update that
   * row in the same commit.
   */
  expect(table: VersionedTable, key: readonly string[], row: Versioned | undefined): void {
    this.#expect(table, JSON.stringify(key), row);
  }

  /** Reads a row. The change depends on it, also if there is none. */
  async read<Model extends object>(
    table: TableOf<Model>,
    key: Readonly<Partial<Record<keyof Model, string | Buffer>>>,
  ): Promise<Stored<Model> | undefined> {
    const [found] = await this.#select(table, table.whereKey(this.sql, key));
    this.#expect(table.name, table.toKey(key as Partial<Model>), found);
    return found?.row;
  }

  /** Reads the rows that fulfill a condition. The change depends on each of them, but not on rows that fulfill it later. */
  async readAll<Model extends object>(table: TableOf<Model>, condition: Fragment): Promise<Stored<Model>[]> {
    const all = await this.#select(table, this.sql`and ${condition}`);
    return all.map(({ row, version }) => {
      this.#expect(table.name, table.toKey(row as Model), { version });
      return row;
    });
  }

  async #select<Model extends object>(
    table: TableOf<Model>,
    conditions: Fragment,
  ): Promise<(Versioned & { readonly row: Stored<Model> })[]> {
    const { sql, merchantId } = this;
    const rows = await sql<{ xmin: string }[]>`
      select xmin::text as xmin, ${table.select(sql)}
      from ${sql(table.name)}
      where merchant_id = ${merchantId} ${conditions}`;
    return rows.map(({ xmin, ...row }) => ({ version: xmin, row: { version: xmin, ...row } as never }));
  }

  /** Notes that the change depends on a row of a table, as it was read. */
  dependOn<Model extends object>(table: TableOf<Model>, row: Values<NoInfer<Model>> & Versioned): void {
    this.#expect(table.name, table.toKey(row), row);
  }

  insert<Model extends object>(table: TableOf<Model>, record: NoInfer<Model>): void {
    this.#writeRow(`insert_${table.name}`, table, record, (values) => table.toRow(values));
  }

  /**
   * Writes what differs. The change must depend on the row as it was before, or have inserted it. If it writes the row several times, the
   * first of these steps writes all of it.
   */
  save<Model extends object>(
    table: TableOf<Model>,
    before: Values<NoInfer<Model>>,
    after: Values<NoInfer<Model>>,
  ): void {
    this.#requireRead(table, before);
    const changed = table.differenceOf(before, after);
    if (changed) this.#save(table, before, changed);
  }

  /** Gives a row another version, so that changes that depend on it are decided again. */
  touch<Model extends object>(table: TableOf<Model>, row: Values<NoInfer<Model>>): void {
    this.#save(table, row, {});
  }

  #save<Model extends object>(table: TableOf<Model>, row: Values<Model>, changed: Values<Model>): void {
    const written = this.#written.get(nameOf(table.name, table.toKey(row)));
    if (written) written.merge(changed);
    else
      this.#writeRow(`save_${table.name}`, table, { ...table.keyOf(row), ...changed }, (all) => table.toMembers(all));
  }

  #writeRow<Model extends object>(
    call: string,
    table: TableOf<Model>,
    first: Values<Model>,
    print: (values: Values<Model>) => string,
  ): void {
    let values = first;
    this.#steps.push({ call, print: () => print(values), result: NO_RESULT });
    this.#written.set(nameOf(table.name, table.toKey(first)), {
      merge(changed) {
        values = { ...values, ...changed };
      },
    });
  }

  /**
   * Adds to columns of a row, without reading them: changes that add at the same time do not disturb each other. If there is no row with
   * this key and guard by then, the change is repeated.
   */
  add<Model extends object, Added extends keyof Model & string>(
    table: Table<Model, Added>,
    row: Values<NoInfer<Model>>,
    // Without columns to add to, this would be {}, which takes every object.
    added: [Added] extends [never] ? never : Readonly<Partial<Pick<NoInfer<Model>, NoInfer<Added>>>>,
  ): void {
    this.#write(`add_${table.name}`, table, row, table.toAdded(row, added));
  }

  /** The change must depend on the row, unless the table says that it need not. */
  delete<Model extends object>(table: TableOf<Model>, row: Values<NoInfer<Model>>): void {
    if (table.deletes !== 'unread') this.#requireRead(table, row);
    if (!table.deletes) throw new Error(`rows of ${table.name} are not deleted by changes`);
    this.#write(`delete_${table.name}`, table, row, table.toKey(row));
  }

  /** What the change saves after this is a step of its own. */
  #write<Model extends object>(call: string, table: TableOf<Model>, row: Values<Model>, printed: string): void {
    this.#steps.push({ call, print: () => printed, result: NO_RESULT });
    this.#written.delete(nameOf(table.name, table.toKey(row)));
  }

  #requireRead<Model extends object>(table: TableOf<Model>, row: Values<Model>): void {
    const name = nameOf(table.name, table.toKey(row));
    if (this.#expected.has(name) || this.#written.has(name)) return;
    throw new Error(`the change does not depend on the row of ${table.name} that it writes`);
  }

  #expect(table: string, key: string, row: Versioned | undefined): void {
    const name = nameOf(table, key);
    const known = this.#expected.get(name);
    const version = row?.version ?? null;
    // Another version in a second read: the row has changed already.
    this.#expected.set(name, { table, key, version: known && known.version !== version ? '' : version });
  }

  /** Adds a call of a database function. `apply_step` names its members; nulls are left out. `read` converts what the function returns. */
  call<Result = void>(
    name: string,
    members: Readonly<Record<string, Argument>>,
    read: (returned: never) => Result = () => undefined as Result,
  ): StepResult<Result> {
    const printed = Object.entries(members).flatMap(([member, value]) =>
      value === null ? [] : `"${member}":${print(value)}`,
    );
    const result = new StepResult(read);
    this.#steps.push({ call: name, print: () => `{${printed}}`, result });
    return result;
  }

  /** Adds an item, as JSON, to those that a database function gets in one call after all other steps. */
  gather(name: string, item: string): void {
    const items = this.#gathered.get(name);
    if (items) items.push(item);
    else this.#gathered.set(name, [item]);
  }

  /** Runs all steps in one commit, unless something has changed. */
  async apply(): Promise<void> {
    const gathered = [...this.#gathered].map(([call, items]) => ({
      call,
      print: () => `[${items}]`,
      result: NO_RESULT,
    }));
    const steps = [...this.#steps, ...gathered];
    if (steps.length > 0) await this.#send(steps);
  }

  /** Checks that the rows still are what was read. A refusal holds only then. */
  async confirm(): Promise<void> {
    if (this.#expected.size > 0) await this.#send([]);
  }

  async #send(steps: readonly Step[]): Promise<void> {
    const expected = [...this.#expected].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each);
    const { sql } = this;
    const results = await sql<{ result: unknown }[]>`
      select ${fn(sql, 'apply_change')}(
        ${this.merchantId}, ${printExpected(expected)}::text::json, ${steps.map(({ call }) => call).join()},
        ${steps.map(printLine).join('\n')}
      ) as result`;
    for (const [index, { result }] of steps.entries()) result.resolve(results[index]?.result ?? null);
  }
}

/** Applies a change once, as a statement of a transaction. It is not repeated: if it loses, the transaction fails. */
export async function changeIn(sql: Sql, merchantId: string, work: (change: Change) => unknown): Promise<void> {
  const change = new Change(merchantId, sql);
  await work(change);
  await change.apply();
}

/** A step is a line. Line breaks are only outside of the strings of JSON, where they have no meaning. */
function printLine(step: Step): string {
  const line = step.print();
  return line.includes('\n') ? line.replaceAll('\n', ' ') : line;
}

const NO_RESULT = { resolve: () => {} };

function nameOf(table: string, key: string): string {
  return [lockRank(table), table, key].join('\0');
}

function printExpected(expected: readonly Expected[]): string {
  const printed = expected.map(
    ({ table, key, version }) => `{"table":"${table}","key":${key},"version":${JSON.stringify(version)}}`,
  );
  return `[${printed}]`;
}

/**
 * Every change locks its rows in the same order: otherwise two changes could wait for each other. Due work comes last, because steps write
 * to its subject first and then remove the work.
 */
function lockRank(table: string): number {
  return table === 'due_work' ? 1 : 0;
}

function print(value: Argument): string {
  return value instanceof PrintedJson ? value.text : JSON.stringify(value);
}

/** Every lost attempt means that another one has won, so this many in a row are a sign of an error. */
const MAX_ATTEMPTS = 100;
const MAX_DUPLICATES = 2;

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';
const UNIQUE_VIOLATION = '23505';

/** Runs changes. Attempts of one merchant that lost are repeated one after the other, so that they do not disturb each other. */
export class Changes {
  readonly #repeating = new Map<string, Promise<unknown>>();

  async run<Result>(merchantId: string, sql: Sql, work: (change: Change) => Promise<Result>): Promise<Result> {
    const attempt = () => this.#attempt(new Change(merchantId, sql), work);
    const first = await attempt();
    return 'result' in first ? first.result : this.#oneByOne(merchantId, () => repeat(attempt, first.error));
  }

  async #attempt<Result>(
    change: Change,
    work: (change: Change) => Promise<Result>,
  ): Promise<{ readonly result: Result } | { readonly error: unknown }> {
    try {
      const result = await decide(change, work);
      await change.apply();
      return { result };
    } catch (error) {
      if (hasLost(error)) return { error };
      throw error;
    }
  }

  async #oneByOne<Result>(merchantId: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#repeating.get(merchantId);
    const running = (before ?? Promise.resolve()).then(work);
    const ended = running.catch(() => {});
    this.#repeating.set(merchantId, ended);
    try {
      return await running;
    } finally {
      if (this.#repeating.get(merchantId) === ended) this.#repeating.delete(merchantId);
    }
  }
}

/** A refusal that depends on rows which have changed meanwhile does not count: the decision is made again. */
async function decide<Result>(change: Change, work: (change: Change) => Promise<Result>): Promise<Result> {
  try {
    return await work(change);
  } catch (error) {
    if (error instanceof Refusal) await change.confirm();
    throw error;
  }
}

type Attempt<Result> = () => Promise<{ readonly result: Result } | { readonly error: unknown }>;

async function repeat<Result>(attempt: Attempt<Result>, firstError: unknown): Promise<Result> {
  let error = firstError;
  for (let [attempts, duplicates] = [1, 0]; attempts < MAX_ATTEMPTS && duplicates < MAX_DUPLICATES; attempts++) {
    if (codeOf(error) === UNIQUE_VIOLATION) duplicates++;
    const next = await attempt();
    if ('result' in next) return next.result;
    error = next.error;
  }
  throw error;
}

/** A concurrent change has won. A unique violation means that it has inserted the row, and the next decision finds it. */
function hasLost(error: unknown): boolean {
  return [SERIALIZATION_FAILURE, DEADLOCK, UNIQUE_VIOLATION].includes(codeOf(error));
}
