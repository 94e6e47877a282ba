/** What the API needs of stubs, with which the operator of a sandbox answers requests (decision 0267). */
import type { MaybePromise } from '../base/maybe-promise.js';
import type { Instant } from '../base/time.js';

/** A request as stubs see it. */
export interface StubbedRequest {
  readonly method: string;
  /** The path with the query. */
  readonly url: string;
  /** Without the query. */
  readonly path: string;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** What was parsed. Undefined: none. */
  readonly body: unknown;
  /** Undefined: the request has no credential of a merchant. */
  readonly merchant: { readonly id: string; readonly now: Instant } | undefined;
}

export interface StubAnswer {
  /** The id of the stub. */
  readonly id: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined: none. */
  readonly body: string | undefined;
  readonly delayMs: number;
}

export interface Stubs {
  /** Whether there is any stub. */
  exist(): MaybePromise<boolean>;
  /** Whether a stub could answer a request with this method and path, whatever else it has. */
  couldAnswer(request: Pick<StubbedRequest, 'method' | 'path'>): boolean;
  /** Finds the stub that answers, and counts this use of it. */
  answer(request: StubbedRequest): Promise<StubAnswer | undefined>;
  /** Tells this process and the others of the server that stubs have changed. */
  invalidate(): Promise<void>;
}

/** The id of the stub that answered. */
export const STUB_HEADER = 'tillhouse-stub';
