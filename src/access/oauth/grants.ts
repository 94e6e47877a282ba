/** Grants to applications: issues authorization codes and tokens, refreshes and renews tokens, and revokes authorizations. */
import { createHash } from 'node:crypto';
import type { ServerContext } from '../../api/operation.js';
import { realNow } from '../../base/clock.js';
import { Refusal } from '../../base/errors.js';
import { newSecret, realIds } from '../../base/ids.js';
import { hashSecret } from '../../base/secrets.js';
import { DAY_MS, type Instant, instant, MINUTE_MS, wholeSecond } from '../../base/time.js';
import type { Change } from '../../database/change.js';
import type { Database } from '../../database/database.js';
import {
  type ActorContext,
  type AuditActor,
  type AuditEntry,
  actorOf,
  changeAudited,
  recordAudit,
} from '../../identity/audit.js';
import type { ClientType } from '../../identity/client-types.js';
import { enterCredential, type Issuing, issueCredentials } from '../../identity/directory.js';
import { findMerchantOf } from '../../identity/directory-queries.js';
import type { Permission } from '../../identity/permissions.js';
import { moveTokenToRevoked } from '../token-queries.js';
import {
  type NewAuthorization,
  spendCode,
  spendRefreshToken,
  storeWithCode,
  storeWithTokens,
  type TokensToIssue,
} from './exchanges.js';
import {
  type FoundGrant,
  findAccessToken,
  findCode,
  findRefreshToken,
  insertRenewedToken,
  moveAuthorizationsToRevoked,
  type PresentedSecret,
} from './queries.js';

const CODE_LIFETIME_MS = 5 * MINUTE_MS;
const ACCESS_LIFETIME_MS = 30 * DAY_MS;
const SHORT_LIFETIME_MS = DAY_MS;
/** For single-use refresh tokens (decision 0072). */
const REFRESH_LIFETIME_MS = 90 * DAY_MS;
/** In the published API a token can be renewed for this long after it expired. */
export const RENEWABLE_MS = 15 * DAY_MS;

type Actor = Pick<ServerContext, 'database' | 'invalidateCredentials' | 'securityLog'> & ActorContext;

/** What the owner has granted. */
export interface GrantedAccess {
  readonly merchantId: string;
  readonly applicationId: string;
  readonly permissions: readonly Permission[];
}

export async function issueCode(
  database: Database,
  granted: GrantedAccess,
  { redirectUrl, challenge, by }: { redirectUrl: string; challenge: string | undefined; by: AuditActor },
): Promise<string> {
  const [code, now] = [newSecret('sq0cgb-', 29), realNow()];
  const [hash, expiresAt] = [hashSecret(code), instant(now + CODE_LIFETIME_MS)];
  await issueCredentials(database, async ({ tx, enter }) => {
    const stored = { hash, redirectUrl, challenge: challenge ?? null, expiresAt };
    await storeWithCode(tx, newAuthorization(granted, now), stored);
    enter(granted.merchantId, hash);
    await recordAudit(tx, grantEntry(granted, by));
  });
  return code;
}

function grantEntry({ merchantId, applicationId, permissions }: GrantedAccess, by: AuditActor): AuditEntry {
  const details = { permissions: permissions.join(' ') };
  return { kind: 'AUTHORIZATION_GRANTED', ...by, merchantId, applicationId, details };
}

export function newAuthorization(granted: GrantedAccess, createdAt: Instant) {
  return { ...granted, id: realIds.newId(22), createdAt };
}

export interface IssuedTokens {
  readonly merchantId: string;
  readonly accessToken: string;
  readonly expiresAt: Instant;
  readonly isShortLived: boolean;
  readonly refreshToken: string;
  /** Null: it does not expire. */
  readonly refreshExpiresAt: Instant | null;
}

/** Which tokens an application requests. */
export interface TokenOptions {
  readonly applicationId: string;
  /** The application is confidential and has sent its secret: its refresh tokens are reusable and do not expire. */
  readonly hasSecret: boolean;
  /** A subset of the granted permissions; undefined: all of them. */
  readonly permissions?: readonly Permission[] | undefined;
  readonly isShortLived?: boolean | undefined;
}

