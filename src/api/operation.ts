/** What an operation is: one plain value from which routes, checks, documentation and contract tests are computed. */
import type { Mode, Reach } from '../base/config.js';
import type { Ids } from '../base/ids.js';
import type { KeyedHash } from '../base/secrets.js';
import type { Instant } from '../base/time.js';
import type { Database } from '../database/database.js';
import type { Page, PageRequest } from '../database/keyset.js';
import type { Application } from '../identity/application-queries.js';
import type { Account, Attendant, Caller, CallerMerchant, Device, Storefront } from '../identity/caller.js';
import type { Permission, RegisterPermission } from '../identity/permissions.js';
import type { SecurityLog } from '../identity/security-log.js';
import type { Processor } from '../processor/contract.js';
import type { Cookies } from './cookies.js';
import type { Limits } from './limits.js';
import type { Printed } from './printed.js';
import type { Visitor } from './visitor.js';
import type { Static, TSchema } from './wire.js';

/** The doors of the house. v1, v2 and oauth2 are the published interface; the others are our own. */
export type Surface = 'v1' | 'v2' | 'oauth2' | 'dashboard' | 'register' | 'checkout' | 'sandbox';

/** Which shape errors take under a path (decision 0002). */
export type ErrorShape = 'v1' | 'v2';

export interface ServerContext {
  readonly database: Database;
  readonly processor: Processor;
  /** Of what is made. */
  readonly ids: Ids;
  readonly mode: Mode;
  /** Where messages to applications may go. */
  readonly reach: Reach;
  /** A hash that only this server's secret can repeat: for what is too short to be hashed openly. */
  readonly keyedHash: KeyedHash;
  readonly cookies: Cookies;
  readonly limits: Limits;
  /** For refusals that are worth remembering; changes are recorded in their own transaction. */
  readonly securityLog: SecurityLog;
  /** Forgets what is remembered of a merchant, or of all, so that this server sees a change at once. */
  readonly forget: (merchantId?: string) => void;
  /** Forgets only who is signed in at the registers of a merchant, and what they may do. */
  readonly forgetAttendants: (merchantId: string) => void;
  /** What the server offers, each by its surface and name. */
  readonly operationNames: ReadonlySet<string>;
}

/** What every operation on a merchant's business is given: whose it is, who asks, and what time it is there. */
export interface MerchantContext extends ServerContext {
  readonly merchant: CallerMerchant;
  readonly now: Instant;
}

/** Where somebody asks who has to be told apart from others by more than a credential. */
export interface VisitedContext extends ServerContext {
  readonly visitor: Visitor;
}

export interface ApplicationContext extends MerchantContext, VisitedContext {
  readonly caller: Caller;
}

/** An application speaking for itself, by its secret. */
export interface ClientContext extends VisitedContext {
  readonly application: Application;
}

export interface OwnerContext extends MerchantContext, VisitedContext {
  readonly account: Account;
  /** The session's own secret, needed to end it. */
  readonly session: string;
}

export interface DeviceContext extends MerchantContext, VisitedContext {
  readonly device: Device;
}

/** A device with somebody signed in at it. */
export interface AttendantContext extends DeviceContext {
  readonly attendant: Attendant;
  readonly session: string;
}

/** Somebody at an online store: nobody known, at a place that is. */
export interface CheckoutContext extends MerchantContext {
  readonly storefront: Storefront;
  /** Counts what the visitor asks to have written, and refuses what is too much. */
  readonly countWrite: () => void;
  /** Counts a payment that may be declined, and refuses where too many were; what was not declined is taken back. */
  readonly countDecline: () => { readonly takeBack: () => void };
}

interface ContextBySurface {
  v1: ApplicationContext;
  v2: ApplicationContext;
  oauth2: ClientContext;
  dashboard: OwnerContext;
  register: AttendantContext;
  checkout: CheckoutContext;
  sandbox: ServerContext;
}

/** A permission; one of several; or more than the first when the body asks for more. */
export type PermissionRule =
  | Permission
  | { readonly anyOf: readonly Permission[] }
  | { readonly always: Permission; readonly alsoFor: (body: unknown) => Permission | undefined };

interface PermissionBySurface {
  v1: PermissionRule;
  v2: PermissionRule;
  /** An application's secret; an access token, whatever it may do; or what is in the body. */
  oauth2: 'CLIENT' | 'TOKEN' | 'ANYONE';
  /** The owner's session, or nothing yet: signing in is open to anyone. */
  dashboard: 'OWNER' | 'ANYONE';
  /** A paired device; with an employee signed in; or with one whose role has the permission. */
  register: 'DEVICE' | 'EMPLOYEE' | RegisterPermission;
  /** A publishable key, which is no secret. */
  checkout: 'SHOPPER';
  sandbox: 'OPERATOR';
}

