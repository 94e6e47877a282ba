/** The format of issued tokens in responses. */
import { about, Bool, model, optional, present, type Static, Time, Type } from '../../api/wire.js';
import { printSeconds } from '../../base/time.js';
import type { IssuedTokens } from './grants.js';

export const TokenResponse = model('ObtainTokenResponse', {
  access_token: about('The access token. Send it in the header `Authorization: Bearer TOKEN`.', Type.String()),
  token_type: about('Always `bearer`.', Type.String()),
  expires_at: about('When the access token expires.', Time),
  merchant_id: about('The merchant who authorized the application.', Type.String()),
  refresh_token: about('The token with which the application gets the next access token.', Type.String()),
  short_lived: about('Whether the access token expires after 24 hours.', Bool),
  /** Only for a single-use refresh token (decision 0072). */
  refresh_token_expires_at: about('When the refresh token expires. Absent if it does not.', optional(Time)),
});

export function toTokenResponse(tokens: IssuedTokens): Static<typeof TokenResponse> {
  const { refreshExpiresAt } = tokens;
  return {
    access_token: tokens.accessToken,
    token_type: 'bearer',
    expires_at: printSeconds(tokens.expiresAt),
    merchant_id: tokens.merchantId,
    refresh_token: tokens.refreshToken,
    short_lived: tokens.isShortLived,
    ...present({ refresh_token_expires_at: refreshExpiresAt === null ? null : printSeconds(refreshExpiresAt) }),
  };
}