/** Generates tokens, and the values to store. The tokens become valid when these are stored. */
function prepareTokens({ applicationId, hasSecret, permissions, isShortLived = false }: TokenOptions) {
  const now = realNow();
  const [accessToken, refreshToken] = [newSecret('EAAA', 64), newSecret('EQAA', 64)];
  const lifetime = isShortLived ? SHORT_LIFETIME_MS : ACCESS_LIFETIME_MS;
  const expiresAt = wholeSecond(instant(now + lifetime)); // the precision of responses
  return {
    tokens: { accessToken, expiresAt, isShortLived, refreshToken },
    issue: {
      applicationId,
      accessHash: hashSecret(accessToken),
      accessExpiresAt: expiresAt,
      refreshHash: hashSecret(refreshToken),
      refreshExpiresAt: hasSecret ? null : wholeSecond(instant(now + REFRESH_LIFETIME_MS)),
      at: now,
      permissions: permissions ?? null,
    },
  };
}

/** Grants access in the merchant's place and issues tokens at once, for the operator of a sandbox. */
export async function grantByOperator(
  database: Database,
  granted: GrantedAccess,
  clientType: ClientType,
): Promise<IssuedTokens> {
  const { tokens, issue } = prepareTokens({
    applicationId: granted.applicationId,
    hasSecret: clientType === 'CONFIDENTIAL',
  });
  await issueCredentials(database, async (issuing) => {
    await authorizeWithTokens(issuing, newAuthorization(granted, issue.at), issue);
    await recordAudit(issuing.tx, grantEntry(granted, {}));
  });
  return { ...tokens, merchantId: granted.merchantId, refreshExpiresAt: issue.refreshExpiresAt };
}

/** Stores an authorization with its tokens. */
export async function authorizeWithTokens(
  { tx, enter }: Issuing,
  authorization: NewAuthorization,
  issue: TokensToIssue,
): Promise<void> {
  await storeWithTokens(tx, authorization, issue);
  for (const hash of [issue.accessHash, issue.refreshHash]) enter(authorization.merchantId, hash);
}

/**
 * Exchanges a single-use secret for tokens. The commit that stores them also spends the secret, so the directory gets them before: if
 * the server fails in between, the application can still use the secret. Presenting a spent one would revoke the authorization.
 */
async function spend<Result>(
  database: Database,
  { merchantId }: FoundGrant,
  hashes: readonly Buffer[],
  exchange: (change: Change) => Promise<Result>,
): Promise<Result> {
  await Promise.all(hashes.map((hash) => enterCredential(database, merchantId, hash)));
  return database.change(merchantId, exchange);
}

/** Finds the merchant of a secret that an application presents. */
async function locate({ sql }: Database, secret: string, applicationId: string): Promise<PresentedSecret | undefined> {
  const hash = hashSecret(secret);
  const merchantId = await findMerchantOf(sql, hash);
  return merchantId === undefined ? undefined : { merchantId, hash, applicationId };
}

export interface CodeExchange {
  readonly code: string;
  readonly redirectUrl: string | undefined;
  readonly verifier: string | undefined;
}

/**
 * Exchanges a code for tokens. If the application presents a code for the second time, somebody else may have used it first, so the
 * authorization is revoked. Only a caller that proves to be the application can cause this, not one that has merely seen the code.
 */
