/** Every limit on how often something may be asked of this server, in one table (decision 0081). */
import { MINUTE_MS, SECOND_MS } from '../base/time.js';
import { RequestRate } from './request-rate.js';

interface Limit {
  readonly max: number;
  readonly windowMs: number;
}

/** Guards, in a sandbox too: each lets `most` through at once and refills evenly over its window. */
const GUARDS = {
  /** Credentials that nobody knows, by network. */
  unknownCredentials: { max: 3000, windowMs: MINUTE_MS },
  /** Everything under /oauth2, by network. */
  oauth: { max: 1200, windowMs: MINUTE_MS },
  /** By publishable key and network. */
  checkoutReads: { max: 1200, windowMs: MINUTE_MS },
  /** By publishable key and network: no person orders so often. */
  checkoutWrites: { max: 120, windowMs: MINUTE_MS },
  /** Declined cards at a store, by network: somebody tries stolen numbers. */
  declinesOfVisitor: { max: 20, windowMs: 10 * MINUTE_MS },
  /** The same at a store, in all. */
  declinesOfStore: { max: 100, windowMs: 10 * MINUTE_MS },
  /** Failed sign-ins of owners from devices that are not known, by network. */
  failedSignIns: { max: 100, windowMs: 15 * MINUTE_MS },
  /** The same, in all. */
  allFailedSignIns: { max: 2000, windowMs: 15 * MINUTE_MS },
} as const satisfies Record<string, Limit>;

/** Of known credentials, as multiples of `--rate-limit` a second; none where that is off. */
const SHARES = {
  /** Of an access token. */
  token: 1,
  /** Of all tokens of an application at a merchant, and of all its tokens together. */
  application: 5,
  merchant: 10,
  /** Of a session of the dashboard, and of a register. */
  session: 1,
  device: 1,
} as const;

export type Guards = Readonly<Record<keyof typeof GUARDS, RequestRate>>;
export type Shares = Readonly<Record<keyof typeof SHARES, RequestRate>>;

export interface Limits {
  readonly guards: Guards;
  readonly shares: Shares | undefined;
}

/** Tests set guards lower, since nobody waits for thousands of requests. */
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
