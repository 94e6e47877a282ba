/** The declaration of an operation. Routes, checks, documentation and contract tests are derived from it. */
import type { Mode, Reach } from '../base/config.js';
import type { Ids } from '../base/ids.js';
import type { RequestTrail } from '../base/request-trail.js';
import type { KeyedHash } from '../base/secrets.js';
import type { Instant } from '../base/time.js';
import type { Database } from '../database/database.js';
import type { Page, PageRequest } from '../database/keyset.js';
import type { Application } from '../identity/application-queries.js';
import type { Account, Attendant, Caller, CallerMerchant, Device, Storefront } from '../identity/caller.js';
import type { KeptWrite } from '../identity/kept-write.js';
import type { Permission, RegisterPermission } from '../identity/permissions.js';
import type { SecurityLog } from '../identity/security-log.js';
import type { Topic } from '../identity/topics.js';
import type { Processor } from '../processor/contract.js';
import type { Cookies } from './cookies.js';
import type { Limits } from './limits.js';
import type { Operator } from './operator.js';
import type { Printed } from './printed.js';
import type { RequestLog } from './request-log.js';
import type { Stubs } from './stubs.js';
import type { Visitor } from './visitor.js';
import type { Schema, Static } from './wire.js';

/** v1, v2 and oauth2 are the published API. The others are our own. */
export type Surface = 'v1' | 'v2' | 'oauth2' | 'dashboard' | 'register' | 'checkout' | 'sandbox';

/** The format of errors under a path (decision 0002). */
export type ErrorShape = 'v1' | 'v2';

/** What browsers on this machine may use of the demo business without a secret, if no others reach the server (decision 0141). */
export interface DemoOffer {
  readonly isOnlyLocal: boolean;
  readonly accessToken: string;
  /** The location with the online store to which the start page leads. */
  readonly locationId: string | undefined;
  /** The register and its employees (decision 0154). */
  readonly register:
    | {
        readonly deviceToken: string;
        readonly employees: readonly { readonly id: string; readonly name: string; readonly passcode: string }[];
      }
    | undefined;
}

export interface ServerContext {
  readonly database: Database;
  readonly processor: Processor;
  /** Whether pages offer test cards: a sandbox with the simulator. */
  readonly offersTestCards: boolean;
  /** Creates the ids of new records. */
  readonly ids: Ids;
  readonly mode: Mode;
  /** Where webhooks may be delivered. */
  readonly reach: Reach;
  /**
   * The address under which people reach the server, without a slash at the end, for addresses of receipts and payments: the one that was
   * given, or in a sandbox the one at which it listens.
   */
  readonly publicUrl: string | undefined;
  /** Only the address that was given: pages of this server use paths otherwise. */
  readonly givenUrl: string | undefined;
  /** Hashes with the server's secret key, for values that are too short for a plain hash. */
  readonly keyedHash: KeyedHash;
  readonly cookies: Cookies;
  readonly limits: Limits;
  /** Records refusals. Changes are recorded in their own transaction. */
  readonly securityLog: SecurityLog;
  /** Removes the cached credentials of a merchant, or of all, so that a change takes effect at once on this server. */
  readonly invalidateCredentials: (merchantId?: string) => void;
  /** Removes only the cached sessions and permissions of employees at the merchant's registers. */
  readonly invalidateAttendants: (merchantId: string) => void;
  /** Tells open pages of a merchant what has changed, if the request itself has no merchant. */
  readonly tellPages: (merchantId: string, topics: readonly Topic[]) => void;
  /** Undefined if there is no demo business. */
  readonly demo: DemoOffer | undefined;
  /** The full names of all operations of the server. */
  readonly operationNames: ReadonlySet<string>;
  readonly operator: Operator;
  /** The latest requests. Undefined in production. */
  readonly requestLog: RequestLog | undefined;
  /** Answer requests instead of operations. Undefined in production. */
  readonly stubs: Stubs | undefined;
  /** Counts due work for the metrics. Undefined without metrics. */
  readonly onWork?: ((kind: string, outcome: 'done' | 'postponed', created?: 'settlement') => void) | undefined;
  /** The URL at which the server reaches itself. */
  readonly localUrl: () => string;
}

/** The context of every operation on a merchant's data. `now` is the time of the merchant's clock. */
export interface MerchantContext extends ServerContext {
  readonly merchant: CallerMerchant;
  readonly now: Instant;
  readonly trail: RequestTrail;
}

/** For operations that limit or log requests by the client's address. */
export interface VisitedContext extends ServerContext {
  readonly visitor: Visitor;
}

export interface ApplicationContext extends MerchantContext, VisitedContext {
  readonly caller: Caller;
}

/** An application that authenticates itself with its secret. */
export interface ClientContext extends VisitedContext {
  readonly application: Application;
}

export interface OwnerContext extends MerchantContext, VisitedContext {
  readonly account: Account;
  /** The secret of the session, needed to end it. */
  readonly session: string;
}

export interface DeviceContext extends MerchantContext, VisitedContext {
  readonly device: Device;
}

