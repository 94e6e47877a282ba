/** Sends the requests of a fixture again, and compares the responses with the recorded ones. */
import { randomUUID } from 'node:crypto';
import { SENDER_HEADER } from '../base/senders.js';
import type { Json } from '../sandbox/stub-definition.js';
import { Bindings, isMadeUp, textsIn } from './bindings.js';
import { compareAnswers, type Difference } from './differences.js';
import { type Exchange, type Fixture, type RecordedAnswer, SERVER } from './fixture.js';
import { type Known, NotRepeatable, type ReadyRequest, toRequest } from './requests.js';

/** The server that is checked. */
export interface ReplayTarget {
  readonly url: string;
  /** For requests whose credential is no other one's. */
  readonly token: string;
  /** For `/api/sandbox`; undefined: such requests are left out. */
  readonly operatorKey: string | undefined;
  /** Records of the recording, and those of this server that stand for them. */
  readonly same: ReadonlyMap<string, string>;
  /** Whether records of an earlier replay may be there: then idempotency keys have to be new. */
  readonly isUsed: boolean;
  /** Lets the time come at which the request was recorded. */
  readonly waitFor: ((at: string) => Promise<void>) | undefined;
}

export type Result = { readonly number: number; readonly method: string; readonly path: string } & (
  | { readonly outcome: 'same' }
  | { readonly outcome: 'different'; readonly differences: readonly Difference[] }
  | { readonly outcome: 'skipped'; readonly reason: string }
);

/** A token that no server knows. */
const UNKNOWN_TOKEN = 'UNKNOWN';

export async function* replay({ exchanges }: Fixture, target: ReplayTarget): AsyncGenerator<Result> {
  const bindings = new Bindings();
  for (const [recorded, now] of target.same) bindings.bind(recorded, now);
  const lost = new Map<string, string>();
  const said = new Set<string>();
  const rejected = listRejected(exchanges);
  const newKeys = new Map<string, string>();
  for (const [index, { at, request, response }] of exchanges.entries()) {
    const line = { number: index + 1, method: request.method, path: request.path };
    const known: Known = {
      bindings,
      lost,
      tokenFor: (masked) => tokenFor(masked, request.path, { bindings, rejected, target }),
      keyFor: (recorded) => (target.isUsed ? newKeyFor(recorded, newKeys) : recorded),
    };
    for (const text of textsOf(request)) if (bindings.nowOf(text) === undefined) said.add(text);
    let ready: ReadyRequest;
    try {
      ready = toRequest(request, known);
    } catch (error) {
      if (!(error instanceof NotRepeatable)) throw error;
      noteLost(response, `request ${index + 1} was left out`, { bindings, lost, said });
      yield { ...line, outcome: 'skipped', reason: error.message };
      continue;
    }
    await target.waitFor?.(at);
    const now = await send(ready, target.url);
    const differences = compareAnswers(response, now, { bindings, said });
    noteLost(response, `request ${index + 1} was answered differently`, { bindings, lost, said });
    yield { ...line, ...(differences.length === 0 ? { outcome: 'same' } : { outcome: 'different', differences }) };
  }
}

function newKeyFor(recorded: string, keys: Map<string, string>): string {
  const known = keys.get(recorded) ?? randomUUID();
  keys.set(recorded, known);
  // A key that is refused must stay so.
  return recorded === '' || recorded.length > known.length + 9 ? recorded : known;
}

interface Credentials {
  readonly bindings: Bindings;
  readonly rejected: ReadonlySet<string>;
  readonly target: ReplayTarget;
}

function tokenFor(masked: string, path: string, { bindings, rejected, target }: Credentials): string | undefined {
  if (path.startsWith('/api/sandbox/')) return target.operatorKey;
  return bindings.nowOf(masked) ?? (rejected.has(masked) ? UNKNOWN_TOKEN : target.token);
}

/** Credentials that were never accepted. */
function listRejected(exchanges: readonly Exchange[]): ReadonlySet<string> {
  const secretOf = ({ request }: Exchange) => (request.headers['authorization'] ?? '').replace(/^bearer +/i, '');
  const accepted = new Set(exchanges.filter(({ response }) => response.status !== 401).map(secretOf));
  return new Set(exchanges.map(secretOf).filter((secret) => !accepted.has(secret)));
}

function* textsOf({ path, body }: Exchange['request']): Generator<string> {
  const [place = '', query] = path.split('?', 2);
  yield* place.split('/').filter((part) => part !== '');
  for (const [, value] of new URLSearchParams(query)) yield value;
  for (const [, text] of textsIn(body)) yield text;
}

interface Losses {
  readonly bindings: Bindings;
  readonly lost: Map<string, string>;
  readonly said: ReadonlySet<string>;
}

/** Ids that only the recorded response has: later requests cannot use them. */
function noteLost({ body }: RecordedAnswer, reason: string, { bindings, lost, said }: Losses): void {
  for (const [name, text] of textsIn(body)) {
    const isKnown = bindings.nowOf(text) !== undefined || said.has(text);
    if (!isKnown && isMadeUp(name, text) && !lost.has(text)) lost.set(text, reason);
  }
}

async function send({ method, path, headers, text }: ReadyRequest, url: string): Promise<RecordedAnswer> {
  const response = await fetch(url + path, {
    method,
    headers: { ...headers, [SENDER_HEADER]: 'command' },
    redirect: 'manual',
    ...(text !== undefined && { body: text }),
  }).catch((error: Error & { cause?: NodeJS.ErrnoException }) => {
    throw new Error(`${url} does not answer (${error.cause?.code ?? error.message}).`, { cause: error });
  });
  const content = (await response.text()).replaceAll(url, SERVER);
  const sent = Object.fromEntries(response.headers);
  const body = parse(content);
  return {
    status: response.status,
    headers: sent,
    ...(body !== undefined ? { body } : content !== '' && { text: content }),
  };
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
