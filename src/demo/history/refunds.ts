/** Generates refunds of sales and orders. */
import { type Amount, add, portion, ZERO } from '../../base/money.js';
import { type Instant, instant } from '../../base/time.js';
import type { RecordedEvent } from '../../business/cash-drawers/table.js';
import type { Movement } from '../../business/movements/model.js';
import type { DisputablePayment, Payment } from '../../business/payments/model.js';
import { toRefundMovement } from '../../business/payments/outcomes.js';
import type { ReceiptRecord } from '../../business/receipts/copies.js';
import {
  REFUND_DELAY_MS,
  type Refund,
  type TenderPart,
  toRefundDrawerEvent,
  toRemainingParts,
} from '../../business/refunds/model.js';
import { type RefundDetails, toRefund } from '../../business/refunds/refund-tenders.js';
import type { TenderedSale } from '../../business/refunds/tender-queries.js';
import type { OnlineSale, Sale } from '../../business/sales/model.js';
import type { Scenario } from './scenario.js';
import type { SeededRandom } from './seeded-random.js';

/** A refund completes a few seconds after its request. One that would not be complete before now is not generated. */
export const REFUND_TAKES_MS = 2 * REFUND_DELAY_MS;

const REASONS = ['Wrong order', 'Cold food', 'Charged twice', 'Accidental charge', 'Returned goods'];

/** The probability that the bank rejects a refund. */
const FAILURE_PROBABILITY = 0.04;

export interface RefundRecords {
  readonly payments: readonly Payment[];
  readonly refunds: readonly Refund[];
  readonly movements: readonly Movement[];
  /** The events of cash refunds, by the cashier at that time. */
  readonly drawerEvents: readonly RecordedEvent[];
}

type RandomSource = Pick<Scenario, 'random' | 'ids'>;

/** The cashier, and the time. */
export interface RefundBy {
  readonly at: Instant;
  readonly employeeId: string;
}

type RefundedSale = Pick<Sale | OnlineSale, 'kind' | 'id' | 'locationId' | 'state' | 'createdAt' | 'rungUpAt'> &
  Pick<Sale | OnlineSale, 'deviceId' | 'employeeId'> & { readonly receipt: ReceiptRecord };

/** Refunds a whole sale, or a part of it if it has one tender. A payment of an application has no `sale`. */
export function generateSaleRefund(
  source: RandomSource,
  payments: readonly Payment[],
  sale: RefundedSale | undefined,
  { at, employeeId }: RefundBy,
): RefundRecords {
  const { random, ids } = source;
  const tenders = payments.map(toUndisputed);
  const [only, ...others] = tenders;
  const isPart = only !== undefined && others.length === 0 && random.happens(0.5);
  const parts = isPart ? [{ payment: only, part: randomPart(only.total, random) }] : toRemainingParts(tenders);
  const atRegister = sale !== undefined && random.happens(0.5);
  const details: RefundDetails = {
    origin: atRegister ? 'REGISTER' : 'API',
    type: isPart ? 'PARTIAL' : 'FULL',
    reason: random.pick(REASONS),
    employeeId: atRegister ? employeeId : null,
    deviceId: atRegister ? (sale.deviceId ?? null) : null,
    ids,
    at,
    now: at,
    sale: sale && toTendered(sale, payments),
  };
  const refunded = generateRefunds(source, parts, details);
  const changed = new Map(refunded.payments.map((payment) => [payment.id, payment]));
  return {
    ...refunded,
    payments: payments.map((payment) => changed.get(payment.id) ?? payment),
    drawerEvents: refunded.refunds.flatMap((refund) => {
      const event = toRefundDrawerEvent(refund);
      return event ? [{ ...event, id: ids.newUuid(), employeeId, description: null, createdAt: at }] : [];
    }),
  };
}

/** Refunds a whole order that is canceled or refunded, as `refundRemainder` does. */
export function generateOrderRefund(
  source: RandomSource,
  payment: Payment,
  sale: RefundedSale,
  { at, reason }: { readonly at: Instant; readonly reason: string },
): Omit<RefundRecords, 'drawerEvents'> {
  const core = { origin: 'API', type: 'FULL', reason, employeeId: null, ids: source.ids, at, now: at } as const;
  return generateRefunds(source, toRemainingParts([toUndisputed(payment)]), {
    ...core,
    sale: toTendered(sale, [payment]),
  });
}

/** No payment of the past is disputed. */
function toUndisputed(payment: Payment): DisputablePayment {
  return { ...payment, dispute: null };
}

function generateRefunds(
  source: RandomSource,
  parts: readonly TenderPart[],
  details: RefundDetails,
): Omit<RefundRecords, 'drawerEvents'> {
  const [leader, ...followers] = parts.map((part) => toRefund(part, details));
  const requested = leader ? [leader, ...followers.map((refund) => ({ ...refund, leaderId: leader.id }))] : [];
  const finished = requested.map((refund, index) => finish(source, parts[index] as TenderPart, refund));
  return {
    payments: finished.map(({ payment }) => payment),
    refunds: finished.map(({ refund }) => refund),
    movements: finished.flatMap(({ movement }) => movement ?? []),
  };
}

function randomPart(total: Amount, random: SeededRandom): Amount {
  return portion(total, random.between(2, 9), 10) || total;
}

function toTendered(sale: RefundedSale, payments: readonly Payment[]): TenderedSale {
  const { kind, id, locationId, state, deviceId, employeeId } = sale;
  const createdAt = sale.createdAt ?? sale.rungUpAt;
  const { receipt } = sale.receipt;
  return { kind, id, locationId, state, createdAt, deviceId, employeeId, receipt, tenders: payments, itemRefunds: [] };
}

interface Finished {
  readonly payment: Payment;
  readonly refund: Refund;
  readonly movement?: Movement;
}

/** Completes or fails a refund, as `finishRefund` does. */
function finish({ random, ids }: RandomSource, { payment, part }: TenderPart, refund: Refund): Finished {
  const refundIds = [...payment.refundIds, refund.id];
  const refunded = {
    ...payment,
    refundIds,
    refunded: add(payment.refunded, part),
    returned: add(payment.returned, part),
  };
  if (refund.status === 'COMPLETED') return { refund, payment: { ...refunded, updatedAt: refund.createdAt } };
  const at = instant(refund.createdAt + REFUND_DELAY_MS);
  if (random.happens(FAILURE_PROBABILITY)) {
    return {
      payment: { ...payment, refundIds, refundsBlocked: true, updatedAt: at },
      refund: { ...refund, status: 'FAILED', updatedAt: at },
    };
  }
  const remainingAppFee = payment.appFee ?? ZERO;
  const { movement, ...fees } = toRefundMovement(ids, payment, {
    part,
    kind: 'REFUND',
    refundId: refund.id,
    at,
    remainingAppFee,
  });
  return {
    payment: { ...refunded, updatedAt: at },
    refund: { ...refund, status: 'COMPLETED', updatedAt: at, ...fees },
    movement,
  };
}
