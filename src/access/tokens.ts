/** Creates personal access tokens. A token is shown once, when it is created. Only its hash is stored. */
import { realNow } from '../base/clock.js';
import { newSecret } from '../base/ids.js';
import { hashAsText, hashSecret } from '../base/secrets.js';
import type { Instant } from '../base/time.js';
import type { Database } from '../database/database.js';
import { type AuditActor, recordAudit } from '../identity/audit.js';
import { type Issuing, issueCredentials } from '../identity/directory.js';
import type { Permission } from '../identity/permissions.js';
import { insertToken } from './token-queries.js';

/** The application of personal tokens. A migration registers it. The owner or the operator creates these tokens. */
const PERSONAL_APPLICATION_ID = 'sq0idp-TillhousePersonal0000';

/** The beginning of the token's hash: it identifies the token and cannot be used to sign in. */
export function toTokenId({ hash }: { readonly hash: string }): string {
  return hash.slice(0, 16);
}

export function isPersonal({ applicationId }: { readonly applicationId: string }): boolean {
  return applicationId === PERSONAL_APPLICATION_ID;
}

export interface TokenRequest {
  readonly merchantId: string;
  readonly permissions: readonly Permission[];
  readonly label: string;
  readonly expiresAt?: Instant | null;
  /** The owner who creates it; absent: the operator. */
  readonly actor?: AuditActor;
}

export async function createPersonalToken(database: Database, request: TokenRequest): Promise<string> {
  return issueCredentials(database, (issuing) => issuePersonalToken(issuing, request));
}

export async function issuePersonalToken(issuing: Issuing, request: TokenRequest): Promise<string> {
  const token = newSecret('EAAA', 64);
  await recordPersonalToken(issuing, token, request);
  const { merchantId, label, actor } = request;
  await recordAudit(issuing.tx, {
    kind: 'TOKEN_CREATED',
    ...actor,
    merchantId,
    details: { token_id: toTokenId({ hash: hashAsText(token) }), label },
  });
  return token;
}

/** Stores a token that the caller created. */
export async function recordPersonalToken({ tx, enter }: Issuing, token: string, request: TokenRequest): Promise<void> {
  const stored = {
    ...request,
    hash: hashSecret(token),
    applicationId: PERSONAL_APPLICATION_ID,
    createdAt: realNow(),
    expiresAt: request.expiresAt ?? null,
  };
  await insertToken(tx, stored);
  enter(request.merchantId, stored.hash);
}
