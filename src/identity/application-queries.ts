/** SQL statements that find applications. */
import type { Instant } from '../base/time.js';
import type { Fragment, Sql } from '../database/database.js';
import type { ClientType } from './client-types.js';

export interface Application {
  readonly id: string;
  readonly name: string;
  readonly merchantId: string | null;
  readonly clientType: ClientType;
  readonly redirectUrls: readonly string[];
  /** Null for a public application, which has no secret. */
  readonly secretHash: Buffer | null;
  readonly createdAt: Instant;
}

export function applicationColumns(sql: Sql): Fragment {
  return sql`application_id as id, name, merchant_id, client_type, redirect_urls, secret_hash, created_at`;
}

/** Leaves out the built-in application of personal tokens: it is confidential but has no secret, so nobody can authenticate as it. */
export async function findApplication(sql: Sql, id: string): Promise<Application | undefined> {
  const [row] = await sql<Application[]>`
    select ${applicationColumns(sql)}
    from applications
    where application_id = ${id} and (secret_hash is not null or client_type = 'PUBLIC')`;
  return row;
}

export async function findApplicationBySecret(sql: Sql, secretHash: Buffer): Promise<Application | undefined> {
  const [row] = await sql<Application[]>`
    select ${applicationColumns(sql)}
    from applications
    where secret_hash = ${secretHash}`;
  return row;
}
