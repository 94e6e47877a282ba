/** The published `/oauth2` operations, with which applications obtain, inspect and revoke tokens. */
import { operation, type VisitedContext } from '../../api/operation.js';
import { SAMPLE_IDS, SAMPLE_SECRETS } from '../../api/sample-ids.js';
import { about, Bool, choice, model, optional, present, type Static, Time, Type, text } from '../../api/wire.js';
import { notFound, Refusal } from '../../base/errors.js';
import { secretMatches } from '../../base/secrets.js';
import { printSeconds } from '../../base/time.js';
import { type Application, findApplication } from '../../identity/application-queries.js';
import { actorOf } from '../../identity/audit.js';
import { PERMISSIONS } from '../../identity/permissions.js';
import {
  exchangeCode,
  type IssuedTokens,
  refreshTokens,
  renewAccessToken,
  revokeAccessToken,
  revokeAuthorizations,
  type TokenOptions,
} from './grants.js';
import { MAX_REDIRECT_URL_LENGTH } from './redirect-urls.js';
import { TokenResponse, toTokenResponse } from './tokens.view.js';

const MAX_TOKEN_LENGTH = 1024;
const MAX_ID_LENGTH = 191;

const token = () => text(MAX_TOKEN_LENGTH);

const ObtainTokenBody = Type.Object({
  client_id: about('The id of the application.', text(MAX_ID_LENGTH)),
  client_secret: about('The secret of the application. Public applications with PKCE have none.', optional(token())),
  grant_type: about('`authorization_code` or `refresh_token`.', optional(text(64))),
  code: about('The code from the redirect, for `authorization_code`.', optional(text(MAX_ID_LENGTH))),
  redirect_uri: about(
    'The redirect address of the authorization request, if it had one.',
    optional(text(MAX_REDIRECT_URL_LENGTH)),
  ),
  code_verifier: about('The PKCE verifier, if the authorization request had a challenge.', optional(text(128))),
  refresh_token: about('The refresh token, for `refresh_token`.', optional(token())),
  scopes: about(
    'Only these permissions of the authorization.',
    optional(Type.Array(choice(PERMISSIONS), { maxItems: 50 })),
  ),
  short_lived: about('Whether the access token expires after 24 hours.', optional(Bool)),
});

type ObtainToken = Static<typeof ObtainTokenBody>;

function grantTypeOf({ grant_type, code }: ObtainToken): 'authorization_code' | 'refresh_token' {
  // Old clients send no grant_type: at their time there was only one.
  const named = grant_type ?? (code === undefined ? undefined : 'authorization_code');
  if (named === 'authorization_code' || named === 'refresh_token') return named;
  if (named === undefined) throw missing('grant_type');
  throw new Refusal('INVALID_ENUM_VALUE', {
    field: 'grant_type',
    detail: 'grant_type must be authorization_code or refresh_token.',
  });
}

function missing(field: string): Refusal {
  return new Refusal('MISSING_REQUIRED_PARAMETER', { field, detail: `${field} is required.` });
}

/** With the text of the published API: programs compare it (contract 11.5). */
function wrongClient(): Refusal {
  return new Refusal('UNAUTHORIZED');
}

/** Decision 0070: a confidential application must always send its secret, with PKCE too. A public one has no secret. */
function requireSecret({ secretHash }: Application, secret: string | undefined): void {
  if (secretHash === null) {
    if (secret !== undefined) throw wrongClient();
  } else if (secret === undefined) {
    throw new Refusal('MISSING_REQUIRED_PARAMETER', {
      field: 'client_secret',
      detail:
        'A confidential application must send client_secret. Register an application that cannot keep a secret as PUBLIC.',
    });
  } else if (!secretMatches(secret, secretHash)) {
    throw wrongClient();
  }
}

async function obtainTokens(
  context: VisitedContext,
  application: Application | undefined,
  body: ObtainToken,
): Promise<IssuedTokens> {
  if (!application) throw wrongClient();
  requireSecret(application, body.client_secret);
  const isPublic = application.clientType === 'PUBLIC';
  const grantType = grantTypeOf(body);
  const tokenOptions: TokenOptions = {
    applicationId: application.id,
    hasSecret: !isPublic,
    permissions: body.scopes,
    isShortLived: body.short_lived,
  };
  if (grantType === 'refresh_token') {
    if (body.refresh_token === undefined) throw missing('refresh_token');
    return refreshTokens(context, body.refresh_token, tokenOptions);
  }
  if (body.code === undefined) throw missing('code');
  // Without a secret, PKCE proves that the application that started the authorization sends the code (RFC 7636).
  if (isPublic && body.code_verifier === undefined) throw missing('code_verifier');
  return exchangeCode(
    context,
    { code: body.code, redirectUrl: body.redirect_uri, verifier: body.code_verifier },
    tokenOptions,
  );
}

/** `api/authenticate.ts` cannot log it, because this operation receives the credentials in its body. */
function logRefusedClient(context: VisitedContext, application: Application | undefined): void {
  const details = { reason: 'UNAUTHORIZED', operation: 'oauth2.obtainToken' };
  context.securityLog.record({
    kind: 'ACCESS_REFUSED',
    ...actorOf({ ...context, ...(application && { application }) }),
    details,
  });
}

