/** What a program sent to the server, for tests that assert on it. */
import { callSandbox, type SandboxServer } from '../sandbox-client.js';
import { OPERATION_NAMES, type OperationName, type OperationSurface } from './operation-names.js';
import { checkName, checkOptions } from './options.js';

export interface SentRequest {
  /** The id in the header `x-request-id` of the response. */
  readonly id: string;
  readonly at: Date;
  readonly method: string;
  /** The path with the query. Secrets are hidden, as everywhere here. */
  readonly path: string;
  /** Such as `v2.createPayment`; undefined if nothing is at this path. */
  readonly operation: OperationName | undefined;
  /** 0 if an injected fault reset the connection. */
  readonly status: number;
  /** The id of the stub that answered; undefined if none did. */
  readonly stub: string | undefined;
  /** What the server ignored, because the operation does not have it: `body.ammount_money`, `query.foo`. */
  readonly ignored: readonly string[];
  readonly durationMs: number;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON; undefined if there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: as the operation describes it
  readonly body: any;
  /** The parsed JSON of the response; undefined if there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: as the operation describes it
  readonly response: any;
}

export interface RequestFilter {
  /** Such as `v2.createPayment`, or a surface such as `v2`. */
  readonly operation?: OperationName | OperationSurface;
  /** Such as 404, or a class such as `4xx`. */
  readonly status?: number | '2xx' | '3xx' | '4xx' | '5xx';
  /** The id of the stub that answered. */
  readonly stub?: string;
  /** Anywhere in the request or the response. */
  readonly text?: string;
}

export interface RequestControls {
  /** The requests of this merchant so far, in order: at most the latest 200 that the server still has. */
  list(filter?: RequestFilter): Promise<readonly SentRequest[]>;
  /** The latest one. Throws if there is none. */
  last(filter?: RequestFilter): Promise<SentRequest>;
}

interface WireRequest {
  readonly id: string;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly operation?: OperationName;
  readonly status: number;
  readonly stub?: string;
  readonly ignored?: readonly string[];
  readonly duration_ms: number;
  readonly request_headers: readonly { readonly name: string; readonly value: string }[];
  readonly request_body?: { readonly text: string };
  readonly response_body?: { readonly text: string };
}

const SURFACES = [...new Set(OPERATION_NAMES.map((name) => name.slice(0, name.indexOf('.'))))];

function checkFilter(filter: RequestFilter): void {
  checkOptions<RequestFilter>('The filter of requests', filter, {
    operation: true,
    status: true,
    stub: true,
    text: true,
  });
  checkName('operation', filter.operation, [...OPERATION_NAMES, ...SURFACES]);
}

export function requestControls(server: SandboxServer, merchantId: string): RequestControls {
  const find = async (filter: RequestFilter, limit: number): Promise<SentRequest[]> => {
    checkFilter(filter);
    const given = Object.entries(filter).map(([name, value]) => [name, String(value)] as [string, string]);
    const query = new URLSearchParams([
      ...given,
      ['merchant_id', merchantId],
      ['sent_by', 'program'],
      ['limit', String(limit)],
    ]);
    const { requests } = await callSandbox<{ requests: readonly { id: string }[] }>(server, 'GET', `requests?${query}`);
    return Promise.all(requests.toReversed().map(({ id }) => retrieve(server, id)));
  };
  return {
    list: (filter = {}) => find(filter, 200),
    async last(filter = {}) {
      const [latest] = await find(filter, 1);
      if (!latest) throw new Error(`The merchant has sent no such request: ${JSON.stringify(filter)}.`);
      return latest;
    },
  };
}

async function retrieve(server: SandboxServer, id: string): Promise<SentRequest> {
  const { request } = await callSandbox<{ request: WireRequest }>(server, 'GET', `requests/${id}`);
  return {
    id,
    at: new Date(request.at),
    method: request.method,
    path: request.path,
    operation: request.operation,
    status: request.status,
    stub: request.stub,
    ignored: request.ignored ?? [],
    durationMs: request.duration_ms,
    headers: Object.fromEntries(request.request_headers.map(({ name, value }) => [name.toLowerCase(), value])),
    body: parse(request.request_body?.text),
    response: parse(request.response_body?.text),
  };
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
