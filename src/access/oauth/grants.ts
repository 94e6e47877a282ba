/** What an application gets of a merchant's yes: a code, tokens for the code, newer tokens, and an end to all of it. */
import { createHash } from 'node:crypto';
import type { ServerContext } from '../../api/operation.js';
import { realNow } from '../../base/clock.js';
import { Refusal } from '../../base/errors.js';
import { newSecret, realIds } from '../../base/ids.js';
import { hashSecret } from '../../base/secrets.js';
import { DAY_MS, type Instant, instant, MINUTE_MS, wholeSecond } from '../../base/time.js';
import type { Database } from '../../database/database.js';
import { type AuditActor, type AuditEntry, actorOf, changeAudited, type KnownContext } from '../../identity/audit.js';
import type { ClientType } from '../../identity/client-types.js';
import type { Permission } from '../../identity/permissions.js';
import { moveTokenToRevoked } from '../token-queries.js';
import {
  findAccessToken,
  findCode,
  findRefreshToken,
  insertAuthorizationWithCode,
  insertAuthorizationWithTokens,
  insertRenewedToken,
  moveAuthorizationsToRevoked,
  moveAuthorizationToRevoked,
  moveCodeToUsed,
  moveRefreshTokenToUsed,
  type Presented,
} from './queries.js';

const CODE_LIFETIME_MS = 5 * MINUTE_MS;
const ACCESS_LIFETIME_MS = 30 * DAY_MS;
const SHORT_LIFETIME_MS = DAY_MS;
/** Of refresh tokens that are used once (decision 0072). */
const REFRESH_LIFETIME_MS = 90 * DAY_MS;
/** Facts of the published interface: until then an expired token can be renewed. */
const RENEWABLE_MS = 15 * DAY_MS;

type Actor = Pick<ServerContext, 'database' | 'forget' | 'securityLog'> & KnownContext;

/** What the owner said yes to. */
export interface Allowed {
  readonly merchantId: string;
  readonly applicationId: string;
  readonly permissions: readonly Permission[];
}

export async function issueCode(
  database: Database,
  allowed: Allowed,
  { redirectUrl, challenge, by }: { redirectUrl: string; challenge: string | undefined; by: AuditActor },
): Promise<string> {
  const [code, now] = [newSecret('sq0cgb-', 29), realNow()];
  await changeAudited(database, grantEntry(allowed, by), (tx) =>
    insertAuthorizationWithCode(tx, newAuthorization(allowed, now), {
      hash: hashSecret(code),
      redirectUrl,
      challenge: challenge ?? null,
      expiresAt: instant(now + CODE_LIFETIME_MS),
    }),
  );
  return code;
}

function grantEntry({ merchantId, applicationId, permissions }: Allowed, by: AuditActor): AuditEntry {
  const details = { permissions: permissions.join(' ') };
  return { kind: 'AUTHORIZATION_GRANTED', ...by, merchantId, applicationId, details };
}

/** Somebody says yes. */
export function newAuthorization(allowed: Allowed, createdAt: Instant) {
  return { ...allowed, id: realIds.newId(22), createdAt };
}

export interface IssuedTokens {
  readonly merchantId: string;
  readonly accessToken: string;
  readonly expiresAt: Instant;
  readonly isShortLived: boolean;
  readonly refreshToken: string;
  /** Null: never. */
  readonly refreshExpiresAt: Instant | null;
}

/** How an application wants its tokens. */
export interface TokenWishes {
  readonly applicationId: string;
  /** It is confidential and has shown its secret: what it gets can be used again and again. */
  readonly hasSecret: boolean;
  /** Fewer permissions than were allowed; undefined: all of them. */
  readonly permissions?: readonly Permission[] | undefined;
  readonly isShortLived?: boolean | undefined;
}

