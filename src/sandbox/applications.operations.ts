/** Sandbox operations on applications: register, authorize, revoke. */
import { registerApplication } from '../access/oauth/applications.js';
import {
  ApplicationName,
  ClientTypeChoice,
  RegisteredApplication,
  redirectUrls,
  toRegisteredApplication,
} from '../access/oauth/applications.view.js';
import { TokenResponse, toTokenResponse } from '../access/oauth/tokens.view.js';
import { operation } from '../api/operation.js';
import { SAMPLE_IDS } from '../api/sample-ids.js';
import { about, choice, Nothing, optional, Type, text } from '../api/wire.js';
import { PERMISSIONS } from '../identity/permissions.js';
import { authorizeApplication, revokeAuthorization } from './authorizations.js';

export const sandboxApplicationOperations = [
  operation({
    surface: 'sandbox',
    name: 'createApplication',
    method: 'POST',
    path: '/api/sandbox/applications',
    permission: 'OPERATOR',
    summary: 'Registers an application. The response is the only one that shows its secret.',
    body: Type.Object({
      name: ApplicationName,
      client_type: ClientTypeChoice,
      redirect_urls: about(
        'The addresses to which the authorization page may send the browser back. An application without any can only be authorized by this surface.',
        optional(redirectUrls({ minItems: 0 })),
      ),
    }),
    example: { body: { name: 'Online shop', redirect_urls: ['http://localhost:3000/callback'] } },
    response: RegisteredApplication,
    async handle(context, { body: { name, client_type: clientType = 'CONFIDENTIAL', redirect_urls: urls = [] } }) {
      const request = { name, clientType, redirectUrls: urls, merchantId: null };
      return toRegisteredApplication(await registerApplication(context, request));
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'createAuthorization',
    method: 'POST',
    path: '/api/sandbox/merchants/{merchant_id}/authorizations',
    permission: 'OPERATOR',
    summary: 'Authorizes an application for a merchant, with all or the given permissions, and returns its tokens.',
    body: Type.Object({
      application_id: about('The application to authorize.', text(191, { minLength: 1 })),
      permissions: about(
        'What the application may do. Default: all permissions.',
        optional(Type.Array(choice(PERMISSIONS), { minItems: 1, maxItems: 50 })),
      ),
    }),
    example: { body: { application_id: SAMPLE_IDS.client_id, permissions: ['PAYMENTS_READ'] } },
    response: TokenResponse,
    async handle(context, { params: { merchant_id }, body: { application_id, permissions } }) {
      const authorization = { merchantId: merchant_id, applicationId: application_id, permissions };
      return toTokenResponse(await authorizeApplication(context, authorization));
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'revokeAuthorization',
    method: 'DELETE',
    path: '/api/sandbox/merchants/{merchant_id}/authorizations/{application_id}',
    permission: 'OPERATOR',
    summary: 'Revokes the authorization of an application for a merchant.',
    response: Nothing,
    async handle(context, { params: { merchant_id, application_id } }) {
      await revokeAuthorization(context, { merchantId: merchant_id, applicationId: application_id });
      return {};
    },
  }),
];
