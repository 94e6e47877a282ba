/** Stores authorizations, and exchanges their codes and refresh tokens for tokens: each secret is spent in the commit that stores the new ones. */
import type { Instant } from '../../base/time.js';
import { type Change, changeIn } from '../../database/change.js';
import type { Tx } from '../../database/database.js';
import type { Permission } from '../../identity/permissions.js';
import { type FoundGrant, findAuthorization } from './queries.js';
import {
  type AuthorizationCode,
  accessTokens,
  authorizationCodes,
  authorizations,
  type RefreshToken,
  refreshTokens,
} from './table.js';

export interface NewAuthorization {
  readonly id: string;
  readonly merchantId: string;
  readonly applicationId: string;
  readonly permissions: readonly Permission[];
  readonly createdAt: Instant;
}

/** The access token to issue. Its permissions come from the authorization. */
export interface AccessTokenToIssue {
  readonly applicationId: string;
  readonly accessHash: Buffer;
  readonly accessExpiresAt: Instant;
  readonly at: Instant;
  /** A subset of the granted permissions; null: all of them. */
  readonly permissions: readonly Permission[] | null;
}

export interface TokensToIssue extends AccessTokenToIssue {
  readonly refreshHash: Buffer;
  /** Null: it does not expire and is reusable. */
  readonly refreshExpiresAt: Instant | null;
}

/** Records what an owner granted, with the code that the application exchanges for tokens. */
export async function storeWithCode(
  tx: Tx,
  authorization: NewAuthorization,
  code: Pick<AuthorizationCode, 'hash' | 'redirectUrl' | 'challenge' | 'expiresAt'>,
): Promise<void> {
  await changeIn(tx, authorization.merchantId, (change) => {
    addAuthorization(change, authorization);
    change.insert(authorizationCodes, { ...code, authorizationId: authorization.id, usedAt: null });
  });
}

/** Records what the operator of a sandbox granted in the owner's place, with tokens, because that needs no code. */
export async function storeWithTokens(tx: Tx, authorization: NewAuthorization, issue: TokensToIssue): Promise<void> {
  await changeIn(tx, authorization.merchantId, (change) => {
    addAuthorization(change, authorization);
    addAccessToken(change, authorization.id, issue, issue.permissions ?? authorization.permissions);
    addRefreshToken(change, authorization.id, issue);
  });
}

function addAuthorization(change: Change, { merchantId: _, ...authorization }: NewAuthorization): void {
  change.insert(authorizations, { ...authorization, revokedAt: null });
}

function addAccessToken(
  change: Change,
  authorizationId: string,
  { applicationId, accessHash, accessExpiresAt, at }: AccessTokenToIssue,
  permissions: readonly Permission[],
): void {
  change.insert(accessTokens, {
    ...{ hash: accessHash, applicationId, authorizationId, permissions },
    ...{ label: 'oauth', createdAt: at, expiresAt: accessExpiresAt },
  });
}

function addRefreshToken(
  change: Change,
  authorizationId: string,
  { refreshHash, refreshExpiresAt, at }: TokensToIssue,
): void {
  change.insert(refreshTokens, {
    ...{ hash: refreshHash, authorizationId, createdAt: at },
    ...{ expiresAt: refreshExpiresAt, usedAt: null },
  });
}

export interface CodeClaim {
  readonly hash: Buffer;
  /** Null: the request has none. */
  readonly redirectUrl: string | null;
  /** Null: the request has no verifier, so the code must have no challenge. */
  readonly challenge: string | null;
}

/** Returns false if the code cannot be used. */
export async function spendCode(
  change: Change,
  { authorizationId }: FoundGrant,
  claim: CodeClaim,
  issue: TokensToIssue,
): Promise<boolean> {
  const permissions = await permissionsOf(change, authorizationId, issue);
  if (!permissions) return false; // checked first, because a refused request does not use up the code
  const code = await change.read(authorizationCodes, { hash: claim.hash });
  if (!code || code.authorizationId !== authorizationId || !isUsable(code, claim, issue.at)) return false;
  change.save(authorizationCodes, code, { ...code, usedAt: issue.at });
  addAccessToken(change, authorizationId, issue, permissions);
  addRefreshToken(change, authorizationId, issue);
  return true;
}

/** The request may lack the redirect URL, but not the challenge of the code. */
function isUsable(code: AuthorizationCode, { redirectUrl, challenge }: CodeClaim, at: Instant): boolean {
  const isSame = code.challenge === challenge && (redirectUrl === null || code.redirectUrl === redirectUrl);
  return isSame && code.usedAt === null && code.expiresAt > at;
}

/** Replaces a refresh token if it is single-use. A reusable one requires the secret of the application. Undefined: it cannot be used. */
export async function spendRefreshToken(
  change: Change,
  { authorizationId }: FoundGrant,
  { hash, hasSecret }: { readonly hash: Buffer; readonly hasSecret: boolean },
  issue: TokensToIssue,
): Promise<{ isReplaced: boolean } | undefined> {
  const permissions = await permissionsOf(change, authorizationId, issue);
  const token = permissions && (await change.read(refreshTokens, { hash }));
  if (!token || token.authorizationId !== authorizationId || !isFresh(token, hasSecret, issue.at)) return undefined;
  change.save(refreshTokens, token, { ...token, usedAt: issue.at });
  addAccessToken(change, authorizationId, issue, permissions);
  const isReplaced = token.expiresAt !== null;
  if (isReplaced) addRefreshToken(change, authorizationId, issue);
  return { isReplaced };
}

function isFresh({ expiresAt, usedAt }: RefreshToken, hasSecret: boolean, at: Instant): boolean {
  return expiresAt === null ? hasSecret : usedAt === null && expiresAt > at;
}

/**
 * The permissions of a token to issue: those requested, or else all that were granted. Undefined if it may not be issued. The change does not
 * depend on the authorization: a token of one that is revoked meanwhile is not valid.
 */
async function permissionsOf(
  { sql, merchantId }: Change,
  authorizationId: string,
  { applicationId, permissions }: AccessTokenToIssue,
): Promise<readonly Permission[] | undefined> {
  const granted = await findAuthorization(sql, merchantId, authorizationId);
  if (!granted || granted.applicationId !== applicationId || granted.revokedAt !== null) return undefined;
  if (permissions === null) return granted.permissions;
  return permissions.every((each) => granted.permissions.includes(each)) ? permissions : undefined;
}