/** A device and the employee who acts at it. */
export interface AttendantContext extends DeviceContext {
  readonly attendant: Attendant;
  /** Set if the device kept the write and sends it with its queue (decision 0155). */
  readonly kept?: KeptWrite;
}

/** A device at which an employee is signed in. */
export interface SignedInContext extends AttendantContext {
  readonly session: string;
}

/** A shopper at an online store: the shopper is unknown, the store is known. */
export interface CheckoutContext extends MerchantContext {
  readonly storefront: Storefront;
  /** Counts a read that is sent as a POST. Every GET is counted. */
  readonly countRead: () => void;
  /** Counts a write of the visitor, and refuses it if there are too many. */
  readonly countWrite: () => void;
  /** Counts a payment attempt as a decline and refuses it if there were too many. `uncount` reverses that after a success. */
  readonly countDecline: () => { readonly uncount: () => void };
  /** Counts a promo code as wrong and refuses it if there were too many. `uncount` reverses that for a right one. */
  readonly countPromoCode: () => { readonly uncount: () => void };
}

interface ContextBySurface {
  v1: ApplicationContext;
  v2: ApplicationContext;
  oauth2: ClientContext;
  dashboard: OwnerContext;
  register: SignedInContext;
  checkout: CheckoutContext;
  sandbox: ServerContext;
}

/** One permission; one of several; or one permission, and a further one if the body has the named field. */
export type PermissionRule =
  | Permission
  | { readonly anyOf: readonly Permission[] }
  | { readonly always: Permission; readonly withField: { readonly name: string; readonly permission: Permission } };

interface PermissionBySurface {
  v1: PermissionRule;
  v2: PermissionRule;
  /** An application's secret; any access token; or no credential in the header, because it is in the body. */
  oauth2: 'CLIENT' | 'TOKEN' | 'ANYONE';
  /** The owner's session, or no credential, as for signing in. */
  dashboard: 'OWNER' | 'ANYONE';
  /** No credential, to get paired; a paired device; a signed-in employee at it; or one whose role has the permission, or one of several. */
  register: 'ANYONE' | 'DEVICE' | 'EMPLOYEE' | RegisterPermission | { readonly anyOf: readonly RegisterPermission[] };
  /** A publishable key, which is not secret. */
  checkout: 'SHOPPER';
  /** The operator key, or the console's session; or no credential, to get that session. */
  sandbox: 'OPERATOR' | 'ANYONE';
}

/** The permission decides what the context contains: ANYONE has no caller, and DEVICE has no signed-in employee. */
type ContextOf<S extends Surface, P> = P extends 'ANYONE'
  ? VisitedContext
  : P extends 'DEVICE'
    ? DeviceContext
    : P extends 'TOKEN'
      ? ApplicationContext
      : ContextBySurface[S];

/** The parameter names of a path, which are in braces. */
type PathNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never;

export interface PageRule {
  /** The parameter of the page token. v1 returns the token in the `Link` header, v2 in the body. */
  readonly token: 'batch_token' | 'cursor';
  readonly limit: { readonly default: number; readonly max: number; readonly over: 'refuse' | 'cap' };
  /** The names of the list in the v2 body. Clients of different versions read different names. */
  readonly keys?: readonly string[];
}

export interface Input<Path extends string, Query, Body> {
  readonly params: Readonly<Record<PathNames<Path>, string>>;
  readonly query: Query;
  readonly body: Body;
}

/** A response with headers of its own. Only a few operations of our own surfaces need it. */
export interface WithHeaders<Body> {
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Body;
}

type StaticOf<Declared, Absent> = Declared extends Schema ? Static<Declared> : Absent;

interface OperationCore<S extends Surface, P, Path extends string, Query, Body> {
  readonly surface: S;
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: Path;
  readonly summary: string;
  /** Required, so that a declaration without it does not compile. */
  readonly permission: P;
  /** For approved accounts only (decision 0020). */
  readonly requires?: 'EMPLOYEE_MANAGEMENT';
  /** Requires a recent sign-in (decision 0121): for keys, tokens and bank accounts. */
  readonly recentSignIn?: S extends 'dashboard' ? true : never;
  /** About personal data: the log of a sandbox does not keep its requests. */
  readonly isPrivate?: true;
  readonly deprecated?: { readonly since: string; readonly retired: string };
  /** Not part of the contract, but used by client programs (decision 0103). */
  readonly beyondContract?: true;
  readonly query?: Query;
  readonly body?: Body;
  /** The size of the largest body, if the usual limit does not fit (decision 0216). */
  readonly maxBodyBytes?: number;
  /**
   * A request that succeeds, for the API reference. Every operation has one unless the path says everything. Ids are those of
   * `api/sample-ids.ts`.
   */
  readonly example?: { readonly query?: StaticOf<Query, never>; readonly body?: StaticOf<Body, never> };
  /**
   * The body is the record as the response shows it. Clients send back the whole record that they have read, so fields that only a response
   * has are no mistakes (decision 0266).
   */
  readonly takesRecord?: true;
  /** The body may also be a form. Its fields are parsed like query parameters. */
  readonly acceptsForm?: true;
  /**
   * For frequent operations: the operation adds no work that is due within a minute, except deliveries of events. So on a distributed
   * database the worker need not look at the merchant afterwards, unless the merchant has subscriptions (decision 0133).
   */
  readonly addsNoWork?: true;
}

