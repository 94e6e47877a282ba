/** The types of callers: applications, owners, devices, employees at a device and online stores. */
import type { Clock } from '../base/clock.js';
import type { Amount } from '../base/money.js';
import type { Instant } from '../base/time.js';
import type { Permission, RegisterPermission } from './permissions.js';

export interface CallerLocation {
  readonly id: string;
  readonly timezone: string;
}

/** Which servers watch a merchant's changes, and what others have changed (decision 0150). Times are in milliseconds. */
export interface Watch {
  /** Until when each server watches, by its id. */
  readonly watchers: Readonly<Record<string, number>>;
  /** When a server last changed something of each topic. `at` is the last of these times. */
  readonly marks: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** Facts about a merchant that nearly every request needs. They are cached together with the credential. */
export interface CallerMerchant {
  readonly id: string;
  readonly businessName: string;
  readonly currency: string;
  readonly approved: boolean;
  /** Every discount at a register requires the permission for restricted discounts (decision 0110). */
  readonly restrictsDiscounts: boolean;
  /** How much a card may pay that a register kept while it was offline. Null: such cards are refused (decision 0155). */
  readonly offlineCardLimit: Amount | null;
  readonly clock: Clock;
  /** The operator has set processor rules for it. */
  readonly hasRules: boolean;
  /** Its own processor, which charges its new payments; null: that of the server (decision 0183). */
  readonly processorId: string | null;
  /** The operator has set faults to inject into its requests. */
  readonly hasFaults: boolean;
  /** Applications may be notified of its events. */
  readonly hasSubscriptions: boolean;
  /** Null if nobody has watched it. */
  readonly watch: Watch | null;
  /** In the order in which they were opened. The first one is the main location. */
  readonly locations: readonly CallerLocation[];
}

/** An application acting for a merchant. */
export interface Caller {
  readonly applicationId: string;
  /** The hash of the access token, in hexadecimal. */
  readonly tokenHash: string;
  /** The authorization that the token was issued for; null for a personal token. */
  readonly authorizationId: string | null;
  readonly permissions: ReadonlySet<Permission>;
  readonly merchant: CallerMerchant;
  readonly expiresAt: Instant | null;
  /** The last recorded use; null if there is none. */
  readonly lastUsedAt: Instant | null;
  readonly revoked: boolean;
}

/** An owner who is signed in to the dashboard. */
export interface Account {
  readonly id: string;
  readonly email: string;
  readonly merchant: CallerMerchant;
  readonly expiresAt: Instant;
  /** When the password was last entered in this session. */
  readonly confirmedAt: Instant;
  /** The last recorded use. Not every request is recorded, see `last-use.ts`. */
  readonly lastUsedAt: Instant;
}

/** A point of sale that is paired with a location. */
export interface Device {
  readonly id: string;
  readonly name: string;
  readonly locationId: string;
  readonly merchant: CallerMerchant;
  /** The last recorded use; null if there is none. */
  readonly lastUsedAt: Instant | null;
}

/** The online store of a location. A publishable key gives access to it. */
export interface Storefront {
  readonly keyId: string;
  readonly locationId: string;
  readonly merchant: CallerMerchant;
}

/** An employee who acts at a device. */
export interface Attendant {
  readonly employeeId: string;
  readonly deviceId: string;
  readonly merchantId: string;
  /** The permissions of the employee's role: all for an owner's role, none without a role (contract 2). */
  readonly permissions: ReadonlySet<RegisterPermission>;
}

/** An employee who is signed in at a device. */
export interface SignedInAttendant extends Attendant {
  readonly expiresAt: Instant;
}
