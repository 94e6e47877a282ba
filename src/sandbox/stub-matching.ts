/**
 * Whether a stub answers a request. Texts are compared with patterns that have only `*`, so that no pattern takes long: there are no
 * regular expressions of callers.
 */
import type { Expected, Json, JsonObject, StubRequest, ValueRule } from './stub-definition.js';
import { valueAt } from './stub-template.js';

export interface SeenRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON or form. Undefined: none. */
  readonly body: Json | undefined;
}

/** The named parts of the path if it has the form; otherwise undefined. */
export type PathPattern = (path: string) => Readonly<Record<string, string>> | undefined;

export function compilePath(pattern: string): PathPattern {
  const parts = pattern.split('/');
  const isOpen = parts.at(-1) === '**';
  const fixed = isOpen ? parts.slice(0, -1) : parts;
  return (path) => {
    const given = path.split('/');
    if (isOpen ? given.length < fixed.length : given.length !== fixed.length) return undefined;
    const named: [string, string][] = [];
    for (const [index, part] of fixed.entries()) {
      const value = decode(given[index] ?? '');
      const [, name] = /^\{(\w+)\}$/.exec(part) ?? [];
      if (name !== undefined && value !== '') named.push([name, value]);
      else if (name !== undefined || !isLike(value, part) || (part === '*' && value === '')) return undefined;
    }
    return Object.fromEntries(named);
  };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Whether the text has the pieces between the stars in their order. Never goes back, so it takes one pass. */
export function isLike(text: string, pattern: string): boolean {
  const pieces = pattern.split('*');
  const first = pieces.shift() ?? '';
  const last = pieces.pop();
  if (last === undefined) return text === first;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let from = first.length;
  const end = text.length - last.length;
  for (const piece of pieces) {
    const at = text.indexOf(piece, from);
    if (at < 0 || at + piece.length > end) return false;
    from = at + piece.length;
  }
  return true;
}

/** Whether method and path can be those of the stub: all that is known before the body is read. */
export function matchesTarget(
  { method }: StubRequest,
  path: PathPattern,
  request: Pick<SeenRequest, 'method' | 'path'>,
): boolean {
  // A response to HEAD is that to GET without its body.
  const seen = request.method === 'HEAD' && method !== 'HEAD' ? 'GET' : request.method;
  return (method === undefined || method === seen) && path(request.path) !== undefined;
}

/** Whether everything besides method and path is as the stub says. */
export function matchesContent({ query, headers, body, members }: StubRequest, request: SeenRequest): boolean {
  return (
    allOf(query, (name) => ownOf(request.query, name)) &&
    allOf(headers, (name) => ownOf(request.headers, name.toLowerCase())) &&
    (body === undefined || (request.body !== undefined && contains(request.body, body))) &&
    allOf(members, (place) => valueAt(request.body, place), isSame)
  );
}

function ownOf(values: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

function allOf(
  expected: Readonly<Record<string, Expected>> | undefined,
  find: (name: string) => Json | undefined,
  isEqual: (value: Json, wanted: Json) => boolean = isSameText,
): boolean {
  return Object.entries(expected ?? {}).every(([name, each]) => fits(find(name), each, isEqual));
}

function fits(value: Json | undefined, expected: Expected, isEqual: (value: Json, wanted: Json) => boolean): boolean {
  if (!isRule(expected)) return value !== undefined && isEqual(value, expected);
  const { equals, one_of, contains: part, like, present } = expected;
  if (present !== undefined && present !== (value !== undefined)) return false;
  if (value === undefined) return present === false && Object.keys(expected).length === 1;
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return (
    (equals === undefined || isEqual(value, equals)) &&
    (one_of === undefined || one_of.some((each) => isEqual(value, each))) &&
    (part === undefined || text.includes(part)) &&
    (like === undefined || isLike(text, like))
  );
}

function isRule(expected: Expected): expected is ValueRule {
  return typeof expected === 'object' && expected !== null;
}

/** Queries and headers are texts: the number 5 is the text 5. */
function isSameText(value: Json, wanted: Json): boolean {
  return value === String(wanted);
}

/** Equal JSON; the order of members does not matter. */
function isSame(value: Json, wanted: Json): boolean {
  return isAlike(value, wanted, (more, fewer) => Object.keys(more).length === Object.keys(fewer).length);
}

/** Objects have at least the wanted members. Lists have as many elements, each of which contains the wanted one. */
function contains(value: Json, wanted: Json): boolean {
  return isAlike(value, wanted, () => true);
}

function isAlike(value: Json, wanted: Json, isWhole: (value: JsonObject, wanted: JsonObject) => boolean): boolean {
  if (typeof wanted !== 'object' || wanted === null) return value === wanted;
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== Array.isArray(wanted)) return false;
  const [given, needed] = [value as JsonObject, wanted as JsonObject];
  if (Array.isArray(wanted) && (value as readonly Json[]).length !== wanted.length) return false;
  return (
    isWhole(given, needed) &&
    Object.entries(needed).every(
      ([name, each]) => Object.hasOwn(given, name) && isAlike(given[name] as Json, each, isWhole),
    )
  );
}
