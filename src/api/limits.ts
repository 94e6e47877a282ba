/** All rate limits of the server in one table (decision 0081). */
import { MINUTE_MS, SECOND_MS } from '../base/time.js';
import { RequestRate } from './request-rate.js';

interface Limit {
  readonly max: number;
  readonly windowMs: number;
}

/** Limits against abuse, also in a sandbox. Each allows a burst of `max` and refills evenly over its window. */
const GUARDS = {
  /** Unknown credentials, by network. */
  unknownCredentials: { max: 3000, windowMs: MINUTE_MS },
  /** Requests that need no secret, by network: counted before their body is read. */
  openRequests: { max: 3000, windowMs: MINUTE_MS },
  /** Everything under /oauth2, by network. */
  oauth: { max: 1200, windowMs: MINUTE_MS },
  /** Pictures, by network: a page shows up to a hundred of them. */
  pictures: { max: 12_000, windowMs: MINUTE_MS },
  /** Receipts, by network: nobody can try out ids. */
  receipts: { max: 600, windowMs: MINUTE_MS },
  /** Pages of online stores, by network. */
  stores: { max: 1200, windowMs: MINUTE_MS },
  /** Requests of pairing codes, by network. */
  pairingCodes: { max: 120, windowMs: 10 * MINUTE_MS },
  /** Requests of pairing codes, from all networks. */
  allPairingCodes: { max: 3000, windowMs: 10 * MINUTE_MS },
  /** Registers that ask whether they are paired, by network. */
  pairingPolls: { max: 1200, windowMs: MINUTE_MS },
  /** By publishable key and network. */
  checkoutReads: { max: 1200, windowMs: MINUTE_MS },
  /** By publishable key and network: more than a person can order. */
  checkoutWrites: { max: 120, windowMs: MINUTE_MS },
  /** Declined cards at a store, by network: protects against card testing with stolen numbers. */
  declinesOfVisitor: { max: 20, windowMs: 10 * MINUTE_MS },
  /** Declined cards at a store, from all networks. */
  declinesOfStore: { max: 100, windowMs: 10 * MINUTE_MS },
  /** Wrong promo codes at a store, by network. */
  promoCodesOfVisitor: { max: 20, windowMs: 10 * MINUTE_MS },
  /** Wrong promo codes at a store, from all networks. */
  promoCodesOfStore: { max: 200, windowMs: 10 * MINUTE_MS },
  /** Failed sign-ins of owners from unknown devices, by network. */
  failedSignIns: { max: 100, windowMs: 15 * MINUTE_MS },
  /** Failed sign-ins of owners from devices that their accounts know, by network. */
  failedKnownSignIns: { max: 100, windowMs: 15 * MINUTE_MS },
  /** Failed sign-ins of owners from unknown devices, from all networks. */
  allFailedSignIns: { max: 2000, windowMs: 15 * MINUTE_MS },
} as const satisfies Record<string, Limit>;

/** Limits of known credentials per second, as multiples of `--rate-limit`. They do not apply if that is off. */
const SHARES = {
  /** One access token. */
  token: 1,
  /** All tokens of one application at one merchant. */
  application: 5,
  /** All tokens of one merchant. */
  merchant: 10,
  /** One dashboard session. */
  session: 1,
  device: 1,
} as const;

export type Guards = Readonly<Record<keyof typeof GUARDS, RequestRate>>;
export type Shares = Readonly<Record<keyof typeof SHARES, RequestRate>>;

export interface Limits {
  readonly guards: Guards;
  readonly shares: Shares | undefined;
}

/** Tests set lower limits, so that they need not send thousands of requests. */
export type GuardOverrides = Partial<Record<keyof typeof GUARDS, number>>;

export function createLimits(rateLimit: number | undefined, overrides: GuardOverrides = {}): Limits {
  const guards = mapValues(GUARDS, ({ max, windowMs }, name) => new RequestRate(overrides[name] ?? max, windowMs));
  if (rateLimit === undefined) return { guards, shares: undefined };
  return { guards, shares: mapValues(SHARES, (share) => new RequestRate(share * rateLimit, SECOND_MS)) };
}

function mapValues<Name extends string, From, To>(
  from: Readonly<Record<Name, From>>,
  change: (value: From, name: Name) => To,
): Record<Name, To> {
  const entries = Object.entries(from) as [Name, From][];
  return Object.fromEntries(entries.map(([name, value]) => [name, change(value, name)])) as Record<Name, To>;
}
