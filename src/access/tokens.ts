/** Creates personal access tokens. A token is shown once, when it is created. Only its hash is stored. */
import { realNow } from '../base/clock.js';
import { newSecret } from '../base/ids.js';
import { hashAsText, hashSecret } from '../base/secrets.js';
import type { Instant } from '../base/time.js';
import type { Tx } from '../database/database.js';
import { recordAudit } from '../identity/audit.js';
import type { Permission } from '../identity/permissions.js';
import { insertApplication, insertToken } from './token-queries.js';

/** The application of personal tokens. The operator creates these tokens; no merchant grants them. */
const PERSONAL_APPLICATION = { id: 'sq0idp-TillhousePersonal0000', name: 'Personal access tokens' };

/** The beginning of the token's hash: it identifies the token and cannot be used to sign in. */
export function toTokenId({ hash }: { readonly hash: string }): string {
  return hash.slice(0, 16);
}

export function isPersonal({ applicationId }: { readonly applicationId: string }): boolean {
  return applicationId === PERSONAL_APPLICATION.id;
}

export interface TokenRequest {
  readonly merchantId: string;
  readonly permissions: readonly Permission[];
  readonly label: string;
  readonly expiresAt?: Instant | null;
}

export async function createPersonalToken(tx: Tx, request: TokenRequest): Promise<string> {
  const token = newSecret('EAAA', 64);
  await recordPersonalToken(tx, token, request);
  const { merchantId, label } = request;
  await recordAudit(tx, {
    kind: 'TOKEN_CREATED',
    merchantId,
    details: { token_id: toTokenId({ hash: hashAsText(token) }), label },
  });
  return token;
}

/** Stores a token that the caller created. */
export async function recordPersonalToken(tx: Tx, token: string, request: TokenRequest): Promise<void> {
  const createdAt = realNow();
  const stored = {
    ...request,
    hash: hashSecret(token),
    applicationId: PERSONAL_APPLICATION.id,
    createdAt,
    expiresAt: request.expiresAt ?? null,
  };
  // Both are sent at once. PostgreSQL runs them in order.
  await Promise.all([insertApplication(tx, { ...PERSONAL_APPLICATION, createdAt }), insertToken(tx, stored)]);
}
