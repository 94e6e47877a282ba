/**
 * The directory of credentials: finds the merchant of a credential, and then everything else is looked up by merchant. In a
 * distributed database the merchant is on one node and the entry may be on another, so a credential is made by two commits
 * (decision 0134).
 */
import { realNow } from '../base/clock.js';
import type { Database, Tx } from '../database/database.js';
import { findMerchantOf, insertEntry } from './directory-queries.js';

/** The transaction that stores a credential. */
export interface Issuing {
  readonly tx: Tx;
  /** Call it when the credential has been stored. Its entry is written after the commit. */
  enter(merchantId: string, hash: Buffer): void;
}

/**
 * Stores credentials in one transaction and then enters them in the directory. They are valid when this returns. If the server
 * crashes in between, nobody has received them, and `access/orphans.ts` deletes them.
 */
export async function issueCredentials<Result>(
  database: Database,
  work: (issuing: Issuing) => Promise<Result>,
): Promise<Result> {
  const issued: { readonly merchantId: string; readonly hash: Buffer }[] = [];
  const result = await database.transaction((tx) =>
    work({ tx, enter: (merchantId, hash) => issued.push({ merchantId, hash }) }),
  );
  await Promise.all(issued.map(({ merchantId, hash }) => enterCredential(database, merchantId, hash)));
  return result;
}

/** A statement for each: the entries of a merchant are on different nodes. */
export async function enterCredential(database: Database, merchantId: string, hash: Buffer): Promise<void> {
  await database.statement((tx) => insertEntry(tx, hash, merchantId, realNow()));
}

/** Where the rows of a credential are. */
export interface CredentialPlacement {
  readonly merchantId: string;
  /** Credentials of one shard are looked up together; undefined: the database is not distributed. */
  readonly shard?: string | undefined;
}

const MAX_REMEMBERED = 100_000;

/**
 * Remembers the entries that were found, since they never change. So credentials in use are found while the node that has their
 * entries is down.
 */
export class Directory {
  readonly #database: Pick<Database, 'sql' | 'locate'>;
  /** By hash, in hexadecimal. The least recently used ones come first. */
  readonly #remembered = new Map<string, CredentialPlacement>();

  constructor(database: Pick<Database, 'sql' | 'locate'>) {
    this.#database = database;
  }

  async locate(hash: string): Promise<CredentialPlacement | undefined> {
    const known = this.#remembered.get(hash);
    const location = known ?? (await this.#find(hash));
    if (location) this.#remember(hash, location);
    return location;
  }

  async #find(hash: string): Promise<CredentialPlacement | undefined> {
    const merchantId = await findMerchantOf(this.#database.sql, Buffer.from(hash, 'hex'));
    if (merchantId === undefined) return undefined;
    return { merchantId, shard: await this.#database.locate(merchantId) };
  }

  #remember(hash: string, location: CredentialPlacement): void {
    this.#remembered.delete(hash);
    this.#remembered.set(hash, location);
    if (this.#remembered.size <= MAX_REMEMBERED) return;
    const [oldest = ''] = this.#remembered.keys();
    this.#remembered.delete(oldest);
  }
}
