/** Lets tests answer requests by stubs, for one merchant or for all: the same JSON as in files (docs/stubs.md). */
import { callSandbox, type SandboxServer } from '../sandbox-client.js';

/** What a value must be. All that is given must hold. */
export interface ValueRule {
  readonly equals?: unknown;
  readonly one_of?: readonly unknown[];
  readonly contains?: string;
  /** `*` stands for any characters. */
  readonly like?: string;
  /** Whether there is a value. */
  readonly present?: boolean;
}

/** A plain value must be equal. */
export type Expected = string | number | boolean | null | ValueRule;

export interface StubRequest {
  /** Default: any. */
  readonly method?: string;
  /** `{name}` stands for a part of the path, `*` for any characters in a part, and `**` at the end for the rest. */
  readonly path: string;
  readonly query?: Readonly<Record<string, Expected>>;
  readonly headers?: Readonly<Record<string, Expected>>;
  /** What the body must contain: objects may have more members. */
  readonly body?: unknown;
  /** Values in the body by their places, such as `amount_money.amount`. */
  readonly members?: Readonly<Record<string, Expected>>;
}

export interface StubResponse {
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent as it is, everything else as JSON. `{{request.body.note}}` is filled in. */
  readonly body?: unknown;
  /** Up to 60000 milliseconds. */
  readonly delay_ms?: number;
  /** False: `{{` has no meaning. */
  readonly template?: boolean;
}

interface Described {
  /** For people. */
  readonly name?: string;
  readonly request: StubRequest;
  /** How many requests it answers; default: all. */
  readonly times?: number;
  /** The highest is asked first; default: 0. Among equal ones, the newest is first. */
  readonly priority?: number;
}

export type NewStub = Described &
  (
    | { readonly response: StubResponse }
    /** One after the other. The last one is repeated. */
    | { readonly responses: readonly StubResponse[] }
  );

export type Stub = NewStub & {
  readonly id: string;
  readonly merchant_id?: string;
  /** The file that it is from, if the server started with a folder of stubs. */
  readonly source?: string;
  /** How many requests it has answered. */
  readonly used: number;
};

export interface StubControls {
  add(stub: NewStub): Promise<Stub>;
  /** In the order in which they are asked, with how often each has answered. */
  list(): Promise<Stub[]>;
  remove(stub: string | { readonly id: string }): Promise<void>;
  /** Removes all. Those of files stay. */
  reset(): Promise<void>;
}

/** For one merchant. Without `merchantId`, new stubs are for all merchants, and all stubs are listed and removed. */
export function stubControls(server: SandboxServer, merchantId?: string): StubControls {
  const path = merchantId === undefined ? 'stubs' : `stubs?merchant_id=${merchantId}`;
  return {
    async add(stub) {
      const body = { stub: { ...stub, ...(merchantId !== undefined && { merchant_id: merchantId }) } };
      return (await callSandbox<{ stub: Stub }>(server, 'POST', 'stubs', body)).stub;
    },
    async list() {
      return (await callSandbox<{ stubs: Stub[] }>(server, 'GET', path)).stubs;
    },
    async remove(stub) {
      await callSandbox(server, 'DELETE', `stubs/${encodeURIComponent(typeof stub === 'string' ? stub : stub.id)}`);
    },
    async reset() {
      await callSandbox(server, 'DELETE', path);
    },
  };
}
