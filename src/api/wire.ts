/** Building blocks of wire schemas. Each defines how a value is validated, printed and documented. */
import { about, choice, type Schema, type Static, Type } from '../base/schema.js';

export { about, choice, type Schema, type Static, Type };

const TEXT_LIMIT = 255;

/** Free text. Every text that a caller sends has a maximum length. */
export function text(maxLength: number = TEXT_LIMIT, options: { minLength?: number } = {}) {
  return Type.String({ maxLength, ...options });
}

export const optional = Type.Optional;

/** A list that a client may also send as a single element. `clean` in api/input.ts wraps it. */
export function listOrSingle<Item extends Schema>(items: Item, options: { maxItems: number }) {
  return Type.Array(items, { ...options, 'x-single': true });
}

/** A text that a v1 client removes by sending `""`, which elsewhere counts as absent. `clean` in api/input.ts keeps it. */
export function clearable<Text extends Schema>(text: Text) {
  return { ...text, 'x-clearable': true };
}

/** A timestamp. Input accepts every format of `parseTime`; output has one format. */
export const Time = Type.String({ format: 'date-time', maxLength: 64 });

/** A day of the calendar. The pattern does not know how many days a month has: see `parseDayRange`. */
export const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', examples: ['2020-02-26'] });

export const Bool = Type.Boolean();

export function wholeNumber(minimum: number, maximum: number) {
  return Type.Integer({ minimum, maximum });
}

/** The v1 parameter `order`; its default is ASC everywhere (decision 0007). */
export const V1SortOrder = Type.Optional(choice(['ASC', 'DESC']));

/** A named model. OpenAPI lists it once under this name and refers to it elsewhere. */
export function model<Properties extends Record<string, Schema>>(name: string, properties: Properties) {
  return Type.Object(properties, { title: name });
}

/** The version of a record that an editor saw. It is opaque; if the record has another one, the edit is refused (decision 0148). */
export const Version = about(
  'The version that the editor saw. If there is another one by now, the edit is refused.',
  text(64, { minLength: 1 }),
);

/** For empty responses, and for request bodies that are ignored. */
export const Nothing = Type.Object({});

/** Removes undefined and null fields: clients test whether a field is present. */
export function present<Fields extends Record<string, unknown>>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined | null> } {
  const kept: Record<string, unknown> = {};
  for (const name in fields) if (fields[name] !== undefined && fields[name] !== null) kept[name] = fields[name];
  return kept as never;
}
