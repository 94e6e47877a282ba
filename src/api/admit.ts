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
} from './operation.js';
import type { RequestRate } from './request-rate.js';

export interface Doors {
  readonly context: ServerContext;
  readonly credentials: Credentials;
  readonly checkoutWrites: RequestRate;
  readonly operatorKeyHash: Buffer;
  readonly retired: 'serve' | 'gone';
  readonly publicUrl: string | undefined;
  /** Absent in production. */
  readonly faults: Faults | undefined;
  /** Absent: everybody may ask as often as they like. */
  readonly rateLimit: RequestRate | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Filled in by `admit`, before anything of the body is read. */
    context: ServerContext | MerchantContext;
  }
}

/** Decision 0004: 401, then 403 for the permission, then 403 for the approval. */
export async function admit(request: FastifyRequest, operation: Operation, doors: Doors): Promise<void> {
  request.context = await ADMISSIONS[operation.surface](request, operation, doors);
  if (operation.requires === 'EMPLOYEE_MANAGEMENT' && !(request.context as MerchantContext).merchant.approved) {
    throw new Refusal('FORBIDDEN', { detail: 'Employee management is available to approved accounts only.' });
  }
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
  { context, credentials: { callers }, rateLimit }: Doors,
): Promise<ApplicationContext> {
  const key = tokenKey(headers.authorization);
  const caller = await findCaller(callers, key);
  rateLimit?.count(key);
  requirePermission(caller.permissions, permission as PermissionRule);
  return { ...inBusiness(context, caller.merchant), caller };
}

async function admitToOauth(
  { headers }: FastifyRequest,
  { permission }: Operation,
  { context, credentials: { callers } }: Doors,
): Promise<ApplicationContext | ClientContext | ServerContext> {
  if (permission === 'TOKEN') {
    const caller = await findCaller(callers, tokenKey(headers.authorization));
    return { ...inBusiness(context, caller.merchant), caller };
  }
  if (permission !== 'CLIENT') return context;
  return { ...context, application: await findClient(context.database.sql, headers.authorization) };
}

async function admitOwner(
  request: FastifyRequest,
  { method, permission }: Operation,
  { context, credentials: { accounts }, publicUrl }: Doors,
): Promise<OwnerContext | ServerContext> {
  if (method !== 'GET') requireSameOrigin(request, publicUrl);
  if (permission === 'ANYONE') return context;
  const { account, session } = await findAccount(
    accounts,
    context.cookies.find(request.headers.cookie, SESSION_COOKIE),
  );
  return { ...inBusiness(context, account.merchant), account, session };
}

async function admitDevice(
  { headers }: FastifyRequest,
  { permission }: Operation,
  { context, credentials: { devices, attendants } }: Doors,
): Promise<DeviceContext | AttendantContext> {
  const device = await findDevice(devices, headers.authorization);
  const known = { ...inBusiness(context, device.merchant), device };
  if (permission === 'DEVICE') return known;
  const signedIn = await findAttendant(attendants, device, headers[EMPLOYEE_SESSION_HEADER]);
  if (permission !== 'EMPLOYEE') requireRegisterPermission(signedIn.attendant, permission as RegisterPermission);
  return { ...known, ...signedIn };
}

async function admitShopper(
  { headers, ip }: FastifyRequest,
  _: Operation,
  { context, credentials: { storefronts }, checkoutWrites }: Doors,
): Promise<CheckoutContext> {
  const storefront = await findStorefront(storefronts, headers.authorization);
  const countWrite = (): void => checkoutWrites.count(`${storefront.keyId} ${ip}`);
  return { ...inBusiness(context, storefront.merchant), storefront, countWrite };
}

async function admitOperator(
  { headers }: FastifyRequest,
  _: Operation,
  { context, operatorKeyHash }: Doors,
): Promise<ServerContext> {
  requireOperator(operatorKeyHash, headers.authorization);
  return context;
}
