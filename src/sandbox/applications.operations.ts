/** What the operator of a sandbox may do about applications: make them, and allow them what they like. */
import { registerApplication } from '../access/oauth/applications.js';
import {
  ApplicationName,
  ClientTypeChoice,
  RegisteredApplication,
  redirectUrls,
  toRegisteredApplication,
} from '../access/oauth/applications.view.js';
import { grantDirectly } from '../access/oauth/grants.js';
import { moveAuthorizationsToRevoked } from '../access/oauth/queries.js';
import { TokenAnswer, toTokenAnswer } from '../access/oauth/tokens.view.js';
import { operation } from '../api/operation.js';
import { choice, Nothing, optional, Type, text } from '../api/wire.js';
import { realNow } from '../base/clock.js';
import { notFound, Refusal } from '../base/errors.js';
import { findApplication } from '../identity/application-queries.js';
import { PERMISSIONS } from '../identity/permissions.js';
import { requireMerchant } from './actions.js';

export const sandboxApplicationOperations = [
  operation({
    surface: 'sandbox',
    name: 'createApplication',
    method: 'POST',
    path: '/api/sandbox/applications',
    permission: 'OPERATOR',
    summary: 'Registers an application that merchants can be asked to allow; its secret is shown this once.',
    body: Type.Object({
      name: ApplicationName,
      client_type: ClientTypeChoice,
      redirect_urls: optional(redirectUrls({ minItems: 0 })),
    }),
    response: RegisteredApplication,
    async handle(context, { body: { name, client_type: clientType = 'CONFIDENTIAL', redirect_urls: urls = [] } }) {
      const asked = { name, clientType, redirectUrls: urls, merchantId: null };
      return toRegisteredApplication(await registerApplication(context, asked));
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'createAuthorization',
    method: 'POST',
    path: '/api/sandbox/merchants/{merchant_id}/authorizations',
    permission: 'OPERATOR',
    summary: "Allows an application all permissions, or those given, in the merchant's name, and answers its tokens.",
    body: Type.Object({
      application_id: text(191, { minLength: 1 }),
      permissions: optional(Type.Array(choice(PERMISSIONS), { minItems: 1, maxItems: 50 })),
    }),
    response: TokenAnswer,
    async handle(context, { params: { merchant_id }, body: { application_id, permissions } }) {
      const { database } = context;
      await requireMerchant(context, merchant_id);
      const application = await findApplication(database.sql, application_id);
      if (!application) {
        throw new Refusal('INVALID_VALUE', { field: 'application_id', detail: 'There is no such application.' });
      }
      const allowed = {
        merchantId: merchant_id,
        applicationId: application.id,
        permissions: permissions ?? PERMISSIONS,
      };
      return toTokenAnswer(await grantDirectly(database, allowed, application.clientType));
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'revokeAuthorization',
    method: 'DELETE',
    path: '/api/sandbox/merchants/{merchant_id}/authorizations/{application_id}',
    permission: 'OPERATOR',
    summary: "Ends all that an application is allowed, in the merchant's name.",
    response: Nothing,
    async handle({ database, forget }, { params: { merchant_id, application_id } }) {
      const whose = { merchantId: merchant_id, applicationId: application_id, by: 'MERCHANT' } as const;
      const found = await database.statement((tx) => moveAuthorizationsToRevoked(tx, whose, realNow()));
      if (!found) throw notFound('authorization of application', application_id);
      forget(merchant_id);
      return {};
    },
  }),
];