/** Where anyone may come, nobody is known; where a device may, nobody needs to be signed in at it; a token is a caller's. */
type ContextOf<S extends Surface, P> = P extends 'ANYONE'
  ? VisitedContext
  : P extends 'DEVICE'
    ? DeviceContext
    : P extends 'TOKEN'
      ? ApplicationContext
      : ContextBySurface[S];

/** The names in braces of a path. */
type PathNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never;

export interface PageRule {
  /** How the next page is asked for; v1 says it in the `Link` header, v2 in the body. */
  readonly token: 'batch_token' | 'cursor';
  readonly limit: { readonly default: number; readonly max: number; readonly over: 'refuse' | 'cap' };
  /** The v2 body's names for the list: clients of different years read different ones. */
  readonly keys?: readonly string[];
}

export interface Input<Path extends string, Query, Body> {
  readonly params: Readonly<Record<PathNames<Path>, string>>;
  readonly query: Query;
  readonly body: Body;
}

/** Only a few operations of our own surfaces answer with more than a body. */
export interface WithHeaders<Body> {
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Body;
}

type StaticOf<Schema, Absent> = Schema extends TSchema ? Static<Schema> : Absent;

interface OperationCore<S extends Surface, P, Path extends string, Query, Body> {
  readonly surface: S;
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: Path;
  readonly summary: string;
  /** Required: forgetting it does not compile. */
  readonly permission: P;
  /** Approved accounts only (decision 0020). */
  readonly requires?: 'EMPLOYEE_MANAGEMENT';
  /** The password must have been given in the last minutes (decision 0121): for keys, tokens and where money goes. */
  readonly recentSignIn?: S extends 'dashboard' ? true : never;
  readonly deprecated?: { readonly since: string; readonly retired: string };
  /** Not in the contract: offered because programs of this kind call it (decision 0103). */
  readonly beyondContract?: true;
  readonly query?: Query;
  readonly body?: Body;
  /** The body may also come as a form, whose fields are read as those of a query. */
  readonly acceptsForm?: true;
}

interface SingleOperation<S extends Surface, P, Path extends string, Query, Body, Response extends TSchema>
  extends OperationCore<S, P, Path, Query, Body> {
  readonly page?: never;
  readonly response: Response;
  handle(
    context: ContextOf<S, P>,
    input: Input<Path, StaticOf<Query, Record<never, never>>, StaticOf<Body, undefined>>,
  ): Promise<Static<Response> | Printed | WithHeaders<Static<Response> | Printed>>;
}

interface ListOperation<S extends Surface, P, Path extends string, Query, Item extends TSchema>
  extends OperationCore<S, P, Path, Query, undefined> {
  readonly page: PageRule;
  /** What one element of the list is. */
  readonly item: Item;
  /** Fills in what was not asked for. On every page of a walk, `now` is when its first page was asked for. */
  resolve?(
    context: ContextOf<S, P>,
    query: StaticOf<Query, Record<never, never>>,
  ): StaticOf<Query, Record<never, never>>;
  handle(
    context: ContextOf<S, P>,
    input: Input<Path, StaticOf<Query, Record<never, never>>, undefined> & { readonly page: PageRequest },
  ): Promise<Page<Static<Item>> | Page<Printed>>;
}

/** Contract 9 rule 2: the same two dates for all ten. */
export const DEPRECATED_IN_2020 = { since: '2020-02-26', retired: '2021-02-26' };

/** An operation whose types have been checked where it was declared. */
export interface Operation {
  readonly surface: Surface;
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly summary: string;
  readonly permission: PermissionBySurface[Surface];
  readonly requires?: 'EMPLOYEE_MANAGEMENT';
  readonly recentSignIn?: true;
  readonly deprecated?: { readonly since: string; readonly retired: string };
  readonly beyondContract?: true;
  readonly query?: TSchema;
  readonly body?: TSchema;
  readonly acceptsForm?: true;
  readonly page?: PageRule;
  readonly item?: TSchema;
  resolve?(context: unknown, query: unknown): unknown;
  readonly response?: TSchema;
  handle(context: unknown, input: unknown): Promise<unknown>;
}

/** Surface and name: what an operation or a page is called in logs, page tokens, faults and the API's description. */
export function fullName({ surface, name }: Pick<Operation, 'surface' | 'name'>): string {
  return `${surface}.${name}`;
}

export function operation<
  S extends Surface,
  const P extends PermissionBySurface[S],
  const Path extends string,
  Response extends TSchema,
  Query extends TSchema | undefined = undefined,
  Body extends TSchema | undefined = undefined,
>(declaration: SingleOperation<S, P, Path, Query, Body, Response>): Operation {
  return declaration as unknown as Operation;
}

export function listOperation<
  S extends Surface,
  const P extends PermissionBySurface[S],
  const Path extends string,
  Item extends TSchema,
  Query extends TSchema | undefined = undefined,
>(declaration: ListOperation<S, P, Path, Query, Item>): Operation {
  return declaration as unknown as Operation;
}
