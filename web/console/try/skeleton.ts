/** The least body that a schema allows, for operations without an example: the members that are required, for the developer to fill. */
import { type DescribedApi, resolve, type Schema } from './described.js';

export function skeletonOf(given: Schema, models: DescribedApi['models']): unknown {
  const schema = resolve(given, models);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [first] = schema.anyOf ?? [];
  if (first) return skeletonOf(first, models);
  switch (schema.type) {
    case 'array':
      return schema.items && (schema.minItems ?? 0) > 0 ? [skeletonOf(schema.items, models)] : [];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return false;
    case 'string':
      return '';
    default:
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, skeletonOf(schema.properties?.[name] ?? {}, models)]),
      );
  }
}
