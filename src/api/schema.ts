/**
 * Builds JSON Schema with the types of TypeBox but without its code (decision 0130): the part that we use has a few lines,
 * which load much faster than the package.
 */
import type {
  TArray,
  TBoolean,
  TInteger,
  TLiteral,
  TNumber,
  TObject,
  TOptional,
  TPartial,
  TProperties,
  TRecord,
  TSchema,
  TString,
  TTuple,
  TUnknown,
  TUnsafe,
  Type as TypeBox,
} from 'typebox';

/** Marks optional properties. A symbol is invisible to code that prints or compiles the schema. */
const OPTIONAL = Symbol('optional');

/** What a field means. A symbol too: a description changes neither how a value is checked nor how it is printed. */
const DESCRIPTION = Symbol('description');

/** The schema of a field, with a sentence that the API reference shows. */
export function about<Any extends TSchema>(description: string, schema: Any): Any {
  return { ...schema, [DESCRIPTION]: description };
}

export function descriptionOf(schema: object): string | undefined {
  return (schema as { [DESCRIPTION]?: string })[DESCRIPTION];
}

/** A schema without the members that TypeBox uses for its types only. Their names begin with `~`. */
type Json<Made> = { [Name in keyof Made as Name extends `~${string}` ? never : Name]: Made[Name] };

/** The only cast from JSON to a schema type. The compiler checks all other members. */
function made<Made extends TSchema>(json: Json<Made>): Made {
  return json as Made;
}

type Options<Name extends 'String' | 'Number' | 'Array' | 'Object'> = NonNullable<
  Parameters<(typeof TypeBox)[Name]>[Name extends 'Array' | 'Object' ? 1 : 0]
>;

function object<Properties extends TProperties>(properties: Properties, options?: Options<'Object'>) {
  const required = Object.keys(properties).filter((name) => !(OPTIONAL in (properties[name] ?? {})));
  // The cast is needed because `required` is string[] here and a list of the property names in the type.
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options } as TObject<Properties>;
}

function optional<Any extends TSchema>(schema: Any) {
  const marked: TSchema = { ...schema, [OPTIONAL]: true };
  return marked as TOptional<Any>;
}

export const Type = {
  String: (options?: Options<'String'>) => made<TString>({ type: 'string', ...options }),
  Integer: (options?: Options<'Number'>) => made<TInteger>({ type: 'integer', ...options }),
  Number: (options?: Options<'Number'>) => made<TNumber>({ type: 'number', ...options }),
  Boolean: () => made<TBoolean>({ type: 'boolean' }),
  Unknown: () => made<TUnknown>({}),
  Literal: <Value extends number>(value: Value) => ({ type: 'number', const: value }) as TLiteral<Value>,
  Unsafe: <Value>(schema: TSchema) => made<TUnsafe<Value>>(schema),
  Array: <Item extends TSchema>(items: Item, options?: Options<'Array'>) =>
    made<TArray<Item>>({ type: 'array', items, ...options }),
  Tuple: <Items extends TSchema[]>(items: [...Items]) =>
    made<TTuple<Items>>({ type: 'array', additionalItems: false, items, minItems: items.length }),
  Record: <Value extends TSchema>(_: TString, values: Value) =>
    made<TRecord<'^.*$', Value>>({ type: 'object', patternProperties: { '^.*$': values } }),
  Object: object,
  Optional: optional,
  Partial: <Properties extends TProperties>({ properties }: TObject<Properties>) => {
    const all = Object.entries(properties).map(([name, schema]) => [name, optional(schema)]);
    return object(Object.fromEntries(all)) as TPartial<TObject<Properties>>;
  },
};
