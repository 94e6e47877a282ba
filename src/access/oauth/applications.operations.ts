/** What the owner may do about applications: register their own, and see and end what others are allowed. */
import { type OwnerContext, operation } from '../../api/operation.js';
import { Nothing, Type } from '../../api/wire.js';
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
import { listAllowedApplications, listApplications, moveAuthorizationsToRevoked } from './queries.js';

async function whyNoSecret({ database, merchant }: OwnerContext, applicationId: string): Promise<Refusal> {
  const application = await findApplication(database.sql, applicationId);
  return application?.merchantId === merchant.id
    ? new Refusal('WRONG_STATE', { detail: `The application ${applicationId} is public: it has no secret.` })
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
    summary: 'Registers an application that merchants can be asked to allow; its secret is shown this once.',
    body: Type.Object({
      name: ApplicationName,
      client_type: ClientTypeChoice,
      redirect_urls: redirectUrls({ minItems: 1 }),
    }),
    response: RegisteredApplication,
    async handle(context, { body: { name, client_type: clientType = 'CONFIDENTIAL', redirect_urls } }) {
      const asked = { name, clientType, redirectUrls: redirect_urls, merchantId: context.merchant.id };
      return toRegisteredApplication(await registerApplication(context, asked));
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'listApplications',
    method: 'GET',
    path: '/api/dashboard/applications',
    permission: 'OWNER',
    summary: 'Lists the applications that the owner registered.',
    response: Type.Object({ applications: Type.Array(ApplicationModel) }),
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
    summary: 'Gives an application a new secret, shown this once; the old one is worth nothing from then on.',
    response: Type.Object({ application_secret: Type.String() }),
    async handle(context, { params: { application_id } }) {
      const secret = await rotateSecret(context, context.merchant.id, application_id);
      if (secret === undefined) throw await whyNoSecret(context, application_id);
      return { application_secret: secret };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'listAuthorizations',
    method: 'GET',
    path: '/api/dashboard/authorizations',
    permission: 'OWNER',
    summary: 'Lists the applications that may act for the merchant, and what they may do.',
    response: Type.Object({ authorizations: Type.Array(AuthorizationModel) }),
    async handle({ database, merchant }) {
      return { authorizations: (await listAllowedApplications(database.sql, merchant.id)).map(toAuthorization) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'revokeAuthorization',
    method: 'DELETE',
    path: '/api/dashboard/authorizations/{application_id}',
    permission: 'OWNER',
    recentSignIn: true,
    summary: 'Ends all that an application is allowed: its tokens work no more.',
    response: Nothing,
    async handle(context, { params: { application_id } }) {
      const { database, merchant, forget } = context;
      const target = { merchantId: merchant.id, applicationId: application_id, by: 'MERCHANT' } as const;
      const who = { ...actorOf(context), applicationId: application_id };
      const entry = { kind: 'AUTHORIZATION_REVOKED', ...who, details: { by: 'owner' } } as const;
      const found = await changeAudited(database, entry, (tx) => moveAuthorizationsToRevoked(tx, target, realNow()));
      if (!found) throw notFound('authorization of an application', application_id);
      forget(merchant.id);
      return {};
    },
  }),
];