/** Tokens that are not given out yet, and their rows. */
function prepare({ applicationId, hasSecret, permissions, isShortLived = false }: TokenWishes) {
  const now = realNow();
  const [accessToken, refreshToken] = [newSecret('EAAA', 64), newSecret('EQAA', 64)];
  const lifetime = isShortLived ? SHORT_LIFETIME_MS : ACCESS_LIFETIME_MS;
  const expiresAt = wholeSecond(instant(now + lifetime)); // as it is shown
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

/** What the operator of a sandbox allows in the merchant's place, with tokens at once. */
export async function grantDirectly(
  database: Database,
  allowed: Allowed,
  clientType: ClientType,
): Promise<IssuedTokens> {
  const { tokens, issue } = prepare({
    applicationId: allowed.applicationId,
    hasSecret: clientType === 'CONFIDENTIAL',
  });
  await changeAudited(database, grantEntry(allowed, {}), (tx) =>
    insertAuthorizationWithTokens(tx, newAuthorization(allowed, issue.at), issue),
  );
  return { ...tokens, merchantId: allowed.merchantId, refreshExpiresAt: issue.refreshExpiresAt };
}

export interface CodeInHand {
  readonly code: string;
  readonly redirectUrl: string | undefined;
  readonly verifier: string | undefined;
}

/**
 * Tokens for a code. A code that comes twice, from whoever proved to be the application, was given to somebody else too: what it
 * gave the first time ends. A stranger who has only seen the code ends nothing.
 */
export async function exchangeCode(
  actor: Actor,
  { code, redirectUrl, verifier }: CodeInHand,
  wishes: TokenWishes,
): Promise<IssuedTokens> {
  const { tokens, issue } = prepare(wishes);
  const hash = hashSecret(code);
  const claim = {
    hash,
    redirectUrl: redirectUrl ?? null,
    // Null where nothing is proven: then nothing may have been asked for, nor the other way round (RFC 9700 2.1.1).
    challenge: verifier === undefined ? null : challengeOf(verifier),
  };
  const taken = await actor.database.statement((tx) => moveCodeToUsed(tx, claim, issue));
  if (taken) {
    noteTokens(actor, { ...taken, applicationId: wishes.applicationId, reason: 'authorization code' });
    return { ...tokens, merchantId: taken.merchantId, refreshExpiresAt: issue.refreshExpiresAt };
  }
  const found = await findCode(actor.database.sql, hash, wishes.applicationId);
  const isProven = wishes.hasSecret || (claim.challenge !== null && claim.challenge === found?.challenge);
  return refusePresented(
    actor,
    found && { ...found, isSpent: found.isSpent && isProven },
    wishes,
    'authorization code',
  );
}

export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

/** Newer tokens. One that is used once and comes twice has been read by somebody else: all of its family ends. */
export async function refreshTokens(actor: Actor, refreshToken: string, wishes: TokenWishes): Promise<IssuedTokens> {
  // What is replaced is of the kind that ends, whoever uses it.
  const { tokens, issue } = prepare({ ...wishes, hasSecret: false });
  const hash = hashSecret(refreshToken);
  const used = await actor.database.statement((tx) =>
    moveRefreshTokenToUsed(tx, { hash, hasSecret: wishes.hasSecret }, issue),
  );
  if (used) {
    const { merchantId, isReplaced } = used;
    noteTokens(actor, { merchantId, applicationId: wishes.applicationId, reason: 'refresh token' });
    return isReplaced
      ? { ...tokens, merchantId, refreshExpiresAt: issue.refreshExpiresAt }
      : { ...tokens, merchantId, refreshToken, refreshExpiresAt: null };
  }
  const found = await findRefreshToken(actor.database.sql, hash, wishes.applicationId);
  return refusePresented(actor, found, wishes, 'refresh token');
}

/** Applications may ask as often as they like, so equal ones are counted like refusals. */
function noteTokens(
  { securityLog, visitor }: Actor,
  { merchantId, applicationId, reason }: { merchantId: string; applicationId: string; reason: string },
): void {
  const address = visitor?.address;
  securityLog.note({ kind: 'TOKEN_CREATED', merchantId, applicationId, address, details: { reason } });
}

async function refusePresented(
  actor: Actor,
  found: Presented | undefined,
  { applicationId, permissions = [] }: TokenWishes,
  kind: string,
): Promise<never> {
  if (found?.isSpent) {
    const { database, forget } = actor;
    const who = { ...actorOf(actor), merchantId: found.merchantId, applicationId };
    const entry = { kind: 'AUTHORIZATION_REVOKED', ...who, details: { by: `a spent ${kind}` } } as const;
    await changeAudited(database, entry, (tx) => moveAuthorizationToRevoked(tx, found, realNow()));
    forget(found.merchantId);
  }
  const beyond = found ? permissions.filter((each) => !found.permissions.includes(each)) : [];
  if (beyond.length > 0) {
    throw new Refusal('INVALID_VALUE', { field: 'scopes', detail: `${beyond.join(', ')} was not allowed.` });
  }
  // Not more: whoever guesses learns nothing from it.
  throw new Refusal('UNAUTHORIZED', {
    detail: `The ${kind} is not valid for the application ${applicationId}: unknown, expired, used or revoked.`,
  });
}

/** The deprecated way to a newer access token: by the old one (decision 0073). */
export async function renewAccessToken(
  actor: Actor,
  accessToken: string,
  applicationId: string,
): Promise<Omit<IssuedTokens, 'refreshToken' | 'refreshExpiresAt'>> {
  const { database } = actor;
  const { tokens, issue } = prepare({ applicationId, hasSecret: true });
  const hash = hashSecret(accessToken);
  const expiredAfter = instant(issue.at - RENEWABLE_MS);
  const renewed = await database.statement((tx) => insertRenewedToken(tx, { hash, expiredAfter }, issue));
  if (renewed) {
    noteTokens(actor, { ...renewed, applicationId, reason: 'renewal' });
    return { ...tokens, merchantId: renewed.merchantId };
  }
  const found = await findAccessToken(database.sql, hash, applicationId);
  if (!found) throw unknownToken();
  if (found.isRevoked) throw new Refusal('ACCESS_TOKEN_REVOKED');
  throw new Refusal('ACCESS_TOKEN_EXPIRED', { detail: 'The access token expired more than 15 days ago.' });
}

function unknownToken(): Refusal {
  return new Refusal('NOT_FOUND', { field: 'access_token', detail: 'There is no such token of this application.' });
}

/** Whose yes is taken back: the merchant's that is named, or that of the token. */
export type RevocationTarget = { readonly merchantId: string } | { readonly accessToken: string };

/** Ends all that the merchant allowed the application, whichever token was named. */
export async function revokeAuthorizations(
  actor: Actor,
  target: RevocationTarget,
  applicationId: string,
): Promise<void> {
  const { database, forget } = actor;
  const merchantId =
    'merchantId' in target
      ? target.merchantId
      : (await findAccessToken(database.sql, hashSecret(target.accessToken), applicationId))?.merchantId;
  if (merchantId === undefined) throw unknownToken();
  const who = { ...actorOf(actor), merchantId, applicationId };
  const entry = { kind: 'AUTHORIZATION_REVOKED', ...who, details: { by: 'application' } } as const;
  const found = await changeAudited(database, entry, (tx) =>
    moveAuthorizationsToRevoked(tx, { merchantId, applicationId, by: 'APPLICATION' }, realNow()),
  );
  if (!found) {
    throw new Refusal('NOT_FOUND', {
      field: 'merchant_id',
      detail: 'This merchant has never allowed this application anything.',
    });
  }
  forget(merchantId);
}

/** Ends one access token and leaves the others. */
export async function revokeAccessToken(actor: Actor, accessToken: string, applicationId: string): Promise<void> {
  const { database, forget } = actor;
  const hash = hashSecret(accessToken);
  const found = await findAccessToken(database.sql, hash, applicationId);
  if (!found) throw unknownToken();
  const entry = { kind: 'TOKEN_REVOKED', ...actorOf(actor), merchantId: found.merchantId, applicationId } as const;
  await changeAudited(database, entry, (tx) => moveTokenToRevoked(tx, hash, realNow()));
  forget(found.merchantId);
}
