/** The OAuth 2.0 server metadata, from which applications configure themselves (RFC 8414). */
import type { Page } from '../../api/pages.js';
import { PERMISSIONS } from '../../identity/permissions.js';

/** One hour. The document does not change while a server runs. */
const CACHING = 'public, max-age=3600';

export const serverMetadataPage: Page = {
  surface: 'oauth2',
  name: 'showServerMetadata',
  method: 'GET',
  path: '/.well-known/oauth-authorization-server',
  guard: 'oauth',
  async handle(_context, { baseUrl }) {
    return {
      // Without `revocation_endpoint`: /oauth2/revoke follows the published API, not RFC 7009.
      document: {
        issuer: baseUrl, // equals `iss` in the authorization response (RFC 9207)
        authorization_endpoint: `${baseUrl}/oauth2/authorize`,
        token_endpoint: `${baseUrl}/oauth2/token`,
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_methods_supported: ['client_secret_post', 'none'],
        code_challenge_methods_supported: ['S256'],
        scopes_supported: PERMISSIONS,
        authorization_response_iss_parameter_supported: true,
        service_documentation: `${baseUrl}/docs`,
      },
      caching: CACHING,
    };
  },
};
