/** Lets requests in: each surface knows by its own kind of credential who asks, and tells it to its operations. */
import type { FastifyRequest } from 'fastify';
import type { CallerMerchant } from '../access/caller.js';
import type { Credentials } from '../access/credentials.js';
import type { RegisterPermission } from '../access/permissions.js';
import { nowOn } from '../base/clock.js';
import { Refusal } from '../base/errors.js';
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
  requireRegisterPermission,
  requireSameOrigin,
  SESSION_COOKIE,
  tokenKey,
} from './authorize.js';
import type { Faults } from './faults.js';
import type { Limits } from './limits.js';
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
  Surface,
  VisitedContext,
} from './operation.js';
import { type Visitor, visitorOf } from './visitor.js';

export interface Doors {
  readonly context: ServerContext;
  readonly credentials: Credentials;
  readonly limits: Limits;
  readonly operatorKeyHash: Buffer;
  readonly retired: 'serve' | 'gone';
  readonly publicUrl: string | undefined;
  /** Absent in production. */
  readonly faults: Faults | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Filled in by `admit`, before anything of the body is read. */
    context: ServerContext | MerchantContext;
  }
}

/** Decision 0004: 401, then 403 for the permission, then 403 for the approval. */
export async function admit(request: FastifyRequest, operation: Operation, doors: Doors): Promise<void> {
  try {
    request.context = await ADMISSIONS[operation.surface](request, operation, doors);
  } catch (error) {
    if (isUnknownCredential(error)) doors.limits.guards.unknownCredentials.count(visitorOf(request).network);
    throw error;
  }
  if (operation.requires === 'EMPLOYEE_MANAGEMENT' && !(request.context as MerchantContext).merchant.approved) {
    throw new Refusal('FORBIDDEN', { detail: 'Employee management is available to approved accounts only.' });
  }
}

/** One that was sent and looked up; a missing one costs nothing. */
function isUnknownCredential(error: unknown): boolean {
  return error instanceof Refusal && error.reason === 'UNAUTHORIZED';
}

type Admission = (
  request: FastifyRequest,
  operation: Operation,
  doors: Doors,
) => Promise<ServerContext | MerchantContext>;

const ADMISSIONS: Readonly<Record<Surface, Admission>> = {
  v1: admitApplication,
  v2: admitApplication,
  oauth2: admitToOauth,
  dashboard: admitOwner,
  register: admitDevice,
  checkout: admitShopper,
  sandbox: admitOperator,
};

/** In a merchant's world, at its time. */
function inBusiness(context: ServerContext, merchant: CallerMerchant): MerchantContext {
  return { ...context, merchant, now: nowOn(merchant.clock) };
}

async function admitApplication(
  { headers }: FastifyRequest,
  { permission }: Operation,
  { context, credentials: { callers }, limits: { shares } }: Doors,
): Promise<ApplicationContext> {
  const key = tokenKey(headers.authorization);
  const caller = await findCaller(callers, key);
  if (shares) {
    shares.token.count(key);
    shares.application.count(`${caller.merchant.id} ${caller.applicationId}`);
    shares.merchant.count(caller.merchant.id);
  }
  requirePermission(caller.permissions, permission as PermissionRule);
  return { ...inBusiness(context, caller.merchant), caller };
}

async function admitToOauth(
  request: FastifyRequest,
  { permission }: Operation,
  { context, credentials: { callers }, limits: { guards } }: Doors,
): Promise<ApplicationContext | ClientContext | VisitedContext> {
  const visitor = visitorOf(request);
  guards.oauth.count(visitor.network);
  const { authorization } = request.headers;
  if (permission === 'TOKEN') {
    const caller = await findCaller(callers, tokenKey(authorization));
    return { ...inBusiness(context, caller.merchant), caller };
  }
  if (permission !== 'CLIENT') return { ...context, visitor };
  return { ...context, visitor, application: await findClient(context.database.sql, authorization) };
}

async function admitOwner(
  request: FastifyRequest,
  { method, permission }: Operation,
  { context, credentials: { accounts }, limits: { shares }, publicUrl }: Doors,
): Promise<OwnerContext | VisitedContext> {
  if (method !== 'GET') requireSameOrigin(request, publicUrl);
  const visitor = visitorOf(request);
  if (permission === 'ANYONE') return { ...context, visitor };
  const cookie = context.cookies.find(request.headers.cookie, SESSION_COOKIE);
  const { account, session } = await findAccount(accounts, cookie);
  shares?.session.count(session);
  return { ...inBusiness(context, account.merchant), account, session, visitor };
}

async function admitDevice(
  request: FastifyRequest,
  { permission }: Operation,
  { context, credentials: { devices, attendants }, limits: { shares } }: Doors,
): Promise<DeviceContext | AttendantContext> {
  const { headers } = request;
  const device = await findDevice(devices, headers.authorization);
  shares?.device.count(`${device.merchant.id} ${device.id}`);
  const known = { ...inBusiness(context, device.merchant), device, visitor: visitorOf(request) };
  if (permission === 'DEVICE') return known;
  const signedIn = await findAttendant(attendants, device, headers[EMPLOYEE_SESSION_HEADER]);
  if (permission !== 'EMPLOYEE') requireRegisterPermission(signedIn.attendant, permission as RegisterPermission);
  return { ...known, ...signedIn };
}

async function admitShopper(
  request: FastifyRequest,
  { method }: Operation,
  { context, credentials: { storefronts }, limits: { guards } }: Doors,
): Promise<CheckoutContext> {
  const storefront = await findStorefront(storefronts, request.headers.authorization);
  const visitor = visitorOf(request);
  const key = `${storefront.keyId} ${visitor.network}`;
  if (method === 'GET') guards.checkoutReads.count(key);
  return {
    ...inBusiness(context, storefront.merchant),
    storefront,
    countWrite: () => guards.checkoutWrites.count(key),
    countDecline: () => countDecline(guards, `${storefront.merchant.id} ${storefront.locationId}`, visitor),
  };
}

function countDecline(guards: Limits['guards'], store: string, { network }: Visitor) {
  const visit = `${store} ${network}`;
  guards.declinesOfStore.count(store);
  try {
    guards.declinesOfVisitor.count(visit);
  } catch (error) {
    guards.declinesOfStore.giveBack(store); // one visitor's tries do not close the store to others
    throw error;
  }
  return {
    takeBack() {
      guards.declinesOfStore.giveBack(store);
      guards.declinesOfVisitor.giveBack(visit);
    },
  };
}

async function admitOperator(
  { headers }: FastifyRequest,
  _: Operation,
  { context, operatorKeyHash }: Doors,
): Promise<ServerContext> {
  requireOperator(operatorKeyHash, headers.authorization);
  return context;
}
