/** Walks the schemas of bodies and queries, and generates valid and invalid values. */
import type { Operation } from '../../src/api/operation.js';
import { listQuery } from '../../src/api/pagination.js';
import type { Json } from './business.js';

/** The parts of JSON Schema that declarations use. */
export interface Schema {
  readonly type: string;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly examples?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** A place in a body: the steps to it, each with its schema. */
export interface Field {
  readonly steps: readonly { readonly key: string | 0; readonly schema: Schema }[];
  readonly schema: Schema;
  /** The name that refusals use. */
  readonly name: string;
  readonly isElement: boolean;
  readonly isRequired: boolean;
}

export function fieldsOf(schema: Schema, steps: Field['steps'] = []): Field[] {
  const children: [string | 0, Schema][] = Object.entries(schema.properties ?? {});
  if (schema.items) children.push([0, schema.items]);
  return children.flatMap(([key, child]) => {
    const path = [...steps, { key, schema: child }];
    const name = path.flatMap((step) => (step.key === 0 ? [] : [step.key])).join('.');
    const isRequired = key !== 0 && (schema.required ?? []).includes(key);
    return [{ steps: path, schema: child, name, isElement: key === 0, isRequired }, ...fieldsOf(child, path)];
  });
}

/** The smallest value that a schema accepts. */
export function sample(schema: Schema): unknown {
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, sample(schema.properties?.[name] as Schema)]),
      );
    case 'array':
      return schema.items && (schema.minItems ?? 0) > 0 ? [sample(schema.items)] : [];
    case 'boolean':
      return true;
    case 'integer':
      return schema.minimum ?? 1;
    case 'string':
      if (schema.enum) return schema.enum[0];
      if (schema.format === 'date-time') return '2020-02-26T10:00:00Z';
      if (schema.examples?.[0] !== undefined) return schema.examples[0];
      if (schema.pattern) throw new Error(`no sample of ${schema.pattern}`);
      return 'x'.repeat(schema.minLength ?? 1);
    default:
      throw new Error(`no sample of ${schema.type}`);
  }
}

/** The body with a value at a place, or without the place if the value is undefined. Creates missing parents. */
export function withValue(body: Json | undefined, { steps }: Field, value: unknown): Json {
  const copy = structuredClone(body ?? {});
  let at = copy as Record<string | 0, unknown>;
  for (const [index, { key, schema }] of steps.entries()) {
    if (index === steps.length - 1) {
      if (value === undefined) delete at[key];
      else at[key] = value;
    } else {
      at[key] ??= sample(schema);
      at = at[key] as Record<string | 0, unknown>;
    }
  }
  return copy;
}

/** Values of other types than the schema's. */
export const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  string: [5, -1.5, true, false, {}, { a: 1 }, [], ['x']],
  integer: ['5', '', 1.5, true, {}, []],
  number: ['5', '', true, {}, []],
  boolean: ['true', 'x', 1, 0, {}, []],
  object: ['x', 5, true, [], [{}]],
  array: ['x', 5, true, {}, { 0: 'x', length: 1 }],
};

export const BAD_TIMES = [
  'yesterday',
  '2026-02-30',
  '2026-02-30T10:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-00-10',
  '2025-02-29T00:00:00Z',
  '2026-01-01T24:00:01Z',
  '2026-01-01T25:00:00Z',
  '2026-01-01T10:60:00Z',
  '2026-01-01T10:00:00+25:00',
  '202601',
  '1582675200',
  '0000-01-01T00:00:00Z',
  '+010000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+23:59',
  '9999-12-31T23:59:59-23:59',
  '2026-01-01T10:00:00Z; select 1',
];

/** The earliest and the latest time that can be written and stored. */
export const LAST_TIMES = ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'];

/** The query of an operation as clients see it. */
export function queryOf(operation: Operation): Schema | undefined {
  const schema = operation.page ? listQuery(operation, operation.page) : operation.query;
  return schema as Schema | undefined;
}

/** The parameters of a query without those for paging. */
export function filtersOf(operation: Operation): [string, Schema][] {
  const ofPages: readonly (string | undefined)[] = operation.page ? ['limit', operation.page.token] : [];
  return Object.entries(queryOf(operation)?.properties ?? {}).filter(([name]) => !ofPages.includes(name));
}
