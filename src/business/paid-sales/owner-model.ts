/** A sale as its owner sees it: with everything that happened to it. Pure. */
import { type Amount, add, negate, subtract, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import { chargedFees, type Payment, refundable } from '../payments/model.js';
import type { ItemRefund } from '../receipts/item-refunds.js';
import type { Receipt } from '../receipts/model.js';
import type { OwnerRefundRecord, Refund } from '../refunds/model.js';
import { receiptIdOf, type SaleKind, type SaleState } from '../sales/model.js';

/** A captured payment of the sale. */
export type OwnerTender = Pick<
  Payment,
  | 'id'
  | 'sourceType'
  | 'status'
  | 'createdAt'
  | 'amount'
  | 'tip'
  | 'total'
  | 'fee'
  | 'appFee'
  | 'refunded'
  | 'returned'
  | 'exchanged'
  | 'refundsBlocked'
  | 'employeeId'
  | 'entryMethod'
  | 'tendered'
  | 'tenderName'
  | 'isExchange'
  | 'cardBrand'
  | 'last4'
  | 'applicationId'
> & {
  readonly capturedAt: Instant;
  readonly note: string | null;
  /** The application's own reference and order id. */
  readonly referenceId: string | null;
  readonly orderId: string | null;
  readonly buyerEmail: string | null;
  /** The fees and the tips that came back with its refunds. Fees come back when a refund is complete. */
  readonly returnedFees: Amount;
  readonly returnedTip: Amount;
};

export interface OwnerSale {
  readonly id: string;
  readonly v1Id: string;
  readonly locationId: string;
  readonly kind: SaleKind;
  readonly state: SaleState;
  readonly createdAt: Instant;
  readonly employeeId: string | null;
  readonly deviceId: string | null;
  readonly deviceName: string | null;
  /** The name of the first item, and the number of items. */
  readonly firstItem: string | null;
  readonly itemCount: number;
  /** The online order that the sale belongs to. */
  readonly orderId: string | null;
  readonly tenders: readonly OwnerTender[];
}

/** A movement of the sale's money, with the settlement that paid it out, if the owner can see it already. */
export interface SaleMovement {
  readonly kind: string;
  readonly paymentId: string;
  readonly refundId: string | null;
  readonly amount: Amount;
  readonly fee: Amount;
  readonly occurredAt: Instant;
  readonly settlementId: string | null;
  readonly settledAt: Instant | null;
}

/** A dispute. */
export interface SaleHold {
  readonly paymentId: string;
  readonly amount: Amount;
  readonly placedAt: Instant;
  readonly releasedAt: Instant | null;
}

export interface OwnerSaleDetail extends OwnerSale {
  readonly rungUpAt: Instant | null;
  readonly receipt: Receipt | null;
  /** In any status, oldest first. */
  readonly refunds: readonly OwnerRefundRecord[];
  readonly movements: readonly SaleMovement[];
  readonly holds: readonly SaleHold[];
}

/** The id in the address of the buyer's receipt. */
export function receiptIdOfSale({ id, tenders }: Pick<OwnerSale, 'id' | 'tenders'>): string {
  return receiptIdOf(
    id,
    tenders.map((tender) => tender.id),
  );
}

export interface OwnerSums {
  readonly total: Amount;
  readonly tip: Amount;
  /** Refunded, exchanged or reversed, including pending refunds. */
  readonly refunded: Amount;
  readonly refundable: Amount;
}

/** What went back, or is going back, to the buyer. A reversal is not a refund of the payment, but returns its money. */
export function returnedAmount({ status, refunded, exchanged, returned }: OwnerTender): Amount {
  return status === 'CANCELED' ? add(returned, exchanged) : add(refunded, exchanged);
}

/** What a refund can still return: nothing after a failed refund, or if the payment was reversed. */
export function refundableOf(tender: OwnerTender): Amount {
  return tender.status !== 'COMPLETED' || tender.refundsBlocked ? ZERO : refundable(tender);
}

export function computeOwnerSums({ tenders }: Pick<OwnerSale, 'tenders'>): OwnerSums {
  const sum = (of: (tender: OwnerTender) => Amount): Amount => add(...tenders.map(of));
  return {
    total: sum(({ total }) => total),
    tip: sum(({ tip }) => tip ?? ZERO),
    refunded: sum(returnedAmount),
    refundable: sum(refundableOf),
  };
}

/** What the sale brings, as reports count it (decision 0143). Amounts that reduce it are negative. */
export interface CountedMoney {
  readonly paid: Amount;
  readonly refunds: Amount;
  readonly tips: Amount;
  readonly fees: Amount;
}

export function countMoney({ tenders }: Pick<OwnerSale, 'tenders'>): CountedMoney {
  const sum = (of: (tender: OwnerTender) => Amount): Amount => add(...tenders.map(of));
  return {
    paid: sum(({ total }) => total),
    refunds: negate(sum(returnedAmount)),
    tips: sum(({ tip, returnedTip }) => subtract(tip ?? ZERO, returnedTip)),
    fees: sum((tender) => add(tender.returnedFees, chargedFees(tender))),
  };
}

/** What disputes keep back now. */
export function heldOf({ holds }: Pick<OwnerSaleDetail, 'holds'>): Amount {
  return add(ZERO, ...holds.filter(({ releasedAt }) => releasedAt === null).map(({ amount }) => amount));
}

/** What was sold and what was refunded of it, to see what can still be returned. */
export interface SoldItems {
  /** Null for a sale of the API. */
  readonly receipt: Receipt | null;
  readonly refunds: readonly RefundOfItems[];
}

export type RefundOfItems = Pick<Refund, 'paymentId' | 'amount' | 'status' | 'breakdown'>;

/** The refunds by item that returned something, or will. Once an amount was refunded, items can no longer be returned singly. */
export function itemReturnsOf(refunds: readonly RefundOfItems[]): {
  readonly returns: readonly ItemRefund[];
  readonly isOnlyByItem: boolean;
} {
  const effective = refunds.filter(({ status }) => status === 'PENDING' || status === 'COMPLETED');
  const returns = effective.flatMap(({ paymentId, amount, breakdown }) =>
    breakdown?.items ? [{ paymentId, amount, breakdown }] : [],
  );
  return { returns, isOnlyByItem: effective.length === returns.length };
}

export const TIMELINE_KINDS = [
  'RUNG_UP',
  'ORDER_PLACED',
  'DISCOUNT_ALLOWED',
  'PRICE_LOWERED',
  'AUTHORIZED',
  'PAID',
  'REFUNDED',
  'REFUND_COMPLETED',
  'REFUND_FAILED',
  'EXCHANGED',
  'EXCHANGE_UNDONE',
  'REVERSED',
  'DISPUTED',
  'DISPUTE_ENDED',
  'SETTLED',
] as const;

export interface TimelineEntry {
  readonly at: Instant;
  readonly kind: (typeof TIMELINE_KINDS)[number];
  readonly amount: Amount | null;
  readonly tenderId?: string;
  readonly refundId?: string;
  readonly settlementId?: string;
  /** The discount that somebody allowed, or the item whose price somebody lowered. */
  readonly name?: string;
  readonly employeeId?: string;
}

/** Everything that happened to a sale, oldest first. */
export function toTimeline(sale: OwnerSaleDetail): TimelineEntry[] {
  const entries = [
    ...toBeginning(sale),
    ...toAllowedDiscounts(sale),
    ...toLoweredPrices(sale),
    ...sale.tenders.flatMap(toTenderEntries),
    ...sale.refunds.flatMap(toRefundEntries),
    ...sale.holds.flatMap(toHoldEntries),
    ...toSettlementEntries(sale.movements),
  ];
  return entries
    .map((entry, index) => ({ entry, index }))
    .sort((one, other) => one.entry.at - other.entry.at || one.index - other.index)
    .map(({ entry }) => entry);
}

function toBeginning({ kind, rungUpAt, receipt }: OwnerSaleDetail): TimelineEntry[] {
  if (rungUpAt === null) return [];
  return [{ at: rungUpAt, kind: kind === 'REGISTER' ? 'RUNG_UP' : 'ORDER_PLACED', amount: receipt?.due ?? null }];
}

/** One entry for each discount, with what it took off all items. */
function toAllowedDiscounts({ receipt }: OwnerSaleDetail): TimelineEntry[] {
  const entries = new Map<string, TimelineEntry>();
  for (const { name, id, allowed, applied } of receipt?.items.flatMap(({ discounts }) => discounts) ?? []) {
    if (!allowed) continue;
    const { by: employeeId, at } = allowed;
    const key = JSON.stringify([name, id, employeeId, at]);
    const amount = add(entries.get(key)?.amount ?? ZERO, applied);
    entries.set(key, { at, kind: 'DISCOUNT_ALLOWED', amount, name, employeeId });
  }
  return [...entries.values()];
}

function toLoweredPrices({ receipt }: OwnerSaleDetail): TimelineEntry[] {
  return (receipt?.items ?? []).flatMap(({ name, lowered }) =>
    lowered?.allowed
      ? [
          {
            ...({ at: lowered.allowed.at, kind: 'PRICE_LOWERED', amount: negate(lowered.amount) } as const),
            ...{ name, employeeId: lowered.allowed.by },
          },
        ]
      : [],
  );
}

function toTenderEntries({ id: tenderId, createdAt, capturedAt, total, sourceType }: OwnerTender): TimelineEntry[] {
  const paid = { at: capturedAt, kind: 'PAID', amount: total, tenderId } as const;
  if (sourceType !== 'CARD' || capturedAt <= createdAt) return [paid];
  return [{ at: createdAt, kind: 'AUTHORIZED', amount: total, tenderId }, paid];
}

const REFUND_ENTRY = { EXCHANGE: 'EXCHANGED', REVERSAL: 'REVERSED', API: 'REFUNDED', REGISTER: 'REFUNDED' } as const;

function toRefundEntries(refund: Refund): TimelineEntry[] {
  const { id: refundId, paymentId: tenderId, amount, origin, status, createdAt, updatedAt, sourceType } = refund;
  const about = { amount, refundId, tenderId };
  const first = { at: createdAt, kind: REFUND_ENTRY[origin], ...about } as const;
  if (first.kind === 'EXCHANGED' && status === 'FAILED')
    return [first, { at: updatedAt, kind: 'EXCHANGE_UNDONE', ...about }];
  if (sourceType !== 'CARD' || first.kind !== 'REFUNDED' || status === 'PENDING') return [first];
  return [first, { at: updatedAt, kind: status === 'COMPLETED' ? 'REFUND_COMPLETED' : 'REFUND_FAILED', ...about }];
}

function toHoldEntries({ paymentId: tenderId, amount, placedAt, releasedAt }: SaleHold): TimelineEntry[] {
  const placed = { at: placedAt, kind: 'DISPUTED', amount, tenderId } as const;
  return releasedAt === null ? [placed] : [placed, { at: releasedAt, kind: 'DISPUTE_ENDED', amount, tenderId }];
}

/** One entry for each settlement, with what it paid out for this sale after fees. */
function toSettlementEntries(movements: readonly SaleMovement[]): TimelineEntry[] {
  const settled = new Map<string, TimelineEntry>();
  for (const { settlementId, settledAt, amount, fee } of movements) {
    if (settlementId === null || settledAt === null) continue;
    const before = settled.get(settlementId)?.amount ?? ZERO;
    settled.set(settlementId, { at: settledAt, kind: 'SETTLED', amount: add(before, amount, fee), settlementId });
  }
  return [...settled.values()];
}
