/** Defines the tables of authorizations, and of the codes and tokens that are issued for them. */
import type { Instant } from '../../base/time.js';
import { Table } from '../../database/table.js';
import type { Permission } from '../../identity/permissions.js';

export interface Authorization {
  readonly id: string;
  readonly applicationId: string;
  readonly permissions: readonly Permission[];
  readonly createdAt: Instant;
  readonly revokedAt: Instant | null;
}

export const authorizations = new Table<Authorization>('authorizations', {
  key: ['id'],
  columns: {
    id: { column: 'authorization_id', as: 'value' },
    applicationId: 'value',
    permissions: 'value',
    createdAt: 'time',
    revokedAt: 'time',
  },
});

export interface AuthorizationCode {
  readonly hash: Buffer;
  readonly authorizationId: string;
  readonly redirectUrl: string;
  readonly challenge: string | null;
  readonly expiresAt: Instant;
  readonly usedAt: Instant | null;
}

export const authorizationCodes = new Table<AuthorizationCode>('authorization_codes', {
  key: ['hash'],
  columns: {
    hash: { column: 'code_hash', as: 'bytes' },
    authorizationId: 'value',
    redirectUrl: 'value',
    challenge: 'value',
    expiresAt: 'time',
    usedAt: 'time',
  },
});

export interface RefreshToken {
  readonly hash: Buffer;
  readonly authorizationId: string;
  readonly createdAt: Instant;
  /** Null: it does not expire and is reusable. */
  readonly expiresAt: Instant | null;
  readonly usedAt: Instant | null;
}

export const refreshTokens = new Table<RefreshToken>('refresh_tokens', {
  key: ['hash'],
  columns: {
    hash: { column: 'token_hash', as: 'bytes' },
    authorizationId: 'value',
    createdAt: 'time',
    expiresAt: 'time',
    usedAt: 'time',
  },
});

/** A token of an authorization. Personal tokens have none. */
interface AccessToken {
  readonly hash: Buffer;
  readonly applicationId: string;
  readonly authorizationId: string;
  readonly permissions: readonly Permission[];
  readonly label: 'oauth';
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
}

export const accessTokens = new Table<AccessToken>('access_tokens', {
  key: ['hash'],
  columns: {
    hash: { column: 'token_hash', as: 'bytes' },
    applicationId: 'value',
    authorizationId: 'value',
    permissions: 'value',
    label: 'value',
    createdAt: 'time',
    expiresAt: 'time',
  },
});
