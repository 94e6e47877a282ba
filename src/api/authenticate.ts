/** Authenticates requests: finds the caller by the surface's kind of credential and builds the context of the operation. */
import type { FastifyRequest } from 'fastify';
import { nowOn } from '../base/clock.js';
import { Refusal } from '../base/errors.js';
import { continueWith, type MaybePromise } from '../base/maybe-promise.js';
import { hashAsText } from '../base/secrets.js';
import { actorOf } from '../identity/audit.js';
import type { CallerMerchant } from '../identity/caller.js';
import type { Credentials } from '../identity/credentials.js';
import { recordDeviceUse, recordSessionUse, recordTokenUse } from '../identity/last-use.js';
import type { Watches } from '../identity/watches.js';
import {
  EMPLOYEE_SESSION_HEADER,
  findAccount,
  findAttendant,
  findCaller,
  findClient,
  findDevice,
  findStorefront,
  requireOperator,
  requirePermission,
  requireRecentSignIn,
  requireRegisterPermission,
  requireSameOrigin,
  requireValidToken,
  SESSION_COOKIE,
  tokenKey,
} from './authorize.js';
import type { Faults } from './faults.js';
import type { IgnoredFields } from './ignored-fields.js';
import type {
  ApplicationContext,
  AttendantContext,
  CheckoutContext,
  ClientContext,
  DeviceContext,
  MerchantContext,
  Operation,
  OwnerContext,
  PermissionRule,
  ServerContext,
  SignedInContext,
  Surface,
  VisitedContext,
} from './operation.js';
import { fullName } from './operation.js';
import { CONSOLE_COOKIE } from './operator.js';
import type { RequestLog } from './request-log.js';
import type { RequestRate } from './request-rate.js';
import type { Stubs } from './stubs.js';
import { type Visitor, visitorOf } from './visitor.js';

export interface ApiDependencies {
  readonly context: ServerContext;
  readonly credentials: Credentials;
  /** Called after a request that may have added work that is due soon. */
  readonly onWrite: (merchantId: string) => void;
  /** Every write publishes its topics here. */
  readonly watches: Watches;
  readonly retired: 'serve' | 'gone';
  readonly publicUrl: string | undefined;
  /** Absent in production. */
  readonly faults: Faults | undefined;
  /** Absent in production. */
  readonly stubs: Stubs | undefined;
  /** Absent in production. */
  readonly ignoredFields: IgnoredFields | undefined;
  /** Absent in production. */
  readonly requestLog: RequestLog | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `authenticate`, before the body is read. */
    context: ServerContext | MerchantContext;
  }
}

/** Checks in this order: 401, then 403 for the permission, then 403 for the approval (decision 0004). */
export function authenticate(
  request: FastifyRequest,
  operation: Operation,
  dependencies: ApiDependencies,
): MaybePromise<void> {
  const refuse = (error: unknown): never => {
    logRefusal(request, fullName(operation), dependencies, error);
    throw error;
  };
  try {
    const entered = continueWith(AUTHENTICATORS[operation.surface](request, operation, dependencies), (context) => {
      request.context = context;
      requireApprovalAndRecentSignIn(context, operation);
    });
    return entered instanceof Promise ? entered.catch(refuse) : undefined;
  } catch (error) {
    return refuse(error);
  }
}

/** In v2 a missing or invalid token is refused before an unknown path or method (decision 0002). */
export async function authenticateUnknownPath(request: FastifyRequest, dependencies: ApiDependencies): Promise<void> {
  if (!/^\/v2(?:[/?]|$)/.test(request.url)) return;
  try {
    await authenticateRateLimitedCaller(request, dependencies);
  } catch (error) {
    logRefusal(request, 'none', dependencies, error);
    throw error;
  }
}

