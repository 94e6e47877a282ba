/** Compares responses with their schemas. */
import { Ajv, type ValidateFunction } from 'ajv';
import { expect } from 'vitest';

const ajv = new Ajv({ strict: false });
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/); // in the format of decision 10

/** The schema without additional properties. */
function closed(schema: unknown): object {
  return JSON.parse(JSON.stringify(schema), (_, value) =>
    value?.type === 'object' && value.properties ? { ...value, additionalProperties: false } : value,
  );
}

/** Compiled once for each schema, since that takes longer than the request. */
const validators = new WeakMap<object, ValidateFunction>();

/** Fails if the value does not fit the schema, or has anything that the schema does not name. */
export function expectValid(schema: object, value: unknown): void {
  const validate = validators.get(schema) ?? ajv.compile(closed(schema));
  validators.set(schema, validate);
  validate(value);
  expect(validate.errors ?? []).toEqual([]);
}
