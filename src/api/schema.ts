/**
 * Makes JSON Schema with the types of TypeBox and without its code: what we use of that is a few lines, and loading its six
 * hundred files was a third of the time in which a server's code is loaded.
 */
import type { Type as TypeBox } from 'typebox';

/** Marks what may be left out; a symbol, so that nobody who prints or compiles a schema sees it. */
const OPTIONAL = Symbol('optional');

type Schema = Readonly<Record<string | symbol, unknown>>;
type Properties = Readonly<Record<string, Schema>>;

const typed =
  (type: string) =>
  (options: Schema = {}): Schema => ({ type, ...options });

function object(properties: Properties, options: Schema = {}): Schema {
  const required = Object.keys(properties).filter((name) => !properties[name]?.[OPTIONAL]);
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
}

function optional(schema: Schema): Schema {
  return { ...schema, [OPTIONAL]: true };
}

function partial({ properties }: Schema): Schema {
  const all = Object.entries(properties as Properties);
  return object(Object.fromEntries(all.map(([name, schema]) => [name, optional(schema)])));
}

export const Type = {
  String: typed('string'),
  Integer: typed('integer'),
  Number: typed('number'),
  Boolean: typed('boolean'),
  Unknown: (): Schema => ({}),
  Literal: (value: unknown): Schema => ({ type: typeof value, const: value }),
  Unsafe: (schema: Schema): Schema => schema,
  Array: (items: Schema, options: Schema = {}): Schema => ({ type: 'array', items, ...options }),
  Tuple: (items: readonly Schema[]): Schema => ({
    type: 'array',
    additionalItems: false,
    items,
    minItems: items.length,
  }),
  Record: (_: Schema, values: Schema): Schema => ({ type: 'object', patternProperties: { '^.*$': values } }),
  Object: object,
  Optional: optional,
  Partial: partial,
} as unknown as Pick<
  typeof TypeBox,
  | ('String' | 'Integer' | 'Number' | 'Boolean' | 'Unknown' | 'Literal' | 'Unsafe')
  | ('Array' | 'Tuple' | 'Record' | 'Object' | 'Optional' | 'Partial')
>;
