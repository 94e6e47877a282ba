/** The steps that all kinds of refunds share: find the tenders, create their refunds, record them in the drawer. */
import { notFound, Refusal } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { type Amount, subtract, ZERO } from '../../base/money.js';
import { type Instant, instant } from '../../base/time.js';
import type { Change } from '../../database/change.js';
import { recordTender } from '../cash-drawers/actions.js';
import { type DisputablePayment, refundedOrExchanged } from '../payments/model.js';
import { newRefundId } from '../payments/outcomes.js';
import { breakDown, breakDownTip, nullIfEmpty } from '../receipts/breakdown.js';
import { returnedByItem, withoutReturnedItems } from '../receipts/item-refunds.js';
import type { Breakdown } from '../receipts/model.js';
import { markLateDay } from '../reports/actions.js';
import { newOrderId } from '../sales/model.js';
import {
  REFUND_DELAY_MS,
  type Refund,
  type RefundScope,
  resolveTenderIds,
  type TenderPart,
  toRefundDrawerEvent,
} from './model.js';
import { type CreatedRefund, insertRefunds } from './moves.js';
import { readTenderedSale, readTenders, type TenderedSale } from './tender-queries.js';

/** A sale with the tenders that a request refers to. */
export interface SaleToRefund {
  readonly sale: TenderedSale;
  /** In the order in which they were taken. */
  readonly tenders: readonly DisputablePayment[];
}

/** What a request refers to. `paymentId` is the id of a sale or of one of its tenders. */
export interface RefundTarget {
  readonly paymentId: string;
  /** Undefined: at any location. */
  readonly locationId?: string | undefined;
  readonly refundScope: RefundScope;
}

/** The change depends on the sale and on these tenders. */
export async function readSaleToRefund(
  change: Change,
  { paymentId, locationId, refundScope }: RefundTarget,
): Promise<SaleToRefund> {
  const sale = await readTenderedSale(change, paymentId);
  if (!sale || sale.locationId !== (locationId ?? sale.locationId)) throw notFound('payment', paymentId, 'payment_id');
  requirePaidInFull(sale, paymentId);
  if (sale.tenders.length === 0) {
    throw new Refusal('PAYMENT_NOT_REFUNDABLE', {
      field: 'payment_id',
      detail: `Payment ${paymentId} has a total of 0, so there is nothing to refund.`,
    });
  }
  const ids = resolveTenderIds(sale, paymentId, refundScope);
  const found = new Map((await readTenders(change, ids)).map((payment) => [payment.id, payment]));
  return { sale, tenders: ids.flatMap((id) => found.get(id) ?? []) };
}

/**
 * What a refund returns of each tax and discount is decided when it is made, and an open sale has none of them yet. A sale that nobody wants
 * any more is canceled: that returns its tenders (decision 0211).
 */
export function requirePaidInFull({ id, state }: Pick<TenderedSale, 'id' | 'state'>, paymentId: string): void {
  if (state !== 'OPEN') return;
  const unpaid = paymentId === id ? `Sale ${id} is not` : `Payment ${paymentId} belongs to sale ${id}, which is not`;
  throw new Refusal('PAYMENT_NOT_REFUNDABLE', {
    field: 'payment_id',
    detail:
      `${unpaid} paid in full yet. ` +
      'To give the money back, cancel the sale at a register, or refund it when it is complete.',
  });
}

/** What all records of a refund have in common. */
export interface RefundDetails extends Pick<Refund, 'origin' | 'type' | 'reason' | 'employeeId'> {
  readonly ids: Ids;
  /** When the refund happened. */
  readonly at: Instant;
  /** When the server received it. Later than `at` for a register that was offline. */
  readonly now: Instant;
  /** The id of the first record, if a key already points to it. */
  readonly id?: string;
  /** The register at which it was made. */
  readonly deviceId?: string | null;
  /** The owner who made the refund on the dashboard. */
  readonly accountId?: string;
  /** The disputes in spite of which the owner made it. */
  readonly overruled?: readonly string[] | undefined;
  /** The share of the application fee that the request names. */
  readonly appFee?: Amount | null;
  /** Undefined for a payment of the API, which has no receipt. */
  readonly sale?: TenderedSale | undefined;
  /** The breakdown of each part of a refund by item. Default: the shares of the amount. */
  readonly breakdowns?: readonly Breakdown[];
}