export async function exchangeCode(
  actor: Actor,
  { code: secret, redirectUrl, verifier }: CodeExchange,
  tokenOptions: TokenOptions,
): Promise<IssuedTokens> {
  const { tokens, issue } = prepareTokens(tokenOptions);
  const claim = {
    hash: hashSecret(secret),
    redirectUrl: redirectUrl ?? null,
    // Null without a verifier. Then the code must have no challenge either, and vice versa (RFC 9700 2.1.1).
    challenge: verifier === undefined ? null : challengeOf(verifier),
  };
  const { database } = actor;
  const { applicationId } = tokenOptions;
  const presented = await locate(database, secret, applicationId);
  const code = presented && (await findCode(database.sql, presented));
  const hashes = [issue.accessHash, issue.refreshHash];
  if (
    code &&
    !code.isSpent &&
    (await spend(database, code, hashes, (change) => spendCode(change, code, claim, issue)))
  ) {
    const { merchantId } = code;
    logIssuedTokens(actor, { merchantId, applicationId, reason: 'authorization code' });
    return { ...tokens, merchantId, refreshExpiresAt: issue.refreshExpiresAt };
  }
  // Again, because another request may have used it meanwhile.
  const found = presented && (await findCode(database.sql, presented));
  const isProven = tokenOptions.hasSecret || (claim.challenge !== null && claim.challenge === found?.challenge);
  return rejectGrant(
    actor,
    found && { ...found, isSpent: found.isSpent && isProven },
    tokenOptions,
    'authorization code',
  );
}

export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

/** Exchanges a refresh token for new tokens. A single-use one that is presented twice may be stolen: the authorization is revoked. */
export async function refreshTokens(
  actor: Actor,
  refreshToken: string,
  tokenOptions: TokenOptions,
): Promise<IssuedTokens> {
  // Only single-use tokens are replaced. The new one is single-use too, even if the application has a secret.
  const { tokens, issue } = prepareTokens({ ...tokenOptions, hasSecret: false });
  const { database } = actor;
  const { applicationId, hasSecret } = tokenOptions;
  const presented = await locate(database, refreshToken, applicationId);
  const token = presented && (await findRefreshToken(database.sql, presented));
  const used = token && !token.isSpent && (await useRefreshToken(database, token, { ...presented, hasSecret }, issue));
  if (used) {
    const { merchantId } = token;
    logIssuedTokens(actor, { merchantId, applicationId, reason: 'refresh token' });
    return used.isReplaced
      ? { ...tokens, merchantId, refreshExpiresAt: issue.refreshExpiresAt }
      : { ...tokens, merchantId, refreshToken, refreshExpiresAt: null };
  }
  // Again, because another request may have used it meanwhile.
  const found = presented && (await findRefreshToken(database.sql, presented));
  return rejectGrant(actor, found, tokenOptions, 'refresh token');
}

async function useRefreshToken(
  database: Database,
  token: FoundGrant & { readonly isSingleUse: boolean },
  { hash, hasSecret }: { readonly hash: Buffer; readonly hasSecret: boolean },
  issue: TokensToIssue,
): Promise<{ isReplaced: boolean } | undefined> {
  const hashes = token.isSingleUse ? [issue.accessHash, issue.refreshHash] : [issue.accessHash];
  return spend(database, token, hashes, (change) => spendRefreshToken(change, token, { hash, hasSecret }, issue));
}

/** Applications can obtain tokens without limit, so the security log counts equal entries instead of writing each one. */
function logIssuedTokens(
  { securityLog, visitor }: Actor,
  { merchantId, applicationId, reason }: { merchantId: string; applicationId: string; reason: string },
): void {
  const address = visitor?.address;
  securityLog.record({ kind: 'TOKEN_CREATED', merchantId, applicationId, address, details: { reason } });
}

type GrantKind = 'authorization code' | 'refresh token';

async function rejectGrant(
  actor: Actor,
  found: FoundGrant | undefined,
  { applicationId, permissions = [] }: TokenOptions,
  kind: GrantKind,
): Promise<never> {
  if (found?.isSpent) {
    const { database, invalidateCredentials } = actor;
    const who = { ...actorOf(actor), merchantId: found.merchantId, applicationId };
    const entry = { kind: 'AUTHORIZATION_REVOKED', ...who, details: { by: `a spent ${kind}` } } as const;
    const revocation = { ...found, applicationId, by: 'SQUARE' } as const;
    await changeAudited(database, entry, (tx) => moveAuthorizationsToRevoked(tx, revocation, realNow()));
    invalidateCredentials(found.merchantId);
  }
  const notGranted = found ? permissions.filter((each) => !found.permissions.includes(each)) : [];
  if (notGranted.length > 0) {
    throw new Refusal('INVALID_VALUE', {
      field: 'scopes',
      detail: `The merchant did not grant: ${notGranted.join(', ')}.`,
    });
  }
  throw new Refusal('UNAUTHORIZED', { detail: REJECTED[kind](applicationId) });
}

