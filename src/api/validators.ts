/** Validates values against the schemas of the wire. */
import { Ajv, type ValidateFunction } from 'ajv';
import { parseTime } from '../base/time.js';
import type { Schema } from './wire.js';

/**
 * It does not check the schemas themselves: test/contract/operations.test.ts does. Compiling JSON Schema's schema of schemas took a tenth
 * of the time of a start.
 */
const ajv = new Ajv({
  allErrors: false,
  coerceTypes: false,
  strict: false,
  validateFormats: true,
  meta: false,
  validateSchema: false,
});
ajv.addFormat('date-time', (text: string) => parseTime(text) !== undefined);

/** Compiles the schema on first use, so that the server starts faster, which matters most in tests. */
export function validatorOf<Value>(schema: Schema<Value>): () => ValidateFunction<Value> {
  let validate: ValidateFunction<Value> | undefined;
  return () => {
    validate ??= ajv.compile<Value>(schema);
    return validate;
  };
}
