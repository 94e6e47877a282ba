/** Page tokens: the whole original query and the place to go on from, in one opaque word (decision 0006). */
import { Ajv } from 'ajv';
import { Refusal } from '../base/errors.js';
import { FIRST_INSTANT, instant, LAST_INSTANT } from '../base/time.js';
import type { PageRequest, Position } from '../database/keyset.js';
import { compileBody, compileQuery, type Reader } from './input.js';
import { fullName, type Operation, type PageRule } from './operation.js';
import { type TSchema, Type, wholeNumber } from './wire.js';

const VERSION = 1;
const LONGEST_TOKEN = 4096;
/** PostgreSQL's class of codes for values that are not of the type they are compared with, such as an id that is no UUID. */
const DATA_EXCEPTION = '22';

const Token = Type.Object({
  v: Type.Literal(VERSION),
  o: Type.String(),
  p: Type.Record(Type.String(), Type.String()),
  q: Type.Record(Type.String(), Type.Unknown()),
  a: Type.Tuple([Type.Integer(), Type.String()]),
});

interface TokenContent {
  readonly o: string;
  readonly p: Record<string, string>;
  readonly q: Record<string, unknown>;
  readonly a: readonly [number, string];
}

const isToken = new Ajv({ strict: false }).compile<TokenContent>(Token);

/** What a list was asked for: its query with defaults filled in, and where this page begins. */
export interface ListRequest {
  readonly query: Record<string, unknown>;
  readonly page: PageRequest;
}

export interface Pager {
  read(params: Readonly<Record<string, string>>, raw: Readonly<Record<string, unknown>>): ListRequest;
  next(params: Readonly<Record<string, string>>, request: ListRequest, position: Position): string;
  /** What a list failed with: the token's fault where the database cannot read the place that it names. */
  explain(request: ListRequest, error: unknown): unknown;
}

/** The query schema of a list as clients see it: its own filters, the page size, and the page token. */
export function listQuery(operation: Operation, page: PageRule): TSchema {
  const filters =
    (operation.query as unknown as { properties?: Record<string, TSchema> } | undefined)?.properties ?? {};
  const limit = page.limit.over === 'refuse' ? wholeNumber(1, page.limit.max) : Type.Integer();
  return Type.Object({ ...filters, limit: Type.Optional(limit), [page.token]: Type.Optional(Type.String()) });
}

export function createPager(operation: Operation, page: PageRule): Pager {
  const schema = listQuery(operation, page);
  return pagerOf(fullName(operation), page, schema, compileQuery(schema));
}

/** The same for a search, which is asked for in a body: what it reads is that body, page token and all. */
export function createSearchPager(
  operation: Pick<Operation, 'surface' | 'name'>,
  page: PageRule,
  body: TSchema,
): Pager {
  return pagerOf(fullName(operation), page, body, compileBody(body, 'v2'));
}

function pagerOf(name: string, page: PageRule, schema: TSchema, readQuery: Reader): Pager {
  const readAgain = compileBody(schema, 'v2');
  const hasPlace = 'location_id' in ((schema as { properties?: object }).properties ?? {});
  const refuse = (): Refusal => new Refusal('INVALID_CURSOR', { field: page.token });

  const request = (query: Record<string, unknown>, after: Position | undefined): ListRequest => {
    const asked = (query['limit'] as number | undefined) ?? page.limit.default;
    return { query, page: { limit: Math.min(Math.max(asked, 1), page.limit.max), after } };
  };

  return {
    read(params, raw) {
      const token = raw[page.token];
      if (typeof token !== 'string' || token === '')
        return request(readQuery(raw) as Record<string, unknown>, undefined);
      const content = decode(token);
      // A token of another operation, or of another place of the same one, is not ours to read.
      if (content?.o !== name || JSON.stringify(content.p) !== JSON.stringify(params)) throw refuse();
      // The same where the place is a parameter: the token wins over all others, but not over this one (decision 0006).
      if (hasPlace && raw['location_id'] && raw['location_id'] !== content.q['location_id']) throw refuse();
      const [at, id] = content.a;
      if (at < FIRST_INSTANT || at > LAST_INSTANT || id.includes('\0') || !id.isWellFormed()) throw refuse();
      try {
        return request(readAgain(content.q) as Record<string, unknown>, { at: instant(at), id });
      } catch {
        throw refuse();
      }
    },
    explain({ page: { after } }, error) {
      const { code } = error as { code?: unknown };
      return after && typeof code === 'string' && code.startsWith(DATA_EXCEPTION) ? refuse() : error;
    },
    next(params, { query }, position) {
      const content = { v: VERSION, o: name, p: params, q: query, a: [position.at, position.id] };
      return Buffer.from(JSON.stringify(content)).toString('base64url');
    },
  };
}

function decode(token: string): TokenContent | undefined {
  if (token.length > LONGEST_TOKEN || !/^[\w-]+$/.test(token)) return undefined;
  try {
    const content: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    return isToken(content) ? content : undefined;
  } catch {
    return undefined;
  }
}
