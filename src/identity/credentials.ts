/** The credential caches of a server, one for each kind of caller. */
import type { Database } from '../database/database.js';
import type { Account, Caller, Device, SignedInAttendant, Storefront } from './caller.js';
import { CredentialCache } from './credential-cache.js';
import {
  listAttendants,
  listCallers,
  listPairedDevices,
  listSignedInAccounts,
  listStorefronts,
} from './credential-queries.js';
import { Directory } from './directory.js';

export class Credentials {
  readonly callers: CredentialCache<Caller>;
  readonly accounts: CredentialCache<Account>;
  readonly devices: CredentialCache<Device>;
  readonly attendants: CredentialCache<SignedInAttendant>;
  readonly storefronts: CredentialCache<Storefront>;

  constructor(database: Pick<Database, 'sql' | 'locate'>) {
    const directory = new Directory(database);
    const { sql } = database;
    this.callers = new CredentialCache(directory, (asked) => listCallers(sql, asked));
    this.accounts = new CredentialCache(directory, (asked) => listSignedInAccounts(sql, 'dashboard', asked));
    this.devices = new CredentialCache(directory, (asked) => listPairedDevices(sql, asked));
    this.attendants = new CredentialCache(directory, (asked) => listAttendants(sql, asked));
    this.storefronts = new CredentialCache(directory, (asked) => listStorefronts(sql, asked));
  }

  /** Drops the entries of a merchant, or of all merchants. The next request of each reads from the database. */
  invalidate(merchantId?: string): void {
    for (const cache of this.#all()) cache.invalidate(merchantId);
  }

  /** Drops only the merchant's employees at registers, after a change of their permissions. */
  invalidateAttendants(merchantId: string): void {
    this.attendants.invalidate(merchantId);
  }

  /** The counts of all caches together. */
  get counts(): { readonly hits: number; readonly misses: number; readonly entries: number } {
    const sum = { hits: 0, misses: 0, entries: 0 };
    for (const { counts } of this.#all()) {
      sum.hits += counts.hits;
      sum.misses += counts.misses;
      sum.entries += counts.entries;
    }
    return sum;
  }

  close(): void {
    for (const cache of this.#all()) cache.close();
  }

  #all() {
    const { callers, accounts, devices, attendants, storefronts } = this;
    return [callers, accounts, devices, attendants, storefronts];
  }
}
