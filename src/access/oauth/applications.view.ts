/** The format of applications and authorizations in requests and responses of the dashboard and the sandbox. */
import { about, choice, model, optional, present, type Static, Time, Type, text } from '../../api/wire.js';
import { printSeconds } from '../../base/time.js';
import type { Application } from '../../identity/application-queries.js';
import { CLIENT_TYPES } from '../../identity/client-types.js';
import { PERMISSIONS } from '../../identity/permissions.js';
import type { AuthorizedApplication } from './queries.js';
import { MAX_REDIRECT_URL_LENGTH, MAX_REDIRECT_URLS } from './redirect-urls.js';

export const ApplicationModel = model('Application', {
  id: about('The id of the application, `client_id` in OAuth requests.', Type.String()),
  name: about('The name that owners see when they are asked.', Type.String()),
  client_type: about('Whether the application can keep a secret.', choice(CLIENT_TYPES)),
  redirect_urls: about(
    'The addresses to which the authorization page may send the browser back.',
    Type.Array(Type.String()),
  ),
  created_at: about('When the application was registered.', Time),
});

/** The secret is beside the application, not in it, because it is shown only once. A public application has no secret. */
export const RegisteredApplication = Type.Object({
  application: about('The new application.', ApplicationModel),
  application_secret: about(
    'The secret of the application. Shown only here. Public applications have none.',
    optional(Type.String()),
  ),
});

export function toRegisteredApplication({
  application,
  secret,
}: {
  readonly application: Application;
  readonly secret: string | undefined;
}): Static<typeof RegisteredApplication> {
  return { application: toApplication(application), ...present({ application_secret: secret }) };
}

/** Decision 0070. */
export const ClientTypeChoice = about(
  'Whether the application can keep a secret. Default: CONFIDENTIAL, which means that it can.',
  optional(choice(CLIENT_TYPES)),
);

export const ApplicationName = about('The name that owners see when they are asked.', text(255, { minLength: 1 }));

export function redirectUrls({ minItems }: { minItems: number }) {
  return Type.Array(text(MAX_REDIRECT_URL_LENGTH, { minLength: 1 }), { minItems, maxItems: MAX_REDIRECT_URLS });
}

export function toApplication({
  id,
  name,
  clientType,
  redirectUrls: urls,
  createdAt,
}: Application): Static<typeof ApplicationModel> {
  return { id, name, client_type: clientType, redirect_urls: [...urls], created_at: printSeconds(createdAt) };
}

export const AuthorizationModel = model('Authorization', {
  application_id: about('The id of the application.', Type.String()),
  application_name: about('The name of the application.', Type.String()),
  permissions: about('What the application may do.', Type.Array(choice(PERMISSIONS))),
  created_at: about('When the owner authorized it.', Time),
});

export function toAuthorization(authorized: AuthorizedApplication): Static<typeof AuthorizationModel> {
  return {
    application_id: authorized.applicationId,
    application_name: authorized.name,
    permissions: [...authorized.permissions],
    created_at: printSeconds(authorized.createdAt),
  };
}
