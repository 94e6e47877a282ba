/** The credentials that a server remembers, of every kind: they are forgotten and let go together. */
import type { Sql } from '../database/database.js';
import type { Account, Attendant, Caller, Device, Storefront } from './caller.js';
import { CredentialCache } from './credential-cache.js';
import { listAttendants, listCallers, listPairedDevices, listSignedIn, listStorefronts } from './credential-queries.js';

export class Credentials {
  readonly callers: CredentialCache<Caller>;
  readonly accounts: CredentialCache<Account>;
  readonly devices: CredentialCache<Device>;
  readonly attendants: CredentialCache<Attendant>;
  readonly storefronts: CredentialCache<Storefront>;

  constructor(sql: Sql) {
    this.callers = new CredentialCache((hashes) => listCallers(sql, hashes));
    this.accounts = new CredentialCache((hashes) => listSignedIn(sql, 'dashboard', hashes));
    this.devices = new CredentialCache((hashes) => listPairedDevices(sql, hashes));
    this.attendants = new CredentialCache((hashes) => listAttendants(sql, hashes));
    this.storefronts = new CredentialCache((hashes) => listStorefronts(sql, hashes));
  }

  /** Of a merchant, or of all: the next request of each reads anew. */
  forget(merchantId?: string): void {
    const isMeant = (id: string): boolean => merchantId === undefined || id === merchantId;
    for (const cache of [this.callers, this.accounts, this.devices, this.storefronts]) {
      cache.forget(({ merchant }) => isMeant(merchant.id));
    }
    this.attendants.forget((attendant) => isMeant(attendant.merchantId));
  }

  /** Of a merchant: what employees at registers may do has changed, and nothing else has. */
  forgetAttendants(merchantId: string): void {
    this.attendants.forget((attendant) => attendant.merchantId === merchantId);
  }

  close(): void {
    const { callers, accounts, devices, attendants, storefronts } = this;
    for (const cache of [callers, accounts, devices, attendants, storefronts]) cache.close();
  }
}
