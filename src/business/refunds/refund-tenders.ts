/** What all ways of giving back share: holding the tenders still, and making their refunds. */
import { notFound, Refusal } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { type Amount, ZERO } from '../../base/money.js';
import { type Instant, instant } from '../../base/time.js';
import type { Tx } from '../../database/database.js';
import { recordTender } from '../cash-drawers/actions.js';
import { refundEventOf } from '../payments/drawer-events.js';
import { givenBack, type Payment } from '../payments/model.js';
import { newRefundId } from '../payments/outcomes.js';
import { breakDown, breakDownTip, unlessEmpty } from '../receipts/breakdown.js';
import type { Breakdown } from '../receipts/model.js';
import { newOrderId } from '../sales/model.js';
import { REFUND_DELAY_MS, type Refund, type RefundType, type TenderPart, tendersMeant } from './model.js';
import { insertRefunds } from './queries.js';
import { lockTenderedSale, lockTenders, type TenderedSale } from './tender-queries.js';

/** A sale, and those of its tenders that are meant, held still. */
export interface HeldSale {
  readonly sale: TenderedSale;
  /** In the order of taking. */
  readonly tenders: readonly Payment[];
}

/** Which sale and which of its tenders, and what of them is to go back. */
export interface Meant {
  readonly paymentId: string;
  readonly locationId: string;
  readonly ofWhat: RefundType | 'GOODS';
}

export async function holdSale(
  tx: Tx,
  merchantId: string,
  { paymentId, locationId, ofWhat }: Meant,
): Promise<HeldSale> {
  const sale = await lockTenderedSale(tx, merchantId, paymentId);
  if (!sale || sale.locationId !== locationId) throw notFound('payment', paymentId, 'payment_id');
  if (sale.state === 'OPEN') {
    throw new Refusal('WRONG_STATE', {
      field: 'payment_id',
      detail: `Payment ${paymentId} is not paid in full yet, so it cannot be refunded.`,
    });
  }
  if (sale.tenders.length === 0) {
    throw new Refusal('PAYMENT_NOT_REFUNDABLE', {
      field: 'payment_id',
      detail: `Payment ${paymentId} cost nothing, so nothing of it can go back.`,
    });
  }
  const ids = tendersMeant(sale, paymentId, ofWhat);
  const locked = new Map((await lockTenders(tx, merchantId, ids)).map((payment) => [payment.id, payment]));
  return { sale, tenders: ids.flatMap((id) => locked.get(id) ?? []) };
}

/** How refunds are made: why, by whom, when it happened and when we hear of it. */
export interface Making extends Pick<Refund, 'origin' | 'type' | 'reason' | 'employeeId'> {
  readonly ids: Ids;
  readonly at: Instant;
  readonly now: Instant;
  /** The first record's id, where a key names it already. */
  readonly id?: string;
  /** What the application gives back of its own fee, where it says so. */
  readonly appFee?: Amount | null;
  /** Of a payment that stands for itself there is no sale to look at. */
  readonly sale?: TenderedSale | undefined;
}

/** One record for each part; the first leads the others. The payments are locked, and the parts checked. */
export async function makeRefunds(
  tx: Tx,
  merchantId: string,
  parts: readonly TenderPart[],
  making: Making,
): Promise<Refund[]> {
  const [first, ...followers] = parts.map((part) => toRefund(part, making));
  const leader = first && { ...first, id: making.id ?? first.id };
  if (!leader) throw new Error('nothing is to be given back');
  const refunds = [leader, ...followers.map((refund) => ({ ...refund, leaderId: leader.id }))];
  await insertRefunds(tx, merchantId, refunds, instant(making.now + REFUND_DELAY_MS));
  return refunds;
}

/** What is made of one part. */
export function toRefund({ payment, part }: TenderPart, making: Making): Refund {
  // Only a processor takes its time.
  const isPending = payment.sourceType === 'CARD' && making.origin !== 'EXCHANGE';
  return {
    id: newRefundId(making.ids, payment.id),
    paymentId: payment.id,
    locationId: payment.locationId,
    status: isPending ? 'PENDING' : 'COMPLETED',
    sourceType: payment.sourceType,
    createdAt: making.at,
    updatedAt: making.now,
    currency: payment.currency,
    amount: part,
    appFee: making.appFee ?? null,
    returnedFee: isPending ? null : ZERO,
    orderId: newOrderId(making.ids),
    reason: making.reason,
    origin: making.origin,
    type: making.type,
    leaderId: null,
    breakdown: unlessEmpty(breakDownPart({ payment, part }, making.sale)),
    employeeId: making.employeeId,
  };
}

/** The lines of a sale belong to one that was paid in full: of another, there is nothing but its tenders and their tips. */
function breakDownPart({ payment, part }: TenderPart, sale: TenderedSale | undefined): Breakdown {
  const before = givenBack(payment);
  if (!sale || sale.kind === 'API' || sale.state !== 'COMPLETED') return breakDownTip(payment, { before, part });
  return breakDown({ receipt: sale.receipt, tenders: sale.tenders, tenderId: payment.id, before, part });
}

/** Who hands out what goes back, at which drawer, and when. */
export interface HandingOut {
  readonly merchantId: string;
  readonly ids: Ids;
  readonly deviceId: string | null;
  readonly employeeId: string | null;
  readonly at: Instant;
}

/** Cash leaves the device's open drawer in the same commit; other tenders are noted there (decision 0057). */
export async function handOut(
  tx: Tx,
  { merchantId, ids, deviceId, employeeId, at }: HandingOut,
  refunds: readonly Refund[],
): Promise<void> {
  if (deviceId === null || employeeId === null) return;
  const act = { merchant: { id: merchantId }, ids, device: { id: deviceId }, employeeId, at };
  for (const refund of refunds) {
    const event = refundEventOf(refund);
    if (event) await recordTender(tx, act, event);
  }
}
