/** A table that changes write to, defined once. Reads, bulk copies, changes and the functions in the database take its columns from here. */
import { Columns, type Definitions, type Values } from './columns.js';
import type { Bulk } from './copy.js';
import type { Fragment, Sql } from './sql.js';

type FieldOf<Model> = keyof Model & string;

interface TableDefinition<Model, Added extends FieldOf<Model>> {
  /** What identifies a row among those of its merchant. Empty if a merchant has one row. */
  readonly key: readonly FieldOf<Model>[];
  /** All columns but `merchant_id`. */
  readonly columns: Definitions<Model>;
  /** Columns to which `change.add` adds. None is ever null, and constraints of the database guard them. */
  readonly sums?: readonly Added[];
  /** Columns with arrays, to which `change.add` appends an element that they do not have. */
  readonly sets?: readonly Added[];
  /** A column that must have the given value when something is added. */
  readonly guard?: FieldOf<Model>;
  /** For tables whose room inserts many rows at once. `apart` is a long text that is given beside the rows, not as a part of their JSON. */
  readonly inBulk?: { readonly apart?: FieldOf<Model> };
  /** Whether changes delete rows: those that they depend on, or also rows that they did not read. */
  readonly deletes?: boolean | 'unread';
}

/** Any table of a model, with or without columns to which changes add. */
export type TableOf<Model extends object> = Table<Model, FieldOf<Model>>;

/** `Added` are the columns to which changes add without reading them. */
export class Table<Model extends object, Added extends FieldOf<Model> = never> extends Columns<Model> {
  readonly name: string;
  readonly key: readonly FieldOf<Model>[];
  readonly deletes: boolean | 'unread';
  /** Undefined: the room inserts single rows only. */
  readonly inBulk: { readonly apart: string | undefined } | undefined;
  readonly #sums: readonly Added[];
  readonly #sets: readonly Added[];
  readonly #guard: readonly FieldOf<Model>[];

  constructor(
    name: string,
    { key, columns, sums = [], sets = [], guard, inBulk, deletes = false }: TableDefinition<Model, Added>,
  ) {
    super(columns);
    this.name = name;
    this.key = key;
    this.deletes = deletes;
    this.inBulk = inBulk && { apart: inBulk.apart && this.columnOf(inBulk.apart) };
    this.#sums = sums;
    this.#sets = sets;
    this.#guard = guard === undefined ? [] : [guard];
  }

  /** The names of the columns of the key. */
  get keyColumns(): readonly string[] {
    return this.#columnsOf(this.key);
  }

  get sumColumns(): readonly string[] {
    return this.#columnsOf(this.#sums);
  }

  get setColumns(): readonly string[] {
    return this.#columnsOf(this.#sets);
  }

  /** The names of the columns of the key, and that of the guard if there is one. */
  get guardedColumns(): readonly string[] {
    return this.#columnsOf([...this.key, ...this.#guard]);
  }

  /** Copies records in bulk. Columns without a value are null. */
  copy(bulk: Bulk, merchantId: string, records: readonly Values<Model>[]): void {
    bulk.copy(
      this.name,
      (tx) => tx`copy ${tx(this.name)} (merchant_id, ${this.names(tx)}) from stdin`,
      records,
      (record) => [merchantId, ...this.toCells(record)],
    );
  }

  /** The condition on a key, after that on the merchant. */
  whereKey(sql: Sql, key: Readonly<Partial<Record<keyof Model, string | Buffer>>>): Fragment {
    const conditions = this.key.map((field) => sql`and ${sql(this.columnOf(field))} = ${key[field] ?? null}`);
    return conditions.reduce((all, each) => sql`${all} ${each}`, sql``);
  }

  /** The key of a row as JSON, for a function. */
  toKey(model: Values<Model>): string {
    return this.toRow(this.keyOf(model));
  }

  keyOf(model: Values<Model>): Values<Model> {
    return this.#pick(this.key, model);
  }

  /** The key of a row, the value of its guard, and what is added to it, as JSON for a function. */
  toAdded(row: Values<Model>, added: Partial<Pick<Model, Added>>): string {
    return this.toRow({ ...this.#pick([...this.key, ...this.#guard], row), ...added } as Values<Model>);
  }

  /** Whether a change would save anything. */
  differ(before: Model, after: Model): boolean {
    return this.differenceOf(before, after) !== undefined;
  }

  #pick(fields: readonly FieldOf<Model>[], model: Values<Model>): Values<Model> {
    const missing = fields.find((field) => model[field] === undefined || model[field] === null);
    if (missing !== undefined) throw new Error(`a row of ${this.name} is not identified without ${missing}`);
    return Object.fromEntries(fields.map((field) => [field, model[field]])) as Values<Model>;
  }

  #columnsOf(fields: readonly FieldOf<Model>[]): readonly string[] {
    return fields.map((field) => this.columnOf(field));
  }

  /** What differs. Undefined: nothing. */
  differenceOf(before: Values<Model>, after: Values<Model>): Values<Model> | undefined {
    const changed = this.listChanged(before, after);
    return Object.keys(changed).length === 0 ? undefined : changed;
  }
}