export const tokenOperations = [
  operation({
    surface: 'oauth2',
    name: 'obtainToken',
    method: 'POST',
    path: '/oauth2/token',
    permission: 'ANYONE',
    acceptsForm: true,
    summary: 'Returns tokens for an authorization code or a refresh token. The body can be JSON or a form.',
    body: ObtainTokenBody,
    example: {
      body: {
        client_id: SAMPLE_IDS.client_id,
        client_secret: SAMPLE_SECRETS.client_secret,
        grant_type: 'refresh_token',
        refresh_token: SAMPLE_SECRETS.refresh_token,
      },
    },
    response: TokenResponse,
    async handle(context, { body }) {
      const application = await findApplication(context.database.sql, body.client_id);
      try {
        return toTokenResponse(await obtainTokens(context, application, body));
      } catch (error) {
        if (error instanceof Refusal && error.reason === 'UNAUTHORIZED') logRefusedClient(context, application);
        throw error;
      }
    },
  }),

  operation({
    surface: 'oauth2',
    name: 'revokeToken',
    method: 'POST',
    path: '/oauth2/revoke',
    permission: 'CLIENT',
    acceptsForm: true,
    summary:
      "Revokes the application's authorization for a merchant. Send the merchant's id or an access token for that merchant.",
    body: Type.Object({
      client_id: about('The id of the application.', optional(text(MAX_ID_LENGTH))),
      access_token: about('The token to revoke.', optional(token())),
      merchant_id: about('The merchant whose tokens are revoked, instead of one token.', optional(text(MAX_ID_LENGTH))),
      revoke_only_access_token: about('Whether the authorization itself stays.', optional(Bool)),
    }),
    example: { body: { client_id: SAMPLE_IDS.client_id, merchant_id: SAMPLE_IDS.merchant_id } },
    response: model('RevokeTokenResponse', { success: about('True: a failure is an error instead.', Bool) }),
    async handle(context, { body: { client_id, access_token, merchant_id, revoke_only_access_token } }) {
      const { application } = context;
      if (client_id !== undefined && client_id !== application.id) {
        throw wrongClient();
      }
      if (access_token !== undefined && merchant_id !== undefined) {
        throw new Refusal('CONFLICTING_PARAMETERS', {
          field: 'merchant_id',
          detail: 'Send either access_token or merchant_id.',
        });
      }
      if (access_token !== undefined && revoke_only_access_token) {
        await revokeAccessToken(context, access_token, application.id);
      } else if (access_token !== undefined) {
        await revokeAuthorizations(context, { accessToken: access_token }, application.id);
      } else if (merchant_id !== undefined) {
        await revokeAuthorizations(context, { merchantId: merchant_id }, application.id);
      } else {
        throw new Refusal('MISSING_REQUIRED_PARAMETER', {
          field: 'access_token',
          detail: 'Send access_token or merchant_id.',
        });
      }
      return { success: true };
    },
  }),

  operation({
    surface: 'oauth2',
    name: 'renewToken',
    method: 'POST',
    path: '/oauth2/clients/{client_id}/access-token/renew',
    permission: 'CLIENT',
    acceptsForm: true,
    summary:
      'Returns a new access token for one that is valid or expired at most 15 days ago. Deprecated: use refresh tokens.',
    body: Type.Object({ access_token: about('The token to renew.', token()) }),
    example: { body: { access_token: SAMPLE_SECRETS.access_token } },
    response: model('RenewTokenResponse', {
      access_token: about('The access token. Send it in the header `Authorization: Bearer TOKEN`.', Type.String()),
      token_type: about('Always `bearer`.', Type.String()),
      expires_at: about('When the access token expires.', Time),
      merchant_id: about('The merchant who authorized the application.', Type.String()),
    }),
    async handle(context, { params: { client_id }, body: { access_token } }) {
      const { application } = context;
      if (client_id !== application.id) throw notFound('application', client_id);
      const renewed = await renewAccessToken(context, access_token, application.id);
      return {
        access_token: renewed.accessToken,
        token_type: 'bearer',
        expires_at: printSeconds(renewed.expiresAt),
        merchant_id: renewed.merchantId,
      };
    },
  }),

  operation({
    surface: 'oauth2',
    name: 'retrieveTokenStatus',
    method: 'POST',
    path: '/oauth2/token/status',
    permission: 'TOKEN',
    summary: 'Shows the permissions, merchant and expiry of the access token.',
    response: model('TokenStatus', {
      scopes: about('What the token may do.', Type.Array(Type.String())),
      expires_at: about('When the token expires. Absent if it does not.', optional(Time)),
      client_id: about('The application of the token.', Type.String()),
      merchant_id: about('The merchant of the token.', Type.String()),
    }),
    async handle({ caller, merchant }) {
      const { permissions, expiresAt, applicationId } = caller;
      return {
        scopes: [...permissions],
        ...present({ expires_at: expiresAt === null ? null : printSeconds(expiresAt) }),
        client_id: applicationId,
        merchant_id: merchant.id,
      };
    },
  }),
];
