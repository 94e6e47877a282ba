/** Builds JSON Schema. A schema is plain JSON, and its type contains the type of the values that it accepts (decision 0130). */

/** Members whose names begin with `~` exist only for the compiler. */
export interface Schema<Value = unknown> {
  readonly '~value': Value;
}

/** The type of the values that a schema accepts. */
export type Static<Any extends Schema> = Any['~value'];

interface Optional {
  readonly '~optional': true;
}

type Properties = Readonly<Record<string, Schema>>;

/** Keeps its properties, which other objects can repeat. */
export interface ObjectSchema<Fields extends Properties> extends Schema<ObjectOf<Fields>> {
  readonly properties: Fields;
}

type ObjectOf<Fields extends Properties> = keyof Fields extends never
  ? object
  : Flat<
      { [Name in keyof Fields as Fields[Name] extends Optional ? never : Name]: Static<Fields[Name]> } & {
        [Name in keyof Fields as Fields[Name] extends Optional ? Name : never]?: Static<Fields[Name]>;
      }
    >;

/** One object type instead of an intersection, which errors would show as such. */
type Flat<Parts> = { [Name in keyof Parts]: Parts[Name] };

/** Marks optional properties. A symbol is invisible to code that prints or compiles the schema. */
const OPTIONAL = Symbol('optional');

/** What a field means. A symbol too: a description changes neither how a value is checked nor how it is printed. */
const DESCRIPTION = Symbol('description');

/** The schema of a field, with a sentence that the API reference shows. */
export function about<Any extends Schema>(description: string, schema: Any): Any {
  return { ...schema, [DESCRIPTION]: description };
}

export function descriptionOf(schema: object): string | undefined {
  return (schema as { [DESCRIPTION]?: string })[DESCRIPTION];
}

/** The JSON of a schema with its descriptions, for readers. */
export function withDescriptions(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withDescriptions);
  if (typeof schema !== 'object' || schema === null) return schema;
  const description = descriptionOf(schema);
  const members = Object.entries(schema).map(([name, member]) => [name, withDescriptions(member)]);
  return { ...(description !== undefined && { description }), ...Object.fromEntries(members) };
}

interface TextOptions {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: 'date-time';
  readonly examples?: readonly string[];
}

interface NumberOptions {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly number[];
}

interface ArrayOptions {
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly 'x-single'?: true;
  readonly 'x-clearable'?: true;
}

/** The only cast from JSON to a schema. */
function made<Made extends Schema>(json: object): Made {
  return json as Made;
}

function object<Fields extends Properties>(properties: Fields, options?: { readonly title: string }) {
  const required = Object.keys(properties).filter((name) => !(OPTIONAL in (properties[name] ?? {})));
  return made<ObjectSchema<Fields>>({
    type: 'object',
    ...(required.length > 0 && { required }),
    properties,
    ...options,
  });
}

function optional<Any extends Schema>(schema: Any) {
  return made<Any & Optional>({ ...schema, [OPTIONAL]: true });
}

export const Type = {
  String: (options?: TextOptions) => made<Schema<string>>({ type: 'string', ...options }),
  Integer: (options?: NumberOptions) => made<Schema<number>>({ type: 'integer', ...options }),
  Number: (options?: NumberOptions) => made<Schema<number>>({ type: 'number', ...options }),
  Boolean: () => made<Schema<boolean>>({ type: 'boolean' }),
  Unknown: () => made<Schema>({}),
  Literal: <const Value extends number | string>(value: Value) =>
    made<Schema<Value>>({ type: typeof value, const: value }),
  Unsafe: <Value>(json: object) => made<Schema<Value>>(json),
  Array: <Item extends Schema>(items: Item, options?: ArrayOptions) =>
    made<Schema<Static<Item>[]>>({ type: 'array', items, ...options }),
  Tuple: <Items extends Schema[]>(items: [...Items]) =>
    made<Schema<{ [Place in keyof Items]: Static<Items[Place]> }>>({
      type: 'array',
      additionalItems: false,
      items,
      minItems: items.length,
    }),
  OneOf: <Alternatives extends Schema[]>(...alternatives: Alternatives) =>
    made<Schema<Static<Alternatives[number]>> & { readonly oneOf: Alternatives }>({ oneOf: alternatives }),
  Record: <Value extends Schema>(values: Value) =>
    made<Schema<Record<string, Static<Value>>>>({ type: 'object', patternProperties: { '^.*$': values } }),
  Object: object,
  Optional: optional,
  Partial: <Fields extends Properties>({ properties }: ObjectSchema<Fields>) => {
    const all = Object.entries(properties).map(([name, schema]) => [name, optional(schema)]);
    return object<{ [Name in keyof Fields]: Fields[Name] & Optional }>(Object.fromEntries(all));
  },
};

/** An enumeration of strings. */
export function choice<const Words extends readonly string[]>(words: Words): Schema<Words[number]> {
  return Type.Unsafe<Words[number]>({ type: 'string', enum: [...words] });
}
