/** Subscribes `tillhouse listen` to events of v1. Only applications receive them, so it registers an application. */
import type { V1EventKind } from '../events/model.js';
import { merchantOfToken, type RunningSandbox } from './running-server.js';

const NAME = 'tillhouse listen';

interface ListedApplication {
  readonly id: string;
  readonly name: string;
}

/** Returns a function that ends it. */
export async function subscribeToV1(
  sandbox: RunningSandbox,
  { token, kinds, url }: { readonly token: string; readonly kinds: readonly V1EventKind[]; readonly url: string },
): Promise<() => Promise<void>> {
  const application = await findOrCreateApplication(sandbox);
  const grants = `merchants/${encodeURIComponent(await merchantOfToken(sandbox, token))}/authorizations`;
  const grant = { application_id: application };
  const { access_token } = await sandbox.call<{ access_token: string }>('POST', grants, grant);
  await sandbox.call('PUT', `applications/${application}/v1-webhook`, { notification_url: url });
  await sandbox.ask({ method: 'PUT', path: '/v1/me/webhooks', token: access_token, body: kinds });
  return async () => {
    await sandbox.call('DELETE', `${grants}/${application}`);
  };
}

/** Every run uses the same application, because applications are never deleted. */
async function findOrCreateApplication(sandbox: RunningSandbox): Promise<string> {
  const { applications } = await sandbox.call<{ applications: readonly ListedApplication[] }>(
    'GET',
    'applications?limit=200',
  );
  const known = applications.find(({ name }) => name === NAME);
  if (known) return known.id;
  const created = await sandbox.call<{ application: ListedApplication }>('POST', 'applications', { name: NAME });
  return created.application.id;
}
