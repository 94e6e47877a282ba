/** The operator authorizes applications for merchants, and revokes that. */
import { grantByOperator } from '../access/oauth/grants.js';
import { moveAuthorizationsToRevoked } from '../access/oauth/queries.js';
import type { ServerContext } from '../api/operation.js';
import { realNow } from '../base/clock.js';
import { notFound, Refusal } from '../base/errors.js';
import { findApplication } from '../identity/application-queries.js';
import { changeAudited } from '../identity/audit.js';
import { PERMISSIONS, type Permission } from '../identity/permissions.js';
import { requireMerchant } from './actions.js';

interface Authorization {
  readonly merchantId: string;
  readonly applicationId: string;
}

/** Returns the tokens of the application. */
export async function authorizeApplication(
  context: ServerContext,
  {
    merchantId,
    applicationId,
    permissions = PERMISSIONS,
  }: Authorization & { readonly permissions?: readonly Permission[] | undefined },
) {
  const { database } = context;
  await requireMerchant(context, merchantId);
  const application = await findApplication(database.sql, applicationId);
  if (!application) {
    throw new Refusal('INVALID_VALUE', { field: 'application_id', detail: 'There is no such application.' });
  }
  const grant = { merchantId, applicationId: application.id, permissions };
  return grantByOperator(database, grant, application.clientType);
}

export async function revokeAuthorization(
  { database, invalidateCredentials }: ServerContext,
  { merchantId, applicationId }: Authorization,
): Promise<void> {
  const authorization = { merchantId, applicationId, by: 'MERCHANT' } as const;
  const entry = { kind: 'AUTHORIZATION_REVOKED', merchantId, applicationId, details: { by: 'operator' } } as const;
  const found = await changeAudited(database, entry, (tx) => moveAuthorizationsToRevoked(tx, authorization, realNow()));
  if (!found) throw notFound('authorization of application', applicationId);
  invalidateCredentials(merchantId);
}
