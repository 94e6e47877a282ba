/** Decides who a request comes from and whether that is enough: each surface opens to its own kind of credential only. */
import type { FastifyRequest } from 'fastify';
import { realNow } from '../base/clock.js';
import { Refusal } from '../base/errors.js';
import { hashAsText, hashSecret, secretMatches } from '../base/secrets.js';
import { MINUTE_MS } from '../base/time.js';
import type { Sql } from '../database/database.js';
import { type Application, findApplicationBySecret } from '../identity/application-queries.js';
import type { Account, Attendant, Caller, Device, Storefront } from '../identity/caller.js';
import type { CredentialCache } from '../identity/credential-cache.js';
import type { Permission, RegisterPermission } from '../identity/permissions.js';
import type { PermissionRule } from './operation.js';
import { ownHost } from './own-url.js';

export const SESSION_COOKIE = 'tillhouse_session';

/** Who is signed in at a device; the device itself speaks through `Authorization`. */
export const EMPLOYEE_SESSION_HEADER = 'tillhouse-employee-session';

/** Longer than any token we make, shorter than anything worth hashing. */
const LONGEST_CREDENTIAL = 1024;

/** Surfaces of our own say what they open to; the published interface has a sentence of its own (decision 0002). */
function bearerToken(header: string | undefined, detail?: string): string {
  const token = /^bearer +([^\s]+) *$/i.exec(header ?? '')?.[1];
  if (token === undefined || token.length > LONGEST_CREDENTIAL) {
    throw new Refusal('UNAUTHORIZED', { ...(detail !== undefined && { detail }) });
  }
  return token;
}

/** What stands for a token wherever it is remembered: never the token itself. */
export function tokenKey(header: string | undefined, detail?: string): string {
  return hashAsText(bearerToken(header, detail));
}

/** By the key of its token, also where that holds no more: then it is known at least who is refused. */
export async function findCaller(callers: CredentialCache<Caller>, key: string): Promise<Caller> {
  const caller = await callers.find(key);
  if (!caller) throw new Refusal('UNAUTHORIZED');
  return caller;
}

export function requireValidToken({ revoked, expiresAt }: Caller): void {
  if (revoked) throw new Refusal('ACCESS_TOKEN_REVOKED');
  if (expiresAt !== null && expiresAt <= realNow()) throw new Refusal('ACCESS_TOKEN_EXPIRED');
}

/** `Client SECRET`; one published client puts its `Bearer` in front of that too. */
export async function findClient(sql: Sql, header: string | undefined): Promise<Application> {
  const secret = /^(?:bearer +)?client +([^\s]+) *$/i.exec(header ?? '')?.[1];
  if (secret === undefined || secret.length > LONGEST_CREDENTIAL) {
    throw new Refusal('UNAUTHORIZED', {
      detail: 'Send the application secret in the header `Authorization: Client SECRET`.',
    });
  }
  const application = await findApplicationBySecret(sql, hashSecret(secret));
  if (!application) throw new Refusal('UNAUTHORIZED', { detail: 'The application secret is not known here.' });
  return application;
}

export async function findAccount(
  accounts: CredentialCache<Account>,
  session: string | undefined,
): Promise<{ account: Account; session: string }> {
  const account = session === undefined ? undefined : await accounts.find(hashAsText(session));
  if (session === undefined || !account || account.expiresAt <= realNow()) {
    throw new Refusal('UNAUTHORIZED', { detail: 'Sign in first: POST /api/dashboard/session.' });
  }
  return { account, session };
}

export async function findDevice(devices: CredentialCache<Device>, header: string | undefined): Promise<Device> {
  const detail = 'This surface opens to the token of a paired device: send `Authorization: Bearer TOKEN`.';
  const device = await devices.find(tokenKey(header, detail));
  if (!device) throw new Refusal('UNAUTHORIZED', { detail });
  return device;
}

export async function findStorefront(
  storefronts: CredentialCache<Storefront>,
  header: string | undefined,
): Promise<Storefront> {
  const detail = 'This surface opens to a publishable key: send `Authorization: Bearer KEY`.';
  const storefront = await storefronts.find(tokenKey(header, detail));
  if (!storefront) throw new Refusal('UNAUTHORIZED', { detail });
  return storefront;
}

export async function findAttendant(
  attendants: CredentialCache<Attendant>,
  device: Device,
  header: string | string[] | undefined,
): Promise<{ attendant: Attendant; session: string }> {
  const session = typeof header === 'string' && header.length <= LONGEST_CREDENTIAL ? header : '';
  const attendant = session === '' ? undefined : await attendants.find(hashAsText(session));
  const isHere = attendant?.deviceId === device.id && attendant.merchantId === device.merchant.id;
  if (!attendant || !isHere || attendant.expiresAt <= realNow()) {
    throw new Refusal('UNAUTHORIZED', { detail: 'Sign in at this device first: POST /api/register/session.' });
  }
  return { attendant, session };
}

/** Contract 2: no role, no role permissions. */
export function requireRegisterPermission({ permissions }: Attendant, permission: RegisterPermission): void {
  if (permissions.has(permission)) return;
  throw new Refusal('INSUFFICIENT_SCOPES', { detail: `Missing permission: ${permission}` });
}

export function requireOperator(operatorKeyHash: Buffer, header: string | undefined): void {
  const detail = 'This surface opens to the operator key: send `Authorization: Bearer KEY`.';
  if (!secretMatches(bearerToken(header, detail), operatorKeyHash)) throw new Refusal('UNAUTHORIZED', { detail });
}

/** Decision 0053: a browser may change things only from our own pages. Other programs send no Origin. */
export function requireSameOrigin(
  request: Pick<FastifyRequest, 'headers' | 'socket'>,
  publicUrl: string | undefined,
): void {
  const { origin } = request.headers;
  if (origin === undefined) return;
  const host = ownHost(request);
  const ours = [`http://${host}`, `https://${host}`, ...(publicUrl === undefined ? [] : [new URL(publicUrl).origin])];
  if (ours.includes(origin)) return;
  throw new Refusal('FORBIDDEN', {
    detail:
      'Requests from other sites are not accepted. If this is an address of the server, set it with --public-url.',
  });
}

/** How long a password that was given proves that the owner is there (decision 0121). */
export const RECENT_SIGN_IN_MS = 15 * MINUTE_MS;

export function requireRecentSignIn({ confirmedAt }: Account): void {
  if (realNow() - confirmedAt > RECENT_SIGN_IN_MS) throw new Refusal('RECENT_SIGN_IN_REQUIRED');
}

/** The part of a permission rule that is known before the body is. */
export function requirePermission(held: ReadonlySet<Permission>, rule: PermissionRule): void {
  if (typeof rule === 'string') requireAny(held, [rule]);
  else requireAny(held, 'always' in rule ? [rule.always] : rule.anyOf);
}

/** The part that the body decides. */
export function requirePermissionForBody(held: ReadonlySet<Permission>, rule: PermissionRule, body: unknown): void {
  const extra = typeof rule === 'object' && 'alsoFor' in rule ? rule.alsoFor(body) : undefined;
  if (extra !== undefined) requireAny(held, [extra]);
}

function requireAny(held: ReadonlySet<Permission>, permissions: readonly Permission[]): void {
  if (permissions.some((permission) => held.has(permission))) return;
  throw new Refusal('INSUFFICIENT_SCOPES', { detail: `Missing permission: ${permissions.join(' or ')}` });
}
