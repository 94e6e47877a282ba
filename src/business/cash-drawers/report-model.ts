/** What the device of a drawer sold and gave back while the drawer was open: the sums of X and Z reports. Pure. */
import { type Amount, add, negate, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import { TENDER_KINDS, type TenderKind } from '../tenders/model.js';

/** A sale that was completed. Discounts are never positive, as in receipts. */
export interface DrawerSale {
  readonly id: string;
  /** The id by which pages and v1 show it. */
  readonly paymentId: string;
  readonly at: Instant;
  readonly gross: Amount;
  readonly discount: Amount;
  readonly tax: Amount;
  readonly surcharge: Amount;
  /** The totals include the tips. */
  readonly tenders: readonly { readonly type: TenderKind; readonly total: Amount; readonly tip: Amount }[];
}

/** What went back to one tender. The records of a refund of several tenders have the same leader, which has none itself. */
export interface DrawerRefund {
  readonly id: string;
  readonly leaderId: string | null;
  /** The tender that was refunded. */
  readonly paymentId: string;
  readonly at: Instant;
  readonly type: TenderKind;
  /** Positive. */
  readonly amount: Amount;
  readonly hasFailed: boolean;
}

export interface DrawerFacts {
  readonly sales: readonly DrawerSale[];
  readonly refunds: readonly DrawerRefund[];
}

/** The number and the sum of the tenders, or refunds, of one kind. */
export interface TenderSum {
  readonly type: TenderKind;
  readonly count: number;
  readonly amount: Amount;
}

export interface DrawerSums {
  readonly salesCount: number;
  /** A refund of several tenders counts once. */
  readonly refundsCount: number;
  readonly gross: Amount;
  readonly discount: Amount;
  readonly tax: Amount;
  readonly surcharge: Amount;
  readonly tip: Amount;
  /** How the sales were paid, with tips. */
  readonly tenders: readonly TenderSum[];
  /** Positive. */
  readonly refunds: readonly TenderSum[];
}

/** A refund that failed gave nothing back. */
export function sumUp({ sales, refunds }: DrawerFacts): DrawerSums {
  const given = refunds.filter(({ hasFailed }) => !hasFailed);
  const paid = sales.flatMap(({ tenders }) => tenders);
  const sum = (name: 'gross' | 'discount' | 'tax' | 'surcharge') => add(...sales.map((sale) => sale[name]));
  return {
    salesCount: sales.length,
    refundsCount: new Set(given.map(({ id, leaderId }) => leaderId ?? id)).size,
    gross: sum('gross'),
    discount: sum('discount'),
    tax: sum('tax'),
    surcharge: sum('surcharge'),
    tip: add(...paid.map(({ tip }) => tip)),
    tenders: sumByType(paid.map(({ type, total }) => ({ type, amount: total }))),
    refunds: sumByType(given),
  };
}

function sumByType(parts: readonly { readonly type: TenderKind; readonly amount: Amount }[]): TenderSum[] {
  return TENDER_KINDS.flatMap((type) => {
    const amounts = parts.filter((part) => part.type === type).map(({ amount }) => amount);
    return amounts.length === 0 ? [] : [{ type, count: amounts.length, amount: add(...amounts) }];
  });
}

/** A Z report: what was added up when the drawer was closed, and of what. It never changes. */
export interface StoredReport {
  readonly sums: DrawerSums;
  readonly saleIds: readonly string[];
  readonly refundIds: readonly string[];
}

export function toStoredReport(facts: DrawerFacts): StoredReport {
  return {
    sums: sumUp(facts),
    saleIds: facts.sales.map(({ id }) => id),
    refundIds: facts.refunds.filter(({ hasFailed }) => !hasFailed).map(({ id }) => id),
  };
}

/** Something of the time of a closed drawer that its Z report does not have. */
export interface LateEntry {
  readonly kind: 'SALE' | 'REFUND' | 'FAILED_REFUND';
  /** Of the sale, or of the refund. */
  readonly id: string;
  readonly paymentId: string;
  readonly at: Instant;
  /** What it changes: negative for a refund. */
  readonly amount: Amount;
  /** The part of the amount that is cash. */
  readonly cash: Amount;
}

/** What arrived after a report was stored, and refunds in it that have failed since. Oldest first. */
export function lateEntries(facts: DrawerFacts, report: Pick<StoredReport, 'saleIds' | 'refundIds'>): LateEntry[] {
  const [soldBefore, givenBefore] = [new Set(report.saleIds), new Set(report.refundIds)];
  const sales = facts.sales.filter(({ id }) => !soldBefore.has(id)).map(toLateSale);
  const refunds = facts.refunds.filter(({ id, hasFailed }) => givenBefore.has(id) === hasFailed).map(toLateRefund);
  return [...sales, ...refunds].sort((one, other) => one.at - other.at);
}

function toLateSale({ id, paymentId, at, tenders }: DrawerSale): LateEntry {
  const inCash = tenders.filter(({ type }) => type === 'CASH');
  const sum = (parts: DrawerSale['tenders']) => add(...parts.map(({ total }) => total));
  return { kind: 'SALE', id, paymentId, at, amount: sum(tenders), cash: sum(inCash) };
}

function toLateRefund({ id, paymentId, at, type, amount, hasFailed }: DrawerRefund): LateEntry {
  const changed = hasFailed ? amount : negate(amount);
  return {
    kind: hasFailed ? 'FAILED_REFUND' : 'REFUND',
    id,
    paymentId,
    at,
    amount: changed,
    cash: type === 'CASH' ? changed : ZERO,
  };
}
