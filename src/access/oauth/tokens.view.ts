/** The format of issued tokens in responses. */
import { Flag, model, optional, present, type Static, Time, Type } from '../../api/wire.js';
import { printSeconds } from '../../base/time.js';
import type { IssuedTokens } from './grants.js';

export const TokenResponse = model('ObtainTokenResponse', {
  access_token: Type.String(),
  token_type: Type.String(),
  expires_at: Time,
  merchant_id: Type.String(),
  refresh_token: Type.String(),
  short_lived: Flag,
  /** Only for a single-use refresh token (decision 0072). */
  refresh_token_expires_at: optional(Time),
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
