/**
 * Finds what a request of the published API sends and its operation does not know: misspelt fields and parameters, and those that this server
 * does not implement (decision 0266). Everybody ignores them. A sandbox says so, or refuses the request.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../base/errors.js';
import { didYouMean } from '../base/nearest.js';
import { fullName, type Operation } from './operation.js';
import { listQuery } from './pagination.js';

/** The names of what was ignored: `body.ammount_money, query.foo`. */
export const IGNORED_HEADER = 'tillhouse-ignored';

/** What a server does about it. Production neither looks for it nor refuses it. */
export type IgnoredFields = 'note' | 'refuse';

export interface IgnoredField {
  readonly part: 'body' | 'query';
  /** Such as `amount_money.ammount`; an element of a list has the name of the list. */
  readonly path: string;
  /** The name without its place, and those that are known at the place. */
  readonly name: string;
  readonly known: readonly string[];
}

/** More of them in one request are not worth a longer header. */
const MAX_FIELDS = 10;
const MAX_NAME_LENGTH = 64;

/** The parts of JSON Schema that decide what is known. */
interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** Wraps a handler of the published API. Our own surfaces have no other clients than our own. */
export function withIgnoredFields(operation: Operation, mode: IgnoredFields | undefined, handler: Handler): Handler {
  if (mode === undefined || !['v1', 'v2', 'oauth2'].includes(operation.surface)) return handler;
  const find = createFinder(operation);
  return (request, reply) => {
    const found = find(request);
    if (found.length === 0) return handler(request, reply);
    reply.header(IGNORED_HEADER, found.map(print).join(', '));
    if (mode === 'refuse') throw refusalOf(operation, found);
    return handler(request, reply);
  };
}

const NONE: readonly IgnoredField[] = [];

function createFinder(
  operation: Operation,
): (request: Pick<FastifyRequest, 'query' | 'body'>) => readonly IgnoredField[] {
  const query = (operation.page ? listQuery(operation, operation.page) : operation.query) as Node | undefined;
  const [body, record] = [operation.body, operation.takesRecord && operation.response] as [Node?, Node?];
  const parameters = query?.properties ?? {};
  return (request) => {
    let found: IgnoredField[] | undefined;
    const note = (part: IgnoredField['part'], path: string, name: string, known: object): void => {
      found ??= [];
      if (found.length === MAX_FIELDS || found.some((each) => each.part === part && each.path === path)) return;
      found.push({ part, path, name, known: Object.keys(known) });
    };
    for (const name in request.query as object)
      if (!Object.hasOwn(parameters, name)) note('query', name, name, parameters);
    // A body that an operation does not read at all is ignored as a whole.
    walk(request.body, body ?? { properties: {} }, record, '', (path, name, known) => note('body', path, name, known));
    return found ?? NONE;
  };
}

type Note = (path: string, name: string, known: object) => void;

/** `record` is the schema of the same place in the response, if clients send back what they have read. */
function walk(value: unknown, node: Node, record: Node | undefined, path: string, note: Note): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    const { items } = node;
    if (items) for (const each of value) walk(each, items, record?.items, path, note);
    return;
  }
  const { properties } = node;
  if (!properties) return;
  for (const name of Object.keys(value)) {
    const sent = (value as Record<string, unknown>)[name];
    // Clients print members that are not set as null.
    if (sent === null) continue;
    const place = path === '' ? name : `${path}.${name}`;
    const child = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (child) walk(sent, child, record?.properties?.[name], place, note);
    else if (!Object.hasOwn(record?.properties ?? {}, name)) note(place, name, properties);
  }
}

function print({ part, path }: IgnoredField): string {
  const shown = path.slice(0, MAX_NAME_LENGTH).toWellFormed();
  // A header has letters of ASCII only, and a comma separates names.
  return `${part}.${shown.replaceAll(/[^\x21-\x7e]|[,%]/g, encodeURIComponent)}`;
}

function refusalOf(operation: Operation, found: readonly IgnoredField[]): Refusal {
  const [first, ...others] = found.map((each) => {
    const { part, path, name, known } = each;
    const what = part === 'body' ? 'field' : 'parameter';
    const shown = path.slice(0, MAX_NAME_LENGTH);
    const detail = `${fullName(operation)} has no ${what} ${shown}.${didYouMean(name, known)}`;
    return new Refusal(part === 'body' ? 'UNKNOWN_BODY_PARAMETER' : 'UNKNOWN_QUERY_PARAMETER', {
      field: shown.toWellFormed(),
      detail: detail.toWellFormed(),
    });
  });
  if (!first) throw new Error('nothing was ignored');
  return new Refusal(first.reason, { field: first.field ?? '', detail: first.detail ?? '', also: others });
}
