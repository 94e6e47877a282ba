/** Checks credentials and permissions. Each surface accepts only its own kind of credential. */
import type { FastifyRequest } from 'fastify';
import { realNow } from '../base/clock.js';
import { Refusal } from '../base/errors.js';
import { continueWith, type MaybePromise } from '../base/maybe-promise.js';
import { hashAsText, hashSecret } from '../base/secrets.js';
import { MINUTE_MS } from '../base/time.js';
import type { Sql } from '../database/database.js';
import { type Application, findApplicationBySecret } from '../identity/application-queries.js';
import type { Account, Attendant, Caller, Device, SignedInAttendant, Storefront } from '../identity/caller.js';
import type { CredentialCache } from '../identity/credential-cache.js';
import type { Permission, RegisterPermission } from '../identity/permissions.js';
import type { PermissionRule } from './operation.js';
import type { Operator } from './operator.js';
import { ownHost } from './own-url.js';

export const SESSION_COOKIE = 'tillhouse_session';

/** Identifies the employee who is signed in at a device. `Authorization` identifies the device. */
export const EMPLOYEE_SESSION_HEADER = 'tillhouse-employee-session';

/** Longer than every valid token. Longer values are rejected without being hashed. */
const MAX_CREDENTIAL_LENGTH = 1024;

/** Our own surfaces pass a detail that names the credential. The published API uses a fixed text (decision 0002). */
function bearerToken(header: string | undefined, detail?: string): string {
  const token = /^bearer +([^\s]+) *$/i.exec(header ?? '')?.[1];
  if (token === undefined || token.length > MAX_CREDENTIAL_LENGTH) {
    throw new Refusal('UNAUTHORIZED', { ...(detail !== undefined && { detail }) });
  }
  return token;
}

/** The hash of the token. Caches and limits use it as their key instead of the token. */
export function tokenKey(header: string | undefined, detail?: string): string {
  return hashAsText(bearerToken(header, detail));
}

/** Also finds the callers of revoked and expired tokens, so that the refusal can be logged with its caller. */
export function findCaller(callers: CredentialCache<Caller>, key: string): MaybePromise<Caller> {
  return continueWith(callers.find(key), requireKnown);
}

function requireKnown(caller: Caller | undefined): Caller {
  if (!caller) throw new Refusal('UNAUTHORIZED');
  return caller;
}

export function requireValidToken({ revoked, expiresAt }: Caller): void {
  if (revoked) throw new Refusal('ACCESS_TOKEN_REVOKED');
  if (expiresAt !== null && expiresAt <= realNow()) throw new Refusal('ACCESS_TOKEN_EXPIRED');
}

/** Expects `Client SECRET`. One published client sends `Bearer Client SECRET`. */
export async function findClient(sql: Sql, header: string | undefined): Promise<Application> {
  const secret = /^(?:bearer +)?client +([^\s]+) *$/i.exec(header ?? '')?.[1];
  if (secret === undefined || secret.length > MAX_CREDENTIAL_LENGTH) {
    throw new Refusal('UNAUTHORIZED', {
      detail: 'Send the application secret in the header `Authorization: Client SECRET`.',
    });
  }
  const application = await findApplicationBySecret(sql, hashSecret(secret));
  if (!application) throw new Refusal('UNAUTHORIZED');
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
  const detail = 'This surface requires the token of a paired device: send `Authorization: Bearer TOKEN`.';
  const device = await devices.find(tokenKey(header, detail));
  if (!device) throw new Refusal('UNAUTHORIZED', { detail });
  return device;
}

export async function findStorefront(
  storefronts: CredentialCache<Storefront>,
  header: string | undefined,
): Promise<Storefront> {
  const detail = 'This surface requires a publishable key: send `Authorization: Bearer KEY`.';
  const storefront = await storefronts.find(tokenKey(header, detail));
  if (!storefront) throw new Refusal('UNAUTHORIZED', { detail });
  return storefront;
}

export async function findAttendant(
  attendants: CredentialCache<SignedInAttendant>,
  device: Device,
  header: string | string[] | undefined,
): Promise<{ attendant: SignedInAttendant; session: string }> {
  const session = typeof header === 'string' && header.length <= MAX_CREDENTIAL_LENGTH ? header : '';
  const attendant = session === '' ? undefined : await attendants.find(hashAsText(session));
  const isHere = attendant?.deviceId === device.id && attendant.merchantId === device.merchant.id;
  if (!attendant || !isHere || attendant.expiresAt <= realNow()) {
    throw new Refusal('UNAUTHORIZED', { detail: 'Sign in at this device first: POST /api/register/session.' });
  }
  return { attendant, session };
}

/** An employee without a role has no role permissions (contract 2). */
export function requireRegisterPermission(
  { permissions }: Attendant,
  rule: RegisterPermission | { readonly anyOf: readonly RegisterPermission[] },
): void {
  requireAny(permissions, typeof rule === 'string' ? [rule] : rule.anyOf);
}

/** Programs send the operator key, the console its session. */
export function requireOperator(operator: Operator, header: string | undefined, session: string | undefined): void {
  if (header === undefined && session !== undefined && operator.isSession(session)) return;
  const detail = 'This surface requires the operator key: send `Authorization: Bearer KEY`.';
  if (!operator.isKey(bearerToken(header, detail))) throw new Refusal('UNAUTHORIZED', { detail });
}

/** Browsers can make changes only from pages of this server (decision 0053). Other programs send no Origin header. */
export function requireSameOrigin(
  request: Pick<FastifyRequest, 'headers' | 'socket'>,
  publicUrl: string | undefined,
): void {
  const { origin } = request.headers;
  if (origin === undefined) return;
  const host = ownHost(request);
  const own = [`http://${host}`, `https://${host}`, ...(publicUrl === undefined ? [] : [new URL(publicUrl).origin])];
  if (own.includes(origin)) return;
  throw new Refusal('FORBIDDEN', {
    detail: 'Requests from other sites are not accepted. If this is the URL of the server, set it with --public-url.',
  });
}

/** How long a sign-in counts as recent (decision 0121). */
export const RECENT_SIGN_IN_MS = 15 * MINUTE_MS;

export function requireRecentSignIn({ confirmedAt }: Account): void {
  if (realNow() - confirmedAt > RECENT_SIGN_IN_MS) throw new Refusal('RECENT_SIGN_IN_REQUIRED');
}

/** Checks the part of the rule that does not depend on the body. */
export function requirePermission(held: ReadonlySet<Permission>, rule: PermissionRule): void {
  if (typeof rule === 'string' && held.has(rule)) return;
  if (typeof rule === 'string') requireAny(held, [rule]);
  else requireAny(held, 'always' in rule ? [rule.always] : rule.anyOf);
}

/** Checks the part of the rule that depends on the body, which is not validated yet. A field that is null counts as absent. */
export function requirePermissionForBody(held: ReadonlySet<Permission>, rule: PermissionRule, body: unknown): void {
  if (typeof rule === 'string' || !('withField' in rule)) return;
  const { name, permission } = rule.withField;
  const value = (body as Readonly<Record<string, unknown>> | null | undefined)?.[name] ?? undefined;
  if (value !== undefined) requireAny(held, [permission]);
}

function requireAny<Word extends string>(held: ReadonlySet<Word>, permissions: readonly Word[]): void {
  if (permissions.some((permission) => held.has(permission))) return;
  throw new Refusal('INSUFFICIENT_SCOPES', { detail: `Missing permission: ${permissions.join(' or ')}` });
}
