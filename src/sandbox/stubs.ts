/** The stubs of a sandbox as the requests of this process use them. All servers of a database share them. */
import type { StubAnswer, StubbedRequest, Stubs } from '../api/stubs.js';
import { realNow } from '../base/clock.js';
import { realIds } from '../base/ids.js';
import { JSON_TYPE } from '../base/json.js';
import type { MaybePromise } from '../base/maybe-promise.js';
import type { Peers } from '../base/peers.js';
import { printMilliseconds } from '../base/time.js';
import type { Database } from '../database/database.js';
import { type Json, responsesOf } from './stub-definition.js';
import { compilePath, matchesContent, matchesTarget, type PathPattern } from './stub-matching.js';
import { findStubs, listStubIds, type Stub, updateStubToUsed } from './stub-queries.js';
import { fill, type TemplateValues } from './stub-template.js';

/** For so long another server may not yet know of a stub, as with credentials. */
const FRESH_MS = 1000;

interface ReadyStub extends Stub {
  readonly path: PathPattern;
}

export class StubRules implements Stubs {
  readonly #database: Database;
  readonly #peers: Peers;
  /** Those that can still answer, the first to be asked first. A stub never changes, so what is known of it stays true. */
  #stubs: readonly ReadyStub[] = [];
  #freshUntil = 0;
  #generation = 0;
  #loading: Promise<void> | undefined;

  constructor(database: Database, peers: Peers) {
    this.#database = database;
    this.#peers = peers;
    peers.on('stubs', () => this.#forget());
  }

  exist(): MaybePromise<boolean> {
    if (performance.now() < this.#freshUntil) return this.#stubs.length > 0;
    this.#loading ??= this.#load(this.#generation);
    return this.#loading.then(() => this.#stubs.length > 0);
  }

  couldAnswer(request: Pick<StubbedRequest, 'method' | 'path'>): boolean {
    return this.#stubs.some(({ definition, path }) => matchesTarget(definition.request, path, request));
  }

  async answer(request: StubbedRequest): Promise<StubAnswer | undefined> {
    const seen = { ...request, body: request.body as Json | undefined };
    for (const stub of this.#stubs) {
      const { id, merchantId, definition, path } = stub;
      if (merchantId !== null && merchantId !== request.merchant?.id) continue;
      if (!matchesTarget(definition.request, path, seen) || !matchesContent(definition.request, seen)) continue;
      // It may have been used up or removed through another server: then the next one answers.
      const used = await this.#database.statement((tx) => updateStubToUsed(tx, id));
      if (used !== undefined) return answerOf(stub, request, used);
    }
    return undefined;
  }

  async invalidate(): Promise<void> {
    this.#forget();
    await this.#peers.ask('stubs', undefined);
  }

  #forget(): void {
    this.#generation += 1;
    this.#freshUntil = 0;
    this.#loading = undefined;
  }

  /** What has changed since `generation` is loaded by the next request. */
  async #load(generation: number): Promise<void> {
    const { sql } = this.#database;
    const now = performance.now();
    try {
      const ids = await listStubIds(sql);
      const known = new Map(this.#stubs.map((stub) => [stub.id, stub]));
      const unknown = ids.filter((id) => !known.has(id));
      const found = unknown.length === 0 ? [] : await findStubs(sql, unknown);
      if (generation !== this.#generation) return;
      for (const stub of found) known.set(stub.id, { ...stub, path: compilePath(stub.definition.request.path) });
      this.#stubs = inOrder(ids.flatMap((id) => known.get(id) ?? []));
      this.#freshUntil = now + FRESH_MS;
    } finally {
      if (generation === this.#generation) this.#loading = undefined;
    }
  }
}

/** The first one is asked first. Ids sort by their time. */
export function inOrder<Any extends Pick<Stub, 'id' | 'definition'>>(stubs: readonly Any[]): readonly Any[] {
  const priorityOf = ({ definition }: Any): number => definition.priority ?? 0;
  return stubs.toSorted((one, other) => priorityOf(other) - priorityOf(one) || (one.id < other.id ? 1 : -1));
}

function answerOf({ id, definition, path }: ReadyStub, request: StubbedRequest, used: number): StubAnswer {
  const responses = responsesOf(definition);
  const response = responses[Math.min(used, responses.length) - 1] ?? {};
  const { status = 200, headers = {}, body, delay_ms: delayMs = 0, template = true } = response;
  const filled = (value: Json): Json | undefined =>
    template ? fill(value, valuesOf(request, path(request.path) ?? {}, used)) : value;
  const sent = body === undefined ? undefined : filled(body);
  const type = typeof sent === 'string' ? 'text/plain; charset=utf-8' : JSON_TYPE;
  const names = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    id,
    status,
    headers: {
      ...(sent !== undefined && { 'content-type': type }),
      ...Object.fromEntries(names.map(([name, value]) => [name, withoutBreaks(String(filled(value) ?? ''))])),
    },
    body: sent === undefined || typeof sent === 'string' ? sent : JSON.stringify(sent),
    delayMs,
  };
}

/** What a request fills into a header must not end the header. */
function withoutBreaks(value: string): string {
  return value.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, ' ');
}

function valuesOf(
  { method, url, headers, query, body, merchant }: StubbedRequest,
  path: Readonly<Record<string, string>>,
  used: number,
): TemplateValues {
  return {
    request: { method, url, path, query, headers, body: body as Json | undefined },
    merchant: { id: merchant?.id },
    now: printMilliseconds(merchant?.now ?? realNow()),
    uuid: () => realIds.newUuid(),
    used,
  };
}
