/** A table that changes write to, defined once. Reads, bulk copies, changes and the functions in the database take its columns from here. */
import { Columns, type Definitions } from './columns.js';
import type { Bulk } from './copy.js';
import type { Fragment, Sql } from './sql.js';

interface TableDefinition<Model> {
  /** What identifies a row among those of its merchant. */
  readonly key: readonly (keyof Model & string)[];
  /** All columns but `merchant_id`. */
  readonly columns: Definitions<Model>;
}

export class Table<Model extends object> extends Columns<Model> {
  readonly name: string;
  readonly key: readonly (keyof Model & string)[];

  constructor(name: string, { key, columns }: TableDefinition<Model>) {
    super(columns);
    this.name = name;
    this.key = key;
  }

  /** The names of the columns of the key. */
  get keyColumns(): readonly string[] {
    return this.key.map((field) => this.columnOf(field));
  }

  /** Copies records in bulk. */
  copy(bulk: Bulk, merchantId: string, records: readonly Model[]): void {
    bulk.copy(
      this.name,
      (tx) => tx`copy ${tx(this.name)} (merchant_id, ${this.names(tx)}) from stdin`,
      records,
      (record) => [merchantId, ...this.toCells(record)],
    );
  }

  /** The condition on a key, after that on the merchant. */
  whereKey(sql: Sql, key: Readonly<Partial<Record<keyof Model, string>>>): Fragment {
    const conditions = this.key.map((field) => sql`and ${sql(this.columnOf(field))} = ${key[field] ?? null}`);
    return conditions.reduce((all, each) => sql`${all} ${each}`);
  }

  /** The key of a row as JSON, for a function. */
  toKey(model: Partial<Model>): string {
    return this.toRow(Object.fromEntries(this.key.map((field) => [field, model[field]])) as Partial<Model>);
  }

  /** The key of a row and what differs, as JSON for a function. Undefined if nothing differs. */
  toDifference(before: Model, after: Model): string | undefined {
    const changed = this.listChanged(before, after);
    return changed === '' ? undefined : `${this.toKey(before).slice(0, -1)},${changed}}`;
  }
}
