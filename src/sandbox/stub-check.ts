/** Checks what somebody wrote as a stub. A refusal names the member, such as `responses.0.status`, and what it must be. */
import { Refusal, type RefusalName } from '../base/errors.js';
import { nearestNames } from '../base/nearest.js';
import { type Expected, type Json, STUB_LIMITS, type StubDefinition } from './stub-definition.js';
import { isKnownPlace, placesIn } from './stub-template.js';

type Members = Readonly<Record<string, unknown>>;

/** Checks a value at a place; the place of the stub itself is empty. */
type Check = (value: unknown, place: string) => void;

const METHOD = /^[A-Z]{1,20}$/;
const HEADER_NAME = /^[!#$%&'*+.^`|~\w-]{1,100}$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** The server sets them itself, or the connection depends on them. */
const OWN_HEADERS = [
  'connection',
  'content-length',
  'keep-alive',
  'tillhouse-stub',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-request-id',
];
/** Responses with these statuses have no body. */
const EMPTY_STATUSES: readonly unknown[] = [204, 205, 304];

/** Returns the value itself. */
export function checkStub(value: unknown): StubDefinition {
  checkWhole(value, '');
  const { response, responses } = value as StubDefinition;
  if (response && responses) {
    throw refuse('CONFLICTING_PARAMETERS', 'responses', 'cannot be combined with response');
  }
  if (!response && !responses) throw refuse('MISSING_REQUIRED_PARAMETER', 'response', 'or responses is required');
  return value as StubDefinition;
}

const checkExpected: Check = (value, place) => {
  if (typeof value !== 'object' || value === null) return json(value, place);
  if (Array.isArray(value))
    throw refuse('INVALID_VALUE', place, 'must be a value, or an object such as {"one_of": [...]}');
  rule(value, place);
  if (Object.keys(value).length === 0) throw refuse('VALUE_EMPTY', place, 'must not be empty');
  const { present, ...others } = value as Exclude<Expected, null | boolean | number | string>;
  if (present === false && Object.keys(others).length > 0) {
    throw refuse('CONFLICTING_PARAMETERS', `${place}.present`, 'cannot be false beside other rules');
  }
};

const rule = object({
  equals: json,
  one_of: list(100, json),
  contains: text(1, STUB_LIMITS.text),
  like: text(1, STUB_LIMITS.text),
  present: yesOrNo,
});

const response = object({
  status: wholeNumber(200, 599),
  headers: mapOf(checkHeader),
  body: json,
  delay_ms: wholeNumber(0, STUB_LIMITS.delayMs),
  template: yesOrNo,
});

const checkResponse: Check = (value, place) => {
  response(value, place);
  const { status, body, headers, template } = value as NonNullable<StubDefinition['response']>;
  if (body !== undefined && EMPTY_STATUSES.includes(status)) {
    throw refuse(
      'CONFLICTING_PARAMETERS',
      `${place}.body`,
      `must be absent, because a response with ${status} has none`,
    );
  }
  if (template === false) return;
  const places = [...textsIn(headers ?? {}, `${place}.headers`), ...textsIn(body ?? null, `${place}.body`)].flatMap(
    ([where, each]) => placesIn(each).map((name) => [where, name] as const),
  );
  for (const [where, name] of places) {
    if (isKnownPlace(name)) continue;
    throw refuse(
      'INVALID_VALUE',
      where,
      `has {{${name.slice(0, 100)}}}, which is not known. Known are request.method, request.url, request.path.NAME, ` +
        'request.query.NAME, request.headers.NAME, request.body.NAME, merchant.id, now, uuid and used; with ' +
        '"template": false the text is sent as it is',
    );
  }
  if (places.length > STUB_LIMITS.places) {
    throw refuse('ARRAY_LENGTH_TOO_LONG', place, `must not have more than ${STUB_LIMITS.places} values in {{...}}`);
  }
};

const checkWhole = object(
  {
    name: text(1, 200),
    request: object(
      {
        method: checkMethod,
        path: checkPath,
        query: mapOf(checkExpected),
        headers: mapOf(checkExpected),
        body: json,
        members: mapOf(checkExpected),
      },
      ['path'],
    ),
    response: checkResponse,
    responses: list(STUB_LIMITS.responses, checkResponse, 1),
    times: wholeNumber(1, STUB_LIMITS.times),
    priority: wholeNumber(-STUB_LIMITS.priority, STUB_LIMITS.priority),
  },
  ['request'],
);

function checkMethod(value: unknown, place: string): void {
  if (typeof value !== 'string' || !METHOD.test(value)) {
    throw refuse('INVALID_VALUE', place, 'must be a method in capital letters, such as POST');
  }
}

function checkPath(value: unknown, place: string): void {
  text(1, STUB_LIMITS.text)(value, place);
  const path = String(value);
  const say = (what: string): Refusal => refuse('INVALID_VALUE', place, what);
  if (!path.startsWith('/')) throw say('must begin with a slash');
  if (/[?#]/.test(path)) throw say('must not have a query: use request.query');
  const parts = path.slice(1).split('/');
  if (parts.slice(0, -1).includes('**')) throw say('can have ** only as its last part');
  for (const part of parts) {
    if (/[{}]/.test(part) && !/^\{\w+\}$/.test(part)) throw say('can have {name} only as a whole part between slashes');
  }
  const names = parts.filter((part) => part.startsWith('{'));
  if (new Set(names).size < names.length) throw say('must not have the same {name} twice');
  if (/^\/api\/sandbox(?:\/|$)/.test(path))
    throw say('must not be one of the operator, who could not remove the stub then');
}

function checkHeader(value: unknown, place: string): void {
  text(0, STUB_LIMITS.text)(value, place);
  const name = place.slice(place.indexOf('.headers.') + '.headers.'.length);
  if (!HEADER_NAME.test(name)) throw refuse('INVALID_VALUE', place, 'is no name of a header');
  if (!HEADER_VALUE.test(String(value))) throw refuse('INVALID_VALUE', place, 'must not have control characters');
  if (OWN_HEADERS.includes(name.toLowerCase())) throw refuse('INVALID_VALUE', place, 'is set by the server itself');
}

function object(members: Readonly<Record<string, Check>>, required: readonly string[] = []): Check {
  const known = Object.keys(members);
  return (value, place) => {
    const given = membersOf(value, place);
    for (const name of required) {
      if (given[name] === undefined) throw refuse('MISSING_REQUIRED_PARAMETER', at(place, name), 'is required');
    }
    for (const [name, member] of Object.entries(given)) {
      const check = Object.hasOwn(members, name) ? members[name] : undefined;
      if (!check) throw unknownMember(place, name, known);
      if (member !== undefined) check(member, at(place, name));
    }
  };
}

function unknownMember(place: string, name: string, known: readonly string[]): Refusal {
  const [nearest] = nearestNames(name.slice(0, 100), known);
  const meant = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return new Refusal('INVALID_VALUE', {
    field: at(place, name),
    detail: `${at(place, name)} is not known.${meant} ${place || 'A stub'} can have ${known.join(', ')}.`,
  });
}

function mapOf(check: Check): Check {
  return (value, place) => {
    const given = Object.entries(membersOf(value, place));
    if (given.length > STUB_LIMITS.names) {
      throw refuse('ARRAY_LENGTH_TOO_LONG', place, `must not have more than ${STUB_LIMITS.names} members`);
    }
    for (const [name, member] of given) {
      if (name === '' || name.length > STUB_LIMITS.text)
        throw refuse('INVALID_VALUE', place, 'has a name that is empty or too long');
      check(member, at(place, name));
    }
  };
}

function list(most: number, check: Check, least = 0): Check {
  return (value, place) => {
    if (!Array.isArray(value)) throw refuse('EXPECTED_ARRAY', place, 'must be a list');
    if (value.length < least) throw refuse('VALUE_EMPTY', place, 'must not be empty');
    if (value.length > most) throw refuse('ARRAY_LENGTH_TOO_LONG', place, `must not have more than ${most} elements`);
    for (const [index, each] of value.entries()) check(each, `${place}.${index}`);
  };
}

function membersOf(value: unknown, place: string): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  throw refuse('EXPECTED_OBJECT', place, 'must be an object');
}

function text(least: number, most: number): Check {
  return (value, place) => {
    if (typeof value !== 'string') throw refuse('EXPECTED_STRING', place, 'must be a text');
    if (value.length < least) throw refuse('VALUE_EMPTY', place, 'must not be empty');
    if (value.length > most) throw refuse('VALUE_TOO_LONG', place, `must not be longer than ${most} characters`);
  };
}

function wholeNumber(least: number, most: number): Check {
  return (value, place) => {
    if (!Number.isInteger(value)) throw refuse('EXPECTED_INTEGER', place, 'must be a whole number');
    const number = value as number;
    if (number < least) throw refuse('VALUE_TOO_LOW', place, `must be at least ${least}`);
    if (number > most) throw refuse('VALUE_TOO_HIGH', place, `must be at most ${most}`);
  };
}

function yesOrNo(value: unknown, place: string): void {
  if (typeof value !== 'boolean') throw refuse('EXPECTED_BOOLEAN', place, 'must be true or false');
}

/** Any JSON, but not nested without end. */
function json(value: unknown, place: string): void {
  const isTooDeep = (each: unknown, left: number): boolean =>
    typeof each === 'object' &&
    each !== null &&
    (left === 0 || Object.values(each).some((member) => isTooDeep(member, left - 1)));
  if (!isTooDeep(value, STUB_LIMITS.depth)) return;
  throw refuse('INVALID_VALUE', place, `must not be nested more than ${STUB_LIMITS.depth} levels deep`);
}

function textsIn(value: Json, place: string): (readonly [place: string, text: string])[] {
  if (typeof value === 'string') return [[place, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => textsIn(member as Json, `${place}.${name}`));
}

function at(place: string, name: string): string {
  return place === '' ? name.slice(0, 100) : `${place}.${name.slice(0, 100)}`;
}

function refuse(reason: RefusalName, place: string, what: string): Refusal {
  const field = place || 'stub';
  return new Refusal(reason, { field, detail: `${field} ${what}.` });
}