/** Refunds that a change creates. */
export interface CreatedRefunds {
  readonly refunds: readonly CreatedRefund[];
}

/** Creates one record for each part. The first is the leader of the others. The caller has read and checked the parts. */
export function refundTenders(change: Change, parts: readonly TenderPart[], details: RefundDetails): CreatedRefunds {
  const [first, ...followers] = parts.map((part, index) => toRefund(part, details, details.breakdowns?.[index]));
  const leader = first && { ...first, id: details.id ?? first.id };
  if (!leader) throw new Error('a refund must have at least one part');
  const refunds = [leader, ...followers.map((refund) => ({ ...refund, leaderId: leader.id }))];
  markLateDay(change, { locationId: leader.locationId, at: details.at, now: details.now });
  return { refunds: insertRefunds(change, refunds, instant(details.now + REFUND_DELAY_MS)) };
}

export function toRefund(
  { payment, part, origin: own, payer }: TenderPart,
  details: RefundDetails,
  breakdown: Breakdown = breakDownPart({ payment, part }, details.sale),
): Refund {
  const origin = own ?? details.origin;
  // Only refunds at the processor take time. All others are complete at once.
  const { id: payerId, sourceType, dispute } = payer?.payment ?? payment;
  const isPending = sourceType === 'CARD' && origin !== 'EXCHANGE';
  return {
    id: newRefundId(details.ids, payerId),
    paymentId: payment.id,
    locationId: payment.locationId,
    status: isPending ? 'PENDING' : 'COMPLETED',
    sourceType,
    createdAt: details.at,
    updatedAt: details.now,
    currency: payment.currency,
    amount: part,
    appFee: details.appFee ?? null,
    returnedFee: isPending ? null : ZERO,
    orderId: newOrderId(details.ids),
    reason: details.reason,
    origin,
    type: details.type,
    leaderId: null,
    breakdown: nullIfEmpty(breakdown),
    employeeId: details.employeeId,
    accountId: details.accountId ?? null,
    deviceId: details.deviceId ?? null,
    overruledDisputeId: dispute && details.overruled?.includes(dispute.id) ? dispute.id : null,
    returnedTo: payer ? payerId : null,
    exchangeIds: payer?.exchangeIds ?? null,
  };
}

/** Only a sale that was paid in full has lines to refund. For all others the breakdown has the tip only. */
function breakDownPart({ payment, part }: TenderPart, sale: TenderedSale | undefined): Breakdown {
  const whole = refundedOrExchanged(payment);
  if (!sale || sale.kind === 'API' || sale.state !== 'COMPLETED') return breakDownTip(payment, { before: whole, part });
  const before = subtract(whole, returnedByItem(sale.itemRefunds, payment.id));
  return breakDown({ ...withoutReturnedItems(sale, sale.itemRefunds), tenderId: payment.id, before, part });
}

/** Who hands out the money, at which device, and when. Without a device or an employee, no drawer is involved. */
export interface DrawerRefundContext {
  readonly ids: Ids;
  readonly deviceId: string | null;
  readonly employeeId: string | null;
  readonly at: Instant;
}

/** Takes cash out of the device's open drawer in the same commit, and records other tenders there (decision 0057). */
export async function recordRefundsInDrawer(
  change: Change,
  { ids, deviceId, employeeId, at }: DrawerRefundContext,
  refunds: readonly Refund[],
): Promise<void> {
  if (deviceId === null || employeeId === null) return;
  const act = { ids, device: { id: deviceId }, employeeId, at };
  for (const refund of refunds) {
    const event = toRefundDrawerEvent(refund);
    if (event) await recordTender(change, act, event);
  }
}
