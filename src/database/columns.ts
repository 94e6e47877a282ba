/** The list of columns of a table. Every statement on the table takes its columns from it. */
import type { Instant } from '../base/time.js';
import type { Cell } from './copy.js';
import { type Fragment, type Sql, toTimestamp } from './sql.js';

/** How a value of the model is stored: as it is, as a time, as bytes, as JSON, or as JSON that the model has as text already. */
type Storage = 'value' | 'time' | 'bytes' | 'json' | 'json text';

type Definition = Storage | { readonly column: string; readonly as: Storage };

/** In the order of the columns. A column is named like its field, unless another name is given. */
export type Definitions<Model> = Readonly<Record<keyof Model & string, Definition>>;

/** Some values of the model. The other columns are null. */
export type Values<Model> = { readonly [Field in keyof Model]?: Model[Field] | null | undefined };

interface Column<Model> {
  readonly field: keyof Model & string;
  readonly name: string;
  readonly storage: Storage;
}

export class Columns<Model extends object> {
  readonly #columns: readonly Column<Model>[];
  readonly #names: string;
  readonly #selected: string;

  constructor(definitions: Definitions<Model>) {
    this.#columns = (Object.entries(definitions) as [keyof Model & string, Definition][]).map(([field, definition]) =>
      typeof definition === 'string'
        ? { field, name: toSnake(field), storage: definition }
        : { field, name: definition.column, storage: definition.as },
    );
    this.#names = this.#columns.map(({ name }) => name).join(', ');
    this.#selected = this.#columns.map(toSelected).join(', ');
  }

  get columnNames(): readonly string[] {
    return this.#columns.map(({ name }) => name);
  }

  /** The names, for `copy` and `insert`. */
  names(sql: Sql): Fragment {
    return sql.unsafe(this.#names);
  }

  /** The columns under the names of the model, so that a row is a model. */
  select(sql: Sql): Fragment {
    return sql.unsafe(this.#selected);
  }

  /** The cells of a row for `copy`, in the order of `names`. */
  toCells(model: Values<Model>): Cell[] {
    return this.#columns.map(({ field, storage }) => toCell(model[field], storage));
  }

  /** A row as JSON, for a function. Nulls are left out. */
  toRow(model: Values<Model>): string {
    let members = '';
    for (const { field, name, storage } of this.#columns) {
      const value = model[field];
      if (value !== null && value !== undefined) members += `${members && ','}"${name}":${toMember(value, storage)}`;
    }
    return `{${members}}`;
  }

  /** Only the given values as JSON, for a function that changes them. Nulls are members too. */
  toMembers(model: Values<Model>): string {
    const members = this.#columns
      .filter(({ field }) => field in model)
      .map(({ field, name, storage }) => `"${name}":${print(model[field], storage)}`);
    return `{${members.join(',')}}`;
  }

  /** The values that differ. A value that is missing is null. */
  protected listChanged(before: Values<Model>, after: Values<Model>): Values<Model> {
    const changed = this.#columns
      .filter(
        ({ field, storage }) =>
          // Most values are the same, and need not be printed.
          before[field] !== after[field] && print(before[field], storage) !== print(after[field], storage),
      )
      .map(({ field }) => [field, after[field] ?? null]);
    return Object.fromEntries(changed) as Values<Model>;
  }

  protected columnOf(wanted: keyof Model & string): string {
    const column = this.#columns.find(({ field }) => field === wanted);
    if (!column) throw new Error(`${wanted} is not stored`);
    return column.name;
  }
}

function toSnake(field: string): string {
  return field.replaceAll(/[A-Z0-9]+/g, (part) => `_${part.toLowerCase()}`);
}

function toSelected({ field, name, storage }: Column<never>): string {
  if (storage === 'json text') return `${name}::text`;
  return toSnake(field) === name ? name : `${name} as ${toSnake(field)}`;
}

function toCell(value: unknown, storage: Storage): Cell {
  if (value === null || value === undefined) return null;
  if (storage === 'time') return toTimestamp(value as Instant);
  return storage === 'json' ? JSON.stringify(value) : (value as Cell);
}

function toMember(value: unknown, storage: Storage): string {
  if (storage === 'json text') return value as string;
  if (storage === 'bytes') return `"\\\\x${(value as Buffer).toString('hex')}"`;
  return storage === 'time' ? `"${toTimestamp(value as Instant)}"` : JSON.stringify(value);
}

function print(value: unknown, storage: Storage): string {
  return value === null || value === undefined ? 'null' : toMember(value, storage);
}
