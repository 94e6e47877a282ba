/** The building blocks of wire schemas: each says at once how a value is checked, printed and documented. */
import type { Static, TSchema, TUnsafe } from 'typebox';
import { Type } from './schema.js';

export { type Static, type TSchema, Type };

const TEXT_LIMIT = 255;

/** Free text with a length everyone can live with: nothing a caller sends is unbounded. */
export function text(maxLength: number = TEXT_LIMIT, options: { minLength?: number; description?: string } = {}) {
  return Type.String({ maxLength, ...options });
}

export const optional = Type.Optional;

/** One of a few words. */
export function choice<const Words extends readonly string[]>(words: Words): TUnsafe<Words[number]> {
  return Type.Unsafe<Words[number]>({ type: 'string', enum: [...words] });
}

/** A list that may also come as its single element; `clean` in api/input.ts wraps it. */
export function listOrSingle<Item extends TSchema>(items: Item, options: { maxItems: number }) {
  return Type.Array(items, { ...options, 'x-single': true });
}

/** A time as clients write it on the way in, and as we print it on the way out. */
export const Time = Type.String({ format: 'date-time', maxLength: 64 });

export const Flag = Type.Boolean();

/** A whole number of things; a page size or a count. */
export function wholeNumber(minimum: number, maximum: number) {
  return Type.Integer({ minimum, maximum });
}

/** The v1 parameter `order`; its default is ASC everywhere (decision 0007). */
export const V1Order = Type.Optional(choice(['ASC', 'DESC']));

/** A named model: OpenAPI lists it once under this name, and every use refers to it. */
export function model<Properties extends Record<string, TSchema>>(name: string, properties: Properties) {
  return Type.Object(properties, { title: name });
}

/** Empty answers, and bodies nobody reads. */
export const Nothing = Type.Object({});

/** Leaves out what is not there: clients test for a field's presence, and a null would be one. */
export function present<Fields extends Record<string, unknown>>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined | null> } {
  const kept: Record<string, unknown> = {};
  for (const name in fields) if (fields[name] !== undefined && fields[name] !== null) kept[name] = fields[name];
  return kept as never;
}