/** Notes whose credential a request to an unknown path has, if it has a valid one. Nothing requires it there. */
export async function recognizeCaller(request: FastifyRequest, dependencies: ApiDependencies): Promise<void> {
  if (request.context || request.headers.authorization === undefined) return;
  try {
    await authenticateCaller(request, dependencies);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

function requireApprovalAndRecentSignIn(
  context: ServerContext | MerchantContext,
  { requires, recentSignIn }: Operation,
): void {
  if (requires === 'EMPLOYEE_MANAGEMENT' && !(context as MerchantContext).merchant.approved) {
    throw new Refusal('FORBIDDEN', { detail: 'Employee management is available to approved accounts only.' });
  }
  if (recentSignIn) requireRecentSignIn((context as OwnerContext).account);
}

/**
 * Logs refusals of the handler itself for a missing permission or a rate limit, like those of `authenticate`. Sign-in operations
 * are left out, because they log their refusals themselves, with more details.
 */
export function logHandlerRefusal(
  request: FastifyRequest,
  operation: Operation,
  dependencies: ApiDependencies,
  error: unknown,
): void {
  if (operation.permission === 'ANYONE' || operation.permission === 'DEVICE' || !(error instanceof Refusal)) return;
  if (error.reason !== 'INSUFFICIENT_SCOPES' && error.reason !== 'RATE_LIMITED') return;
  logRefusal(request, fullName(operation), dependencies, error);
}

/** Requests without any credential are not logged: they are harmless, and logging them costs a write. */
function logRefusal(request: FastifyRequest, operation: string, { context }: ApiDependencies, error: unknown): void {
  const { authorization, cookie } = request.headers;
  if (!(error instanceof Refusal) || (authorization === undefined && cookie === undefined)) return;
  const { address, network } = visitorOf(request);
  const actor = actorOf((request.context ?? {}) as Partial<ApplicationContext & AttendantContext>);
  const details = { reason: error.reason, operation };
  context.securityLog.record({ kind: 'ACCESS_REFUSED', ...actor, address, details });
  if (error.reason === 'UNAUTHORIZED') context.limits.guards.unknownCredentials.count(network);
}

type Authenticator = (
  request: FastifyRequest,
  operation: Operation,
  dependencies: ApiDependencies,
) => MaybePromise<ServerContext | MerchantContext>;

const AUTHENTICATORS: Readonly<Record<Surface, Authenticator>> = {
  v1: authenticateApplication,
  v2: authenticateApplication,
  oauth2: authenticateOauthRequest,
  dashboard: authenticateOwner,
  register: authenticateDevice,
  checkout: authenticateShopper,
  sandbox: authenticateOperator,
};

// No literal here begins with a spread: every further field would be added by a slow path (decision 0196).

function withMerchant({ id }: FastifyRequest, context: ServerContext, merchant: CallerMerchant): MerchantContext {
  return { merchant, ...context, now: nowOn(merchant.clock), trail: { requestId: id } };
}

function authenticateCaller(
  request: FastifyRequest,
  { context, credentials: { callers } }: ApiDependencies,
): MaybePromise<ApplicationContext> {
  return continueWith(findCaller(callers, tokenKey(request.headers.authorization)), (caller) => {
    const { merchant } = caller;
    const trail = { requestId: request.id };
    const known = { merchant, ...context, now: nowOn(merchant.clock), trail, caller, visitor: visitorOf(request) };
    request.context = known; // later refusals are logged with this caller
    requireValidToken(caller);
    recordTokenUse(context.database, caller);
    return known;
  });
}

function authenticateRateLimitedCaller(
  request: FastifyRequest,
  dependencies: ApiDependencies,
): MaybePromise<ApplicationContext> {
  return continueWith(authenticateCaller(request, dependencies), (known) => {
    const { caller, limits, merchant } = known;
    if (limits.shares) {
      limits.shares.token.count(caller.tokenHash);
      limits.shares.application.count(`${merchant.id} ${caller.applicationId}`);
      limits.shares.merchant.count(merchant.id);
    }
    return known;
  });
}

function authenticateApplication(
  request: FastifyRequest,
  { permission }: Operation,
  dependencies: ApiDependencies,
): MaybePromise<ApplicationContext> {
  return continueWith(authenticateRateLimitedCaller(request, dependencies), (known) => {
    requirePermission(known.caller.permissions, permission as PermissionRule);
    return known;
  });
}

async function authenticateOauthRequest(
  request: FastifyRequest,
  { permission }: Operation,
  dependencies: ApiDependencies,
): Promise<ApplicationContext | ClientContext | VisitedContext> {
  const { context } = dependencies;
  const visitor = visitorOf(request);
  context.limits.guards.oauth.count(visitor.network);
  if (permission === 'TOKEN') return authenticateCaller(request, dependencies);
  if (permission !== 'CLIENT') return { visitor, ...context };
  return { visitor, ...context, application: await findClient(context.database.sql, request.headers.authorization) };
}

async function authenticateOwner(
  request: FastifyRequest,
  { method, permission }: Operation,
  { context, credentials: { accounts }, publicUrl }: ApiDependencies,
): Promise<OwnerContext | VisitedContext> {
  if (method !== 'GET') requireSameOrigin(request, publicUrl);
  const visitor = visitorOf(request);
  if (permission === 'ANYONE') return enterOpen(visitor, context);
  const cookie = context.cookies.find(request.headers.cookie, SESSION_COOKIE);
  const { account, session } = await findAccount(accounts, cookie);
  const known = { account, ...withMerchant(request, context, account.merchant), session, visitor };
  request.context = known;
  context.limits.shares?.session.count(hashAsText(session)); // the limit must not keep the secret in memory
  recordSessionUse(context.database, account, session);
  return known;
}

async function authenticateDevice(
  request: FastifyRequest,
  { permission }: Operation,
  { context, credentials: { devices, attendants } }: ApiDependencies,
): Promise<DeviceContext | SignedInContext | VisitedContext> {
  const { headers } = request;
  if (permission === 'ANYONE') return enterOpen(visitorOf(request), context);
  const device = await findDevice(devices, headers.authorization);
  const known = { device, ...withMerchant(request, context, device.merchant), visitor: visitorOf(request) };
  request.context = known;
  context.limits.shares?.device.count(`${device.merchant.id} ${device.id}`);
  recordDeviceUse(context.database, device);
  if (permission === 'DEVICE') return known;
  const signedIn = await findAttendant(attendants, device, headers[EMPLOYEE_SESSION_HEADER]);
  if (permission !== 'EMPLOYEE')
    requireRegisterPermission(signedIn.attendant, permission as Parameters<typeof requireRegisterPermission>[1]);
  const { attendant, session } = signedIn;
  return { attendant, ...known, session };
}

async function authenticateShopper(
  request: FastifyRequest,
  { method }: Operation,
  { context, credentials: { storefronts } }: ApiDependencies,
): Promise<CheckoutContext> {
  const { guards } = context.limits;
  const storefront = await findStorefront(storefronts, request.headers.authorization);
  const visitor = visitorOf(request);
  const key = `${storefront.keyId} ${visitor.network}`;
  const store = `${storefront.merchant.id} ${storefront.locationId}`;
  const countRead = () => guards.checkoutReads.count(key);
  if (method === 'GET') countRead();
  else guards.openRequests.count(visitor.network);
  return {
    storefront,
    ...withMerchant(request, context, storefront.merchant),
    countRead,
    countWrite: () => guards.checkoutWrites.count(key),
    countDecline: () => countOfStore(guards.declinesOfStore, guards.declinesOfVisitor, store, visitor),
    countPromoCode: () => countOfStore(guards.promoCodesOfStore, guards.promoCodesOfVisitor, store, visitor),
  };
}

/** Counts an attempt for the store and for the visitor, until it turns out that it does not count. */
function countOfStore(ofStore: RequestRate, ofVisitor: RequestRate, store: string, { network }: Visitor) {
  const visit = `${store} ${network}`;
  ofStore.count(store);
  try {
    ofVisitor.count(visit);
  } catch (error) {
    ofStore.uncount(store); // the attempts of one visitor must not block other shoppers
    throw error;
  }
  return {
    uncount() {
      ofStore.uncount(store);
      ofVisitor.uncount(visit);
    },
  };
}

/** Anybody may send the request: it is counted before its body is read (decision 0216). */
function enterOpen(visitor: Visitor, context: ServerContext): VisitedContext {
  context.limits.guards.openRequests.count(visitor.network);
  return { visitor, ...context };
}

/** Programs send the operator key, the console its cookie. */
async function authenticateOperator(
  request: FastifyRequest,
  { body, method, permission }: Operation,
  { context, publicUrl }: ApiDependencies,
): Promise<ServerContext | VisitedContext> {
  const { authorization, cookie } = request.headers;
  const session = authorization === undefined ? context.cookies.find(cookie, CONSOLE_COOKIE) : undefined;
  if (method !== 'GET' && (permission === 'ANYONE' || session !== undefined)) requireSameOrigin(request, publicUrl);
  // What needs no body is the receiver of webhooks, which this server itself sends.
  if (permission === 'ANYONE')
    return body ? enterOpen(visitorOf(request), context) : { visitor: visitorOf(request), ...context };
  requireOperator(context.operator, authorization, session);
  return context;
}
