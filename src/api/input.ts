/** Reads and validates input: removes fields that count as absent, checks the rest against the schema, and explains errors. */
import type { ErrorObject } from 'ajv';
import { Refusal, type RefusalName } from '../base/errors.js';
import { didYouMean } from '../base/nearest.js';
import { missingFields } from './missing-fields.js';
import type { ErrorShape } from './operation.js';
import { validatorOf } from './validators.js';
import type { Schema } from './wire.js';

/** The parts of JSON Schema that our declarations use. */
interface SchemaNode {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly required?: readonly string[];
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly 'x-single'?: boolean;
  readonly 'x-clearable'?: boolean;
}

export type Reader = (raw: unknown) => unknown;

function checkBy(schema: Schema): (value: unknown) => void {
  const validator = validatorOf(schema);
  return (value) => {
    const validate = validator();
    if (!validate(value)) throw explain(validate.errors?.[0], value, schema);
  };
}

export function compileBody(schema: Schema, shape: ErrorShape): Reader {
  const [node, check] = [schema as SchemaNode, checkBy(schema)];
  return (raw) => {
    const isList = node.type === 'array';
    if (typeof raw !== 'object' || raw === null || Array.isArray(raw) !== isList) {
      throw new Refusal('EXPECTED_JSON_BODY', isList ? { detail: 'The body must be a JSON array.' } : {});
    }
    const value = clean(raw, node, shape, '');
    check(value);
    return value;
  };
}

export function compileQuery(schema: Schema): Reader {
  const [node, check] = [schema as SchemaNode, checkBy(schema)];
  const names = Object.entries(node.properties ?? {});
  return (raw) => {
    const given = raw as Readonly<Record<string, string>>;
    const value: Record<string, unknown> = {};
    for (const [name, { type }] of names) {
      const text = given[name];
      if (text === undefined || text === '') continue; // decision 0012: empty counts as absent
      requireStorable(text, name);
      value[name] = fromQuery(text, type);
    }
    check(value);
    return value;
  };
}

/** A query value that cannot be converted stays text. The schema then rejects it and names the expected type. */
function fromQuery(text: string, type: string | undefined): unknown {
  if (type === 'integer') return /^-?\d+$/.test(text) ? Number(text) : text;
  if (type === 'boolean') {
    if (/^(?:true|True|1)$/.test(text)) return true;
    if (/^(?:false|False|0)$/.test(text)) return false;
  }
  return text;
}

/** Removes unknown fields, nulls, and empty text that counts as absent (decision 0012). */
function clean(given: unknown, node: SchemaNode, shape: ErrorShape, path: string): unknown {
  const value = node['x-single'] && typeof given === 'string' ? [given] : given;
  if (typeof value === 'string') return requireStorable(value, path);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const { items, maxItems = value.length } = node;
    // One too many is enough for the refusal, however many there are.
    return items ? value.slice(0, maxItems + 1).map((each) => clean(each, items, shape, path)) : value;
  }
  if (!node.properties) return value;
  const kept: Record<string, unknown> = {};
  for (const [name, child] of Object.entries(node.properties)) {
    const field = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
    if (field === undefined || field === null) continue;
    if (field === '' && isAbsent(child, shape, node.required?.includes(name) ?? false)) continue;
    kept[name] = clean(field, child, shape, path ? `${path}.${name}` : name);
  }
  return kept;
}

/** Whether empty text counts as absent in this field. */
function isAbsent(node: SchemaNode, shape: ErrorShape, isRequired: boolean): boolean {
  if (node['x-clearable']) return false;
  return shape === 'v1' || (isFreeText(node) && !isRequired);
}

/** Text without a rule for its content or minimum length. Clients send it empty if an input field was left blank. */
function isFreeText({ type, minLength, enum: words, format, pattern }: SchemaNode): boolean {
  return type === 'string' && (minLength ?? words ?? format ?? pattern) === undefined;
}

/** PostgreSQL cannot store NUL or lone surrogates. The text is rejected rather than altered. */
function requireStorable(text: string, field: string): string {
  if (text.includes('\0') || !text.isWellFormed()) {
    throw new Refusal('INVALID_VALUE', { field, detail: `${field} contains a character that is not allowed.` });
  }
  return text;
}

const EXPECTED: Readonly<Record<string, RefusalName>> = {
  string: 'EXPECTED_STRING',
  integer: 'EXPECTED_INTEGER',
  boolean: 'EXPECTED_BOOLEAN',
  object: 'EXPECTED_OBJECT',
  array: 'EXPECTED_ARRAY',
};

const FORMATS: Readonly<Record<string, RefusalName>> = { 'date-time': 'INVALID_TIME' };

