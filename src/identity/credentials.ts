/** The credential caches of a server, one for each kind of caller. */
import type { Sql } from '../database/database.js';
import type { Account, Attendant, Caller, Device, Storefront } from './caller.js';
import { CredentialCache } from './credential-cache.js';
import {
  listAttendants,
  listCallers,
  listPairedDevices,
  listSignedInAccounts,
  listStorefronts,
} from './credential-queries.js';

export class Credentials {
  readonly callers: CredentialCache<Caller>;
  readonly accounts: CredentialCache<Account>;
  readonly devices: CredentialCache<Device>;
  readonly attendants: CredentialCache<Attendant>;
  readonly storefronts: CredentialCache<Storefront>;

  constructor(sql: Sql) {
    this.callers = new CredentialCache((hashes) => listCallers(sql, hashes));
    this.accounts = new CredentialCache((hashes) => listSignedInAccounts(sql, 'dashboard', hashes));
    this.devices = new CredentialCache((hashes) => listPairedDevices(sql, hashes));
    this.attendants = new CredentialCache((hashes) => listAttendants(sql, hashes));
    this.storefronts = new CredentialCache((hashes) => listStorefronts(sql, hashes));
  }

  /** Drops the entries of a merchant, or of all merchants. The next request of each reads from the database. */
  forget(merchantId?: string): void {
    const belongsToMerchant = (id: string): boolean => merchantId === undefined || id === merchantId;
    for (const cache of [this.callers, this.accounts, this.devices, this.storefronts]) {
      cache.forget(({ merchant }) => belongsToMerchant(merchant.id));
    }
    this.attendants.forget((attendant) => belongsToMerchant(attendant.merchantId));
  }

  /** Drops only the merchant's employees at registers, after a change of their permissions. */
  forgetAttendants(merchantId: string): void {
    this.attendants.forget((attendant) => attendant.merchantId === merchantId);
  }

  close(): void {
    const { callers, accounts, devices, attendants, storefronts } = this;
    for (const cache of [callers, accounts, devices, attendants, storefronts]) cache.close();
  }
}
