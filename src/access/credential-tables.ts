/** The tables of credentials (decision 0262). All have keys of merchant and hash, and an entry in the directory for each row. */
export interface CredentialTable {
  readonly table: string;
  readonly hash: string;
  /** The time from which the age of a row is counted. A code has only the time when it expires, five minutes after its creation. */
  readonly age: 'created_at' | 'expires_at';
}

const created = { hash: 'token_hash', age: 'created_at' } as const;

export const CREDENTIAL_TABLES = {
  'authorization codes': { table: 'authorization_codes', hash: 'code_hash', age: 'expires_at' },
  'access tokens': { table: 'access_tokens', ...created },
  'refresh tokens': { table: 'refresh_tokens', ...created },
  sessions: { table: 'sessions', ...created },
  'register sessions': { table: 'register_sessions', ...created },
  'device tokens': { table: 'device_tokens', ...created },
  'publishable keys': { table: 'publishable_keys', hash: 'key_hash', age: 'created_at' },
} as const satisfies Readonly<Record<string, CredentialTable>>;

export type CredentialKind = keyof typeof CREDENTIAL_TABLES;