/** Names this field first, then all others that are missing too. */
function refuseMissing(field: string, schema: Schema, value: unknown): Refusal {
  const others = missingFields(schema, value).filter((name) => name !== field);
  const [refusal, ...also] = [field, ...others].map((name) => ({ field: name, detail: `${name} is required.` }));
  return new Refusal('MISSING_REQUIRED_PARAMETER', {
    ...refusal,
    also: also.map((each) => new Refusal('MISSING_REQUIRED_PARAMETER', each)),
  });
}

/** Converts the first validation error into a refusal that names the field and the rule. */
function explain(error: ErrorObject | undefined, value: unknown, schema: Schema): Refusal {
  if (!error) return new Refusal('BAD_REQUEST');
  const place = error.instancePath.split('/').slice(1);
  const path = place.filter((part) => !/^\d+$/.test(part)); // an element of a list has the name of the list
  const params = error.params as Record<string, unknown>;
  const field = [...path, ...(error.keyword === 'required' ? [String(params['missingProperty'])] : [])].join('.');
  const refuse = (reason: RefusalName, rule?: string, hint = ''): Refusal =>
    new Refusal(reason, { ...(field && { field }), ...(rule && { detail: `${field || 'The body'} ${rule}.${hint}` }) });
  switch (error.keyword) {
    case 'required':
      return refuseMissing(field, schema, value);
    case 'type':
      return refuse(EXPECTED[String(params['type'])] ?? 'INVALID_VALUE', `must be of type ${params['type']}`);
    case 'enum': {
      const words = params['allowedValues'] as readonly string[];
      const refusal = field === 'sort_order' ? 'INVALID_SORT_ORDER' : 'INVALID_ENUM_VALUE';
      return refuse(refusal, `must be one of ${words.join(', ')}`, hintFor(valueAt(value, place), words));
    }
    case 'format':
      return refuse(
        FORMATS[String(params['format'])] ?? 'INVALID_VALUE',
        'must be a time such as 2020-02-26T10:00:00Z',
      );
    case 'maxLength':
      return refuse('VALUE_TOO_LONG', `must not be longer than ${params['limit']} characters`);
    case 'minLength':
      return lengthAt(value, place) === 0
        ? refuse('VALUE_EMPTY', 'must not be empty')
        : refuse('VALUE_TOO_SHORT', `must have at least ${params['limit']} characters`);
    case 'minimum':
    case 'exclusiveMinimum':
      return refuse('VALUE_TOO_LOW', `must be ${params['comparison']} ${params['limit']}`);
    case 'maximum':
    case 'exclusiveMaximum':
      return refuse('VALUE_TOO_HIGH', `must be ${params['comparison']} ${params['limit']}`);
    case 'maxItems':
      return refuse('ARRAY_LENGTH_TOO_LONG', `must not have more than ${params['limit']} elements`);
    case 'minItems':
      return refuse('ARRAY_LENGTH_TOO_SHORT', `must have at least ${params['limit']} elements`);
    case 'pattern':
      return refuse('VALUE_REGEX_MISMATCH', `must match ${params['pattern']}`);
    default:
      return refuse('INVALID_VALUE');
  }
}

function lengthAt(value: unknown, path: readonly string[]): number | undefined {
  const found = valueAt(value, path);
  return typeof found === 'string' ? found.length : undefined;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], value);
}

/** Longer text is no misspelt word, and would take long to compare. */
const MAX_WORD_LENGTH = 64;
/** In a shorter list everybody finds the right word. */
const FEWEST_WORDS = 4;

function hintFor(given: unknown, words: readonly string[]): string {
  const isMisspelt = typeof given === 'string' && given.length <= MAX_WORD_LENGTH && words.length >= FEWEST_WORDS;
  return isMisspelt ? didYouMean(given, words) : '';
}

/**
 * Parses a query string. Unlike Fastify's parser it skips empty segments, and the last of repeated names wins. Text that is
 * not UTF-8 stays encoded and gets a NUL in front, so that it is rejected where the operation reads that name.
 */
export function splitQuery(text: string): Record<string, string> {
  const values: Record<string, string> = Object.create(null);
  for (const segment of text.split('&')) {
    if (segment === '') continue;
    const equals = segment.indexOf('=');
    const name = decode(equals < 0 ? segment : segment.slice(0, equals));
    values[name] = equals < 0 ? '' : decode(segment.slice(equals + 1));
  }
  return values;
}

function decode(part: string): string {
  const text = part.replaceAll('+', ' ');
  try {
    return decodeURIComponent(text);
  } catch {
    return `\0${text}`;
  }
}
