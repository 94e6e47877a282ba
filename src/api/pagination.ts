/** Page tokens: an opaque string with the original query and the position of the next page (decision 0006). */
import { Refusal } from '../base/errors.js';
import { FIRST_INSTANT, type Instant, instant, LAST_INSTANT, parseTime, printMilliseconds } from '../base/time.js';
import type { PageRequest, Position } from '../database/keyset.js';
import { compileBody, compileQuery, type Reader } from './input.js';
import { fullName, type Operation, type PageRule } from './operation.js';
import { EARLIEST_BEGIN } from './ranges.js';
import { validatorOf } from './validators.js';
import { about, type Schema, type Static, Type, wholeNumber } from './wire.js';

const VERSION = 2;
const MAX_TOKEN_LENGTH = 4096;
/** The PostgreSQL error class for invalid values, such as an id that is not a UUID. */
const DATA_EXCEPTION = '22';

const Token = Type.Object({
  v: Type.Literal(VERSION),
  o: Type.String(),
  p: Type.Record(Type.String()),
  q: Type.Record(Type.Unknown()),
  n: Type.Integer(),
  a: Type.Tuple([Type.Integer(), Type.String()]),
});

const tokenValidator = validatorOf(Token);

/** The query of a list and the position of this page. */
export interface ListRequest {
  /** The query as the client sent it, without defaults. */
  readonly query: Record<string, unknown>;
  /** The time of the first page's request. Default times are relative to it, so they are the same on all pages (decision 0008). */
  readonly startedAt: Instant;
  readonly page: PageRequest;
}

export interface Pager {
  read(params: Readonly<Record<string, string>>, raw: Readonly<Record<string, unknown>>, now: Instant): ListRequest;
  next(params: Readonly<Record<string, string>>, request: ListRequest, position: Position): string;
  /** Converts an error of the list into INVALID_CURSOR if a forged token caused it. */
  explain(request: ListRequest, error: unknown): unknown;
  /** The query string of the next page's URL: the token first, then all parameters in order of name (decision 0005). */
  link(token: string, request: ListRequest, resolved: Readonly<Record<string, unknown>>): string;
}

/** The full query schema of a list: its filters, the page size and the page token. */
export function listQuery(operation: Operation, page: PageRule): Schema {
  // 0 counts as absent (decision 0009).
  const limit = page.limit.over === 'refuse' ? wholeNumber(0, page.limit.max) : Type.Integer();
  return Type.Object({
    ...(operation.query && propertiesOf(operation.query)),
    limit: about(
      `The maximum number of records on a page: ${page.limit.default} by default, ${page.limit.max} at most.`,
      Type.Optional(limit),
    ),
    [page.token]: about(
      'The token of a further page, from the previous response. It contains all parameters of the first request.',
      Type.Optional(Type.String()),
    ),
  });
}

function propertiesOf(schema: Schema): Record<string, Schema> {
  return (schema as unknown as { properties?: Record<string, Schema> }).properties ?? {};
}

export function createPager(operation: Operation, page: PageRule): Pager {
  const schema = listQuery(operation, page);
  return pagerOf(fullName(operation), page, schema, compileQuery(schema));
}

/** A pager for a search, whose query and page token are in the request body. */
export function createSearchPager(operation: Pick<Operation, 'surface' | 'name'>, page: PageRule, body: Schema): Pager {
  return pagerOf(fullName(operation), page, body, compileBody(body, 'v2'));
}

function pagerOf(name: string, page: PageRule, schema: Schema, readQuery: Reader): Pager {
  const readAgain = compileBody(schema, 'v2');
  const filters = propertiesOf(schema) as Readonly<Record<string, { readonly format?: string }>>;
  const refuse = (): Refusal => new Refusal('INVALID_CURSOR', { field: page.token });

  const request = (read: unknown, startedAt: Instant, after: Position | undefined): ListRequest => {
    const { limit = 0, ...filter } = read as { readonly limit?: number };
    const size = limit === 0 ? page.limit.default : Math.min(Math.max(limit, 1), page.limit.max);
    return { query: { ...filter, ...(limit !== 0 && { limit }) }, startedAt, page: { limit: size, after } };
  };

  return {
    read(params, raw, now) {
      const token = raw[page.token];
      if (typeof token !== 'string' || token === '') return request(readQuery(raw), now, undefined);
      const content = decode(token);
      // Refuses a token of another operation, or with other path parameters.
      if (content?.o !== name || JSON.stringify(content.p) !== JSON.stringify(params)) throw refuse();
      // The token overrides all query parameters except location_id, which must be the same (decision 0006).
      if (filters['location_id'] && raw['location_id'] && raw['location_id'] !== content.q['location_id']) {
        throw refuse();
      }
      const { a, n } = content;
      const [at, id] = a;
      if (!isInRange(at) || id.includes('\0') || !id.isWellFormed()) throw refuse();
      // The time can be after now, because the clocks of two servers differ slightly.
      if (!isInRange(n) || n === LAST_INSTANT || (n < EARLIEST_BEGIN && now >= EARLIEST_BEGIN)) throw refuse();
      try {
        return request(readAgain(content.q), instant(n), { at: instant(at), id });
      } catch {
        throw refuse();
      }
    },
    explain({ page: { after } }, error) {
      if (!after) return error;
      const { code } = error as { code?: unknown };
      const isUnreadable = typeof code === 'string' && code.startsWith(DATA_EXCEPTION);
      // The range was valid when the token was created, so a token whose range is invalid now is forged.
      const isForged = error instanceof Refusal && error.reason === 'INVALID_TIME_RANGE';
      return isUnreadable || isForged ? refuse() : error;
    },
    next(params, { query, startedAt }, position) {
      const content = { v: VERSION, o: name, p: params, q: query, n: startedAt, a: [position.at, position.id] };
      return Buffer.from(JSON.stringify(content)).toString('base64url');
    },
    link(token, { query, startedAt }, resolved) {
      const shown = (name: string): string => {
        if (filters[name]?.format !== 'date-time') return String(resolved[name]);
        const time = parseTime(String(query[name] ?? resolved[name])) ?? startedAt;
        // A default end includes now. The link shows now, not the exclusive bound one millisecond later.
        return printMilliseconds(query[name] === undefined ? instant(Math.min(time, startedAt)) : time);
      };
      const names = Object.keys(resolved).sort();
      return [`${page.token}=${token}`, ...names.map((name) => `${name}=${encodeURIComponent(shown(name))}`)].join('&');
    },
  };
}

function isInRange(milliseconds: number): boolean {
  return milliseconds >= FIRST_INSTANT && milliseconds <= LAST_INSTANT;
}

function decode(token: string): Static<typeof Token> | undefined {
  if (token.length > MAX_TOKEN_LENGTH || !/^[\w-]+$/.test(token)) return undefined;
  try {
    const content: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    return tokenValidator()(content) ? content : undefined;
  } catch {
    return undefined;
  }
}
