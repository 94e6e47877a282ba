/** The names of the fields of schemas and of JSON, with those of the objects inside: `card_details.card.bin`. */
import type { Schema } from '../../src/base/schema.js';

export function namesInSchema(schema: Schema, prefix = ''): string[] {
  const { properties = {}, items } = schema as { properties?: Record<string, Schema>; items?: Schema };
  const own = Object.entries(properties).flatMap(([name, child]) => {
    const full = `${prefix}${name}`;
    return [full, ...namesInSchema(child, `${full}.`)];
  });
  return items ? [...own, ...namesInSchema(items, prefix)] : own;
}

export function namesInJson(value: unknown, prefix = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => namesInJson(each, prefix));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, child]) => {
    const full = `${prefix}${name}`;
    return [full, ...namesInJson(child, `${full}.`)];
  });
}
