/**
 * Makes JSON Schema with the types of TypeBox and without its code (decision 0130): what we use of that is a few lines, and they
 * load in no time.
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

/** Marks what may be left out; a symbol, so that nobody who prints or compiles a schema sees it. */
const OPTIONAL = Symbol('optional');

/** A schema as JSON has it: without the names that TypeBox keeps for its types, which begin with `~`. */
type Json<Made> = { [Name in keyof Made as Name extends `~${string}` ? never : Name]: Made[Name] };

/** Only here a schema gets the type that says what it checks; the compiler has seen that the rest of it is there. */
function made<Made extends TSchema>(json: Json<Made>): Made {
  return json as Made;
}

type Options<Name extends 'String' | 'Number' | 'Array' | 'Object'> = NonNullable<
  Parameters<(typeof TypeBox)[Name]>[Name extends 'Array' | 'Object' ? 1 : 0]
>;

function object<Properties extends TProperties>(properties: Properties, options?: Options<'Object'>) {
  const required = Object.keys(properties).filter((name) => !(OPTIONAL in (properties[name] ?? {})));
  // What is required is a list of names here, and of these very names in the type.
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
