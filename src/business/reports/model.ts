/** Defines the terms of reports, and when days are rolled up. Pure. */
import { type Clock, nowOn } from '../../base/clock.js';
import { type Amount, add, negate, portion, subtract, ZERO } from '../../base/money.js';
import { type Instant, instant, LAST_INSTANT, MINUTE_MS } from '../../base/time.js';
import { printLocal } from '../../base/time-zones.js';
import { MAX_COMMIT_MS, nextRollUp } from '../merchants/model.js';

export const REPORT_GROUPS = [
  'DAY',
  'WEEK',
  'MONTH',
  'HOUR',
  'LOCATION',
  'ITEM',
  'CATEGORY',
  'EMPLOYEE',
  'TENDER',
  'CARD_BRAND',
  'TAX',
  'DISCOUNT',
] as const;
export type ReportGroup = (typeof REPORT_GROUPS)[number];

/** The sums of a group, as they are stored. What was sold and what was refunded are separate. */
export interface Sums {
  readonly count: number;
  /** In hundred-thousandths. Of items and categories only: what was sold minus what was returned. */
  readonly quantity: number;
  readonly gross: Amount;
  /** Never positive. */
  readonly discount: Amount;
  readonly tax: Amount;
  readonly surcharge: Amount;
  readonly tip: Amount;
  readonly collected: Amount;
  readonly fee: Amount;
  readonly refundCount: number;
  /** Never negative, like the following. */
  readonly refunded: Amount;
  readonly refundedTax: Amount;
  readonly refundedSurcharge: Amount;
  readonly refundedTip: Amount;
  readonly refundedFee: Amount;
}

export interface ReportLine extends Sums {
  /** A date, an hour, an id or a word. Empty for what has none, such as the employee of an online sale. */
  readonly key: string;
  readonly name: string | null;
}

/** What is counted of sums, in the terms of reports (docs/glossary.md). What reduces the merchant's money is negative. */
export interface Counted {
  readonly gross_sales: Amount;
  readonly discounts: Amount;
  /** The goods in refunds: without their taxes, tips and surcharges. */
  readonly returns: Amount;
  readonly taxes: Amount;
  readonly surcharges: Amount;
  readonly tips: Amount;
  readonly paid: Amount;
  readonly refunds: Amount;
  readonly fees: Amount;
}

export function toCounted(sums: Sums): Counted {
  const { refunded, refundedTax, refundedSurcharge, refundedTip } = sums;
  // Tenders and taxes have sums of their own, and no goods.
  const parts = add(refundedTax, refundedSurcharge, refundedTip);
  return {
    gross_sales: sums.gross,
    discounts: sums.discount,
    returns: parts > refunded ? ZERO : subtract(parts, refunded),
    taxes: subtract(sums.tax, refundedTax),
    surcharges: subtract(sums.surcharge, refundedSurcharge),
    tips: subtract(sums.tip, refundedTip),
    paid: sums.collected,
    refunds: negate(refunded),
    fees: subtract(sums.refundedFee, sums.fee),
  };
}

/** Before refunds, and without taxes and tips. */
export function averageSale({ count, gross, discount }: Sums): Amount {
  return count === 0 ? ZERO : portion(add(gross, discount), 1, count);
}

const NOTHING: Sums = {
  count: 0,
  quantity: 0,
  gross: ZERO,
  discount: ZERO,
  tax: ZERO,
  surcharge: ZERO,
  tip: ZERO,
  collected: ZERO,
  fee: ZERO,
  refundCount: 0,
  refunded: ZERO,
  refundedTax: ZERO,
  refundedSurcharge: ZERO,
  refundedTip: ZERO,
  refundedFee: ZERO,
};

/** Field by field: a report of a year adds up thousands of numbers, and a loop over the names takes ten times as long. */
function addTwo(one: Sums, other: Sums): Sums {
  return {
    count: one.count + other.count,
    quantity: one.quantity + other.quantity,
    gross: add(one.gross, other.gross),
    discount: add(one.discount, other.discount),
    tax: add(one.tax, other.tax),
    surcharge: add(one.surcharge, other.surcharge),
    tip: add(one.tip, other.tip),
    collected: add(one.collected, other.collected),
    fee: add(one.fee, other.fee),
    refundCount: one.refundCount + other.refundCount,
    refunded: add(one.refunded, other.refunded),
    refundedTax: add(one.refundedTax, other.refundedTax),
    refundedSurcharge: add(one.refundedSurcharge, other.refundedSurcharge),
    refundedTip: add(one.refundedTip, other.refundedTip),
    refundedFee: add(one.refundedFee, other.refundedFee),
  };
}

export function addSums(lines: readonly Sums[]): Sums {
  return lines.reduce(addTwo, NOTHING);
}

/** A write whose time lies this far in the past may belong to a day that is rolled up. It marks that day. */
const LATE_MS = MINUTE_MS;

export function isLate(at: Instant, now: Instant): boolean {
  return now - at > LATE_MS;
}

/** Merchants with this many sales on a day are rolled up in between too, so that little is added up for each report of the open day. */
const BUSY_SALES = 200;
const BUSY_INTERVAL_MS = 15 * MINUTE_MS;

/** What the next roll-up of a merchant depends on. */
export interface RollUpFacts {
  readonly clock: Clock;
  /** In real time. */
  readonly clockMovedAt: Instant | null;
  readonly locations: readonly { readonly timezone: string }[];
  /** The most sales of one day and location in the last week. */
  readonly salesPerDay: number;
}

export interface RollUpPlan {
  /** Everything before this time is rolled up now. Undefined: it is too early. */
  readonly until: Instant | undefined;
  /** Undefined if it would be after the last supported time. */
  readonly next: Instant | undefined;
}

/**
 * Requests that began before the clock was moved may still commit, with times of days that are over by now. So the roll-up waits. The
 * next time is after `dueAt`, also if the clock was moved back meanwhile: otherwise the same work would be due again at once.
 */
export function planRollUp(
  { clock, clockMovedAt, locations, salesPerDay }: RollUpFacts,
  { real, dueAt }: { readonly real: Instant; readonly dueAt: Instant },
): RollUpPlan {
  const now = nowOn(clock, real);
  const from = instant(Math.max(now, dueAt));
  if (clockMovedAt !== null && real - clockMovedAt < MAX_COMMIT_MS)
    return { until: undefined, next: within(from, MAX_COMMIT_MS) };
  const nextDay = nextRollUp(locations, instant(from - MAX_COMMIT_MS));
  const isBusy = salesPerDay >= BUSY_SALES && nextDay !== undefined;
  const next = isBusy ? earliest(nextDay, within(from, BUSY_INTERVAL_MS)) : nextDay;
  return { until: instant(now - MAX_COMMIT_MS), next };
}

function within(now: Instant, ms: number): Instant | undefined {
  return now + ms > LAST_INSTANT ? undefined : instant(now + ms);
}

function earliest(one: Instant, other: Instant | undefined): Instant {
  return other === undefined || one < other ? one : other;
}

/** The calendar day of a location, such as `2026-02-26`. */
export function localDay(timezone: string, at: Instant): string {
  return printLocal(timezone, at).slice(0, 10);
}
