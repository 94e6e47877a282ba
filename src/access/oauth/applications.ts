/** Registers applications and replaces their secrets. */
import type { ServerContext } from '../../api/operation.js';
import { realNow } from '../../base/clock.js';
import type { Mode } from '../../base/config.js';
import { newSecret } from '../../base/ids.js';
import { hashSecret } from '../../base/secrets.js';
import type { Application } from '../../identity/application-queries.js';
import { type ActorContext, actorOf, changeAudited } from '../../identity/audit.js';
import type { ClientType } from '../../identity/client-types.js';
import { insertRegisteredApplication, updateApplicationSecret } from './queries.js';
import { requireRedirectUrls } from './redirect-urls.js';

/** Clients know these prefixes. Each mode has its own (decision 0070). */
const PREFIXES = {
  sandbox: { id: 'sandbox-sq0idb-', secret: 'sandbox-sq0csb-' },
  production: { id: 'sq0idp-', secret: 'sq0csp-' },
} as const;

const ID_LENGTH = 22;
const SECRET_LENGTH = 43;

export interface NewApplication {
  readonly name: string;
  readonly clientType: ClientType;
  readonly redirectUrls: readonly string[];
  /** The merchant whose owner registers it; null if the operator does. */
  readonly merchantId: string | null;
}

/** Returns the secret. Only its hash is stored. A public application has no secret. */
export async function registerApplication(
  context: Pick<ServerContext, 'database' | 'mode'> & ActorContext,
  { name, clientType, redirectUrls, merchantId }: NewApplication,
): Promise<{ application: Application; secret: string | undefined }> {
  const { database, mode } = context;
  requireRedirectUrls(redirectUrls);
  const { id } = PREFIXES[mode];
  const secret = clientType === 'PUBLIC' ? undefined : newApplicationSecret(mode);
  const application: Application = {
    id: newSecret(id, id.length + ID_LENGTH),
    name,
    merchantId,
    clientType,
    redirectUrls,
    secretHash: secret === undefined ? null : hashSecret(secret),
    createdAt: realNow(),
  };
  const who = { ...actorOf(context), merchantId: merchantId ?? undefined, applicationId: application.id };
  await changeAudited(database, { kind: 'APPLICATION_REGISTERED', ...who, details: { name } }, (tx) =>
    insertRegisteredApplication(tx, application),
  );
  return { application, secret };
}

/** Replaces the secret of a confidential application of the merchant. The old one becomes invalid. */
export async function rotateSecret(
  context: Pick<ServerContext, 'database' | 'mode'> & ActorContext,
  merchantId: string,
  applicationId: string,
): Promise<string | undefined> {
  const { database, mode } = context;
  const secret = newApplicationSecret(mode);
  const who = { ...actorOf(context), merchantId, applicationId };
  const found = await changeAudited(database, { kind: 'APPLICATION_SECRET_ROTATED', ...who }, (tx) =>
    updateApplicationSecret(tx, { merchantId, applicationId, secretHash: hashSecret(secret) }),
  );
  return found ? secret : undefined;
}

function newApplicationSecret(mode: Mode): string {
  const { secret } = PREFIXES[mode];
  return newSecret(secret, secret.length + SECRET_LENGTH);
}