interface SingleOperation<S extends Surface, P, Path extends string, Query, Body, Response extends Schema>
  extends OperationCore<S, P, Path, Query, Body> {
  readonly page?: never;
  readonly response: Response;
  handle(
    context: ContextOf<S, P>,
    input: Input<Path, StaticOf<Query, Record<never, never>>, StaticOf<Body, undefined>>,
  ): Promise<Static<Response> | Printed | WithHeaders<Static<Response> | Printed>>;
}

interface ListOperation<S extends Surface, P, Path extends string, Query, Item extends Schema>
  extends OperationCore<S, P, Path, Query, undefined> {
  readonly page: PageRule;
  /** The schema of one element. */
  readonly item: Item;
  /** Fills in defaults. On every page, `now` is the time of the request for the first page. */
  resolve?(
    context: ContextOf<S, P>,
    query: StaticOf<Query, Record<never, never>>,
  ): StaticOf<Query, Record<never, never>>;
  handle(
    context: ContextOf<S, P>,
    input: Input<Path, StaticOf<Query, Record<never, never>>, undefined> & { readonly page: PageRequest },
  ): Promise<Page<Static<Item>> | Page<Printed>>;
}

/** All ten deprecated operations have the same dates (contract 9 rule 2). */
export const DEPRECATED_IN_2020 = { since: '2020-02-26', retired: '2021-02-26' };

/** An operation without its type parameters. Its declaration has already been type-checked. */
export interface Operation {
  readonly surface: Surface;
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly summary: string;
  readonly permission: PermissionBySurface[Surface];
  readonly isPrivate?: true;
  readonly requires?: 'EMPLOYEE_MANAGEMENT';
  readonly recentSignIn?: true;
  readonly deprecated?: { readonly since: string; readonly retired: string };
  readonly beyondContract?: true;
  readonly query?: Schema;
  readonly body?: Schema;
  readonly maxBodyBytes?: number;
  readonly example?: { readonly query?: Readonly<Record<string, unknown>>; readonly body?: unknown };
  readonly takesRecord?: true;
  readonly acceptsForm?: true;
  readonly addsNoWork?: true;
  readonly page?: PageRule;
  readonly item?: Schema;
  resolve?(context: unknown, query: unknown): unknown;
  readonly response?: Schema;
  handle(context: unknown, input: unknown): Promise<unknown>;
}

/** The name of an operation or a page in logs, page tokens, faults and OpenAPI. */
export function fullName({ surface, name }: Pick<Operation, 'surface' | 'name'>): string {
  return `${surface}.${name}`;
}

/** The types of an operation for a typed client. A value of it never exists. */
export interface Signature {
  readonly params: object;
  /** The query parameters, or the body of a write. */
  readonly input: object;
  readonly response: unknown;
}

/** An operation that keeps its surface, name and types. The pages' client is computed from them. */
export interface DeclaredOperation<S extends Surface, Name extends string, Types extends Signature> extends Operation {
  readonly surface: S;
  readonly name: Name;
  readonly '~signature'?: Types;
}

interface SignatureOf<Path extends string, Query, Body, Response> {
  readonly params: Readonly<Record<PathNames<Path>, string>>;
  readonly input: StaticOf<Query, Record<never, never>> & StaticOf<Body, Record<never, never>>;
  readonly response: Response;
}

/** The body of a list response. The published lists without keys are arrays. */
type ListOf<Rule extends PageRule, Item> = Rule['keys'] extends readonly string[]
  ? { readonly [Key in Rule['keys'][number]]: readonly Item[] } & { readonly cursor?: string }
  : readonly Item[];

interface PageInput {
  readonly limit?: number;
  readonly cursor?: string;
}

export function operation<
  S extends Surface,
  const P extends PermissionBySurface[S],
  const Path extends string,
  const Name extends string,
  Response extends Schema,
  Query extends Schema<object> | undefined = undefined,
  Body extends Schema<object> | undefined = undefined,
>(
  declaration: SingleOperation<S, P, Path, Query, Body, Response> & { readonly name: Name },
): DeclaredOperation<S, Name, SignatureOf<Path, Query, Body, Static<Response>>> {
  return declaration as never;
}

export function listOperation<
  S extends Surface,
  const P extends PermissionBySurface[S],
  const Path extends string,
  const Name extends string,
  const Rule extends PageRule,
  Item extends Schema,
  Query extends Schema<object> | undefined = undefined,
>(
  declaration: ListOperation<S, P, Path, Query, Item> & { readonly name: Name; readonly page: Rule },
): DeclaredOperation<
  S,
  Name,
  SignatureOf<Path, Query, undefined, ListOf<Rule, Static<Item>>> & { readonly input: PageInput }
> {
  return declaration as never;
}
