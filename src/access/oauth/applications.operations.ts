/** Operations with which the owner registers applications, and lists and revokes the authorizations of applications. */
import { type OwnerContext, operation } from '../../api/operation.js';
import { about, Nothing, Type } from '../../api/wire.js';
import { realNow } from '../../base/clock.js';
import { notFound, Refusal } from '../../base/errors.js';
import { findApplication } from '../../identity/application-queries.js';
import { actorOf, changeAudited } from '../../identity/audit.js';
import { registerApplication, rotateSecret } from './applications.js';
import {
  ApplicationModel,
  ApplicationName,
  AuthorizationModel,
  ClientTypeChoice,
  RegisteredApplication,
  redirectUrls,
  toApplication,
  toAuthorization,
  toRegisteredApplication,
} from './applications.view.js';
import { listApplications, listAuthorizedApplications, moveAuthorizationsToRevoked } from './queries.js';

async function noSecretReason({ database, merchant }: OwnerContext, applicationId: string): Promise<Refusal> {
  const application = await findApplication(database.sql, applicationId);
  return application?.merchantId === merchant.id
    ? new Refusal('WRONG_STATE', { detail: `The application ${applicationId} is public and has no secret.` })
    : notFound('application', applicationId);
}

export const dashboardApplicationOperations = [
  operation({
    surface: 'dashboard',
    name: 'registerApplication',
    method: 'POST',
    path: '/api/dashboard/applications',
    permission: 'OWNER',
    recentSignIn: true,
    summary: 'Registers an application that can request authorization from merchants. Its secret is shown only once.',
    body: Type.Object({
      name: ApplicationName,
      client_type: ClientTypeChoice,
      redirect_urls: about(
        'The addresses to which the authorization page may send the browser back.',
        redirectUrls({ minItems: 1 }),
      ),
    }),
    example: { body: { name: 'Bookkeeping', redirect_urls: ['http://localhost:3000/callback'] } },
    response: RegisteredApplication,
    async handle(context, { body: { name, client_type: clientType = 'CONFIDENTIAL', redirect_urls } }) {
      const requested = { name, clientType, redirectUrls: redirect_urls, merchantId: context.merchant.id };
      return toRegisteredApplication(await registerApplication(context, requested));
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'listApplications',
    method: 'GET',
    path: '/api/dashboard/applications',
    permission: 'OWNER',
    summary: 'Lists the applications that the owner registered, oldest first.',
    response: Type.Object({
      applications: about('The applications that the business registered.', Type.Array(ApplicationModel)),
    }),
    async handle({ database, merchant }) {
      return { applications: (await listApplications(database.sql, merchant.id)).map(toApplication) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'rotateApplicationSecret',
    method: 'POST',
    path: '/api/dashboard/applications/{application_id}/secret',
    permission: 'OWNER',
    recentSignIn: true,
    summary: 'Replaces the secret of an application. The new secret is shown only once; the old one becomes invalid.',
    response: Type.Object({
      application_secret: about('The new secret. The old one no longer works. Shown only here.', Type.String()),
    }),
    async handle(context, { params: { application_id } }) {
      const secret = await rotateSecret(context, context.merchant.id, application_id);
      if (secret === undefined) throw await noSecretReason(context, application_id);
      return { application_secret: secret };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'listAuthorizations',
    method: 'GET',
    path: '/api/dashboard/authorizations',
    permission: 'OWNER',
    summary: 'Lists the authorized applications with their permissions.',
    response: Type.Object({
      authorizations: about('The applications that may use data of the business.', Type.Array(AuthorizationModel)),
    }),
    async handle({ database, merchant }) {
      return { authorizations: (await listAuthorizedApplications(database.sql, merchant.id)).map(toAuthorization) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'revokeAuthorization',
    method: 'DELETE',
    path: '/api/dashboard/authorizations/{application_id}',
    permission: 'OWNER',
    recentSignIn: true,
    summary: 'Revokes all authorizations of an application. Its tokens become invalid.',
    response: Nothing,
    async handle(context, { params: { application_id } }) {
      const { database, merchant, invalidateCredentials } = context;
      const target = { merchantId: merchant.id, applicationId: application_id, by: 'MERCHANT' } as const;
      const who = { ...actorOf(context), applicationId: application_id };
      const entry = { kind: 'AUTHORIZATION_REVOKED', ...who, details: { by: 'owner' } } as const;
      const found = await changeAudited(database, entry, (tx) => moveAuthorizationsToRevoked(tx, target, realNow()));
      if (!found) throw notFound('authorization of an application', application_id);
      invalidateCredentials(merchant.id);
      return {};
    },
  }),
];
