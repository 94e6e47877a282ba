/** Who is asking, as far as every operation needs to know it. */
import type { Clock } from '../base/clock.js';
import type { Instant } from '../base/time.js';
import type { Permission, RegisterPermission } from './permissions.js';

export interface CallerLocation {
  readonly id: string;
  readonly timezone: string;
}

/** The facts about a merchant that rules ask for on nearly every request, so they are remembered with the credential. */
export interface CallerMerchant {
  readonly id: string;
  readonly businessName: string;
  readonly currency: string;
  readonly approved: boolean;
  /** Every discount at a register needs the permission to give restricted ones (decision 0110). */
  readonly restrictsDiscounts: boolean;
  readonly clock: Clock;
  /** An operator has set rules for the simulated processor. */
  readonly hasRules: boolean;
  /** An operator has ordered faults that may befall its requests. */
  readonly hasFaults: boolean;
  /** In the order they were opened; the first is the main one. */
  readonly locations: readonly CallerLocation[];
}

/** An application acting for a merchant. */
export interface Caller {
  readonly applicationId: string;
  /** Of the token, in hexadecimal. */
  readonly tokenHash: string;
  /** What the token came of; null for a personal one. */
  readonly authorizationId: string | null;
  readonly permissions: ReadonlySet<Permission>;
  readonly merchant: CallerMerchant;
  readonly expiresAt: Instant | null;
  readonly revoked: boolean;
}

/** The owner, signed in to the dashboard. */
export interface Account {
  readonly id: string;
  readonly email: string;
  readonly merchant: CallerMerchant;
  readonly expiresAt: Instant;
  /** When the password was last given in this session. */
  readonly confirmedAt: Instant;
  /** As far as it is written down, which is not done for every request. */
  readonly lastUsedAt: Instant;
}

/** A point of sale that was paired with a location. */
export interface Device {
  readonly id: string;
  readonly name: string;
  readonly locationId: string;
  readonly merchant: CallerMerchant;
}

/** The online store of a location, as a publishable key opens it. */
export interface Storefront {
  readonly keyId: string;
  readonly locationId: string;
  readonly merchant: CallerMerchant;
}

/** An employee signed in at a device. */
export interface Attendant {
  readonly employeeId: string;
  readonly deviceId: string;
  readonly merchantId: string;
  /** Of the role, all of them for an owner's role, none without a role (contract 2). */
  readonly permissions: ReadonlySet<RegisterPermission>;
  readonly expiresAt: Instant;
}