/** One text for all causes, so that guessing reveals nothing. Programs compare that of a refresh token (contract 11.5). */
const REJECTED: Readonly<Record<GrantKind, (applicationId: string) => string>> = {
  'authorization code': (applicationId) =>
    `The authorization code is not valid for the application ${applicationId}: unknown, expired, used or revoked.`,
  'refresh token': () => 'Invalid refresh token',
};

/** Issues a new access token for an old one. Deprecated in favour of refresh tokens (decision 0073). */
export async function renewAccessToken(
  actor: Actor,
  accessToken: string,
  applicationId: string,
): Promise<Omit<IssuedTokens, 'refreshToken' | 'refreshExpiresAt'>> {
  const { database } = actor;
  const { tokens, issue } = prepareTokens({ applicationId, hasSecret: true });
  const presented = await locate(database, accessToken, applicationId);
  if (!presented) throw unknownToken();
  const { merchantId } = presented;
  const renewal = { ...presented, expiredAfter: instant(issue.at - RENEWABLE_MS) };
  if (await database.statement((tx) => insertRenewedToken(tx, renewal, issue))) {
    await enterCredential(database, merchantId, issue.accessHash);
    logIssuedTokens(actor, { merchantId, applicationId, reason: 'renewal' });
    return { ...tokens, merchantId };
  }
  const found = await findAccessToken(database.sql, presented);
  if (!found) throw unknownToken();
  if (found.isRevoked) throw new Refusal('ACCESS_TOKEN_REVOKED');
  throw new Refusal('ACCESS_TOKEN_EXPIRED', { detail: 'The access token expired more than 15 days ago.' });
}

function unknownToken(): Refusal {
  return new Refusal('NOT_FOUND', { field: 'access_token', detail: 'The application has no such token.' });
}

/** Whose authorizations are revoked: those of this merchant, or of the merchant of this token. */
export type RevocationTarget = { readonly merchantId: string } | { readonly accessToken: string };

/** Revokes all authorizations of the application for the merchant, not only that of the given token. */
export async function revokeAuthorizations(
  actor: Actor,
  target: RevocationTarget,
  applicationId: string,
): Promise<void> {
  const { database, invalidateCredentials } = actor;
  const { merchantId } =
    'merchantId' in target ? target : await requireAccessToken(database, target.accessToken, applicationId);
  const who = { ...actorOf(actor), merchantId, applicationId };
  const entry = { kind: 'AUTHORIZATION_REVOKED', ...who, details: { by: 'application' } } as const;
  const found = await changeAudited(database, entry, (tx) =>
    moveAuthorizationsToRevoked(tx, { merchantId, applicationId, by: 'APPLICATION' }, realNow()),
  );
  if (!found) {
    throw new Refusal('NOT_FOUND', {
      field: 'merchant_id',
      detail: 'This merchant has never authorized this application.',
    });
  }
  invalidateCredentials(merchantId);
}

/** Revokes one access token. The others stay valid. */
export async function revokeAccessToken(actor: Actor, accessToken: string, applicationId: string): Promise<void> {
  const { database, invalidateCredentials } = actor;
  const { merchantId, hash } = await requireAccessToken(database, accessToken, applicationId);
  const entry = { kind: 'TOKEN_REVOKED', ...actorOf(actor), merchantId, applicationId } as const;
  await changeAudited(database, entry, (tx) => moveTokenToRevoked(tx, merchantId, hash, realNow()));
  invalidateCredentials(merchantId);
}

async function requireAccessToken(
  database: Database,
  accessToken: string,
  applicationId: string,
): Promise<PresentedSecret> {
  const presented = await locate(database, accessToken, applicationId);
  if (!presented || !(await findAccessToken(database.sql, presented))) throw unknownToken();
  return presented;
}
