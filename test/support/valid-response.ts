/** Compares responses with their schemas. */
import { Ajv, type ValidateFunction } from 'ajv';
import { expect } from 'vitest';

const ajv = new Ajv({ strict: false });
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/); // in the format of decision 0010

/** Compares a value with a schema that allows no additional properties. */
function compile(text: string): ValidateFunction {
  const closed = JSON.parse(text, (_, value) =>
    value?.type === 'object' && value.properties ? { ...value, additionalProperties: false } : value,
  );
  return ajv.compile(closed);
}

/** Compiled once for each schema, since that takes longer than the request. Several operations have equal schemas. */
const validators = new WeakMap<object, ValidateFunction>();
const byText = new Map<string, ValidateFunction>();

function validatorOf(schema: object): ValidateFunction {
  const known = validators.get(schema);
  if (known) return known;
  const text = JSON.stringify(schema);
  const validate = byText.get(text) ?? compile(text);
  byText.set(text, validate);
  validators.set(schema, validate);
  return validate;
}

/** Fails if the value does not fit the schema, or has anything that the schema does not name. */
export function expectValid(schema: object, value: unknown): void {
  const validate = validatorOf(schema);
  validate(value);
  expect(validate.errors ?? []).toEqual([]);
}
