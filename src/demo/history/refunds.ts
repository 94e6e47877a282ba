/** What buyers get back of a made-up sale, some days after it. */
import { type Amount, add, portion, ZERO } from '../../base/money.js';
import { type Instant, instant } from '../../base/time.js';
import type { RecordedEvent } from '../../business/cash-drawers/queries.js';
import type { Movement } from '../../business/movements/model.js';
import { refundEventOf } from '../../business/payments/drawer-events.js';
import type { Payment } from '../../business/payments/model.js';
import { returnOf } from '../../business/payments/outcomes.js';
import type { ReceiptRecord } from '../../business/receipts/record.js';
import { allThatIsLeft, REFUND_DELAY_MS, type Refund, type TenderPart } from '../../business/refunds/model.js';
import { type Making, toRefund } from '../../business/refunds/refund-tenders.js';
import type { TenderedSale } from '../../business/refunds/tender-queries.js';
import type { OnlineSale, Sale } from '../../business/sales/model.js';
import type { Chance } from './chance.js';
import type { Story } from './story.js';

/** A refund is finished a few seconds after it was asked for; what is not over by then is not told. */
export const REFUND_TAKES_MS = 2 * REFUND_DELAY_MS;

const REASONS = ['Wrong order', 'Cold food', 'Charged twice', 'Accidental charge', 'Returned goods'];

/** How often the bank cannot give the money back, of one. */
const FAILS = 0.04;

export interface GivenBack {
  readonly payments: readonly Payment[];
  readonly refunds: readonly Refund[];
  readonly movements: readonly Movement[];
  /** Of cash, by whoever stood at the register. */
  readonly drawerEvents: readonly RecordedEvent[];
}

/** What decides how it goes. */
type Drawing = Pick<Story, 'chance' | 'ids'>;

/** Who gives back, and when. */
export interface Giving {
  readonly at: Instant;
  readonly employeeId: string;
}

type RefundedSale = Pick<Sale | OnlineSale, 'kind' | 'id' | 'locationId' | 'state' | 'createdAt' | 'rungUpAt'> &
  Partial<Pick<Sale, 'deviceId' | 'employeeId'>> & { readonly receipt: ReceiptRecord };

/** All of a sale, or a part of it where it was paid by one tender. Undefined for a payment that stands for itself. */
export function giveBack(
  drawing: Drawing,
  payments: readonly Payment[],
  sale: RefundedSale | undefined,
  { at, employeeId }: Giving,
): GivenBack {
  const { chance, ids } = drawing;
  const [only, ...others] = payments;
  const isPart = only !== undefined && others.length === 0 && chance.happens(0.5);
  const parts = isPart ? [{ payment: only, part: someOf(only.total, chance) }] : allThatIsLeft(payments);
  const atRegister = sale !== undefined && chance.happens(0.5);
  const making: Making = {
    origin: atRegister ? 'REGISTER' : 'API',
    type: isPart ? 'PARTIAL' : 'FULL',
    reason: chance.pick(REASONS),
    employeeId: atRegister ? employeeId : null,
    ids,
    at,
    now: at,
    sale: sale && toTendered(sale, payments),
  };
  const back = make(drawing, parts, making);
  const changed = new Map(back.payments.map((payment) => [payment.id, payment]));
  return {
    ...back,
    payments: payments.map((payment) => changed.get(payment.id) ?? payment),
    drawerEvents: back.refunds.flatMap((refund) => {
      const event = refundEventOf(refund);
      return event ? [{ ...event, id: ids.newUuid(), employeeId, description: null, createdAt: at }] : [];
    }),
  };
}

/** All of an order that is cancelled or refunded: the same as `refundRest` makes. */
export function giveBackOrder(
  drawing: Drawing,
  payment: Payment,
  sale: RefundedSale,
  { at, reason }: { readonly at: Instant; readonly reason: string },
): Omit<GivenBack, 'drawerEvents'> {
  const core = { origin: 'API', type: 'FULL', reason, employeeId: null, ids: drawing.ids, at, now: at } as const;
  return make(drawing, allThatIsLeft([payment]), { ...core, sale: toTendered(sale, [payment]) });
}

function make(drawing: Drawing, parts: readonly TenderPart[], making: Making): Omit<GivenBack, 'drawerEvents'> {
  const [leader, ...followers] = parts.map((part) => toRefund(part, making));
  const asked = leader ? [leader, ...followers.map((refund) => ({ ...refund, leaderId: leader.id }))] : [];
  const done = asked.map((refund, index) => finish(drawing, parts[index] as TenderPart, refund));
  return {
    payments: done.map(({ payment }) => payment),
    refunds: done.map(({ refund }) => refund),
    movements: done.flatMap(({ movement }) => movement ?? []),
  };
}

function someOf(total: Amount, chance: Chance): Amount {
  return portion(total, chance.between(2, 9), 10) || total;
}

function toTendered(sale: RefundedSale, payments: readonly Payment[]): TenderedSale {
  const { kind, id, locationId, state, deviceId = null, employeeId = null } = sale;
  const createdAt = sale.createdAt ?? sale.rungUpAt;
  const { receipt } = sale.receipt;
  return { kind, id, locationId, state, createdAt, deviceId, employeeId, receipt, tenders: payments };
}

interface Finished {
  readonly payment: Payment;
  readonly refund: Refund;
  readonly movement?: Movement;
}

/** What `finishRefund` makes of it: the money has gone back, or could not. */
function finish({ chance, ids }: Drawing, { payment, part }: TenderPart, refund: Refund): Finished {
  const refundIds = [...payment.refundIds, refund.id];
  const gone = { ...payment, refundIds, refunded: add(payment.refunded, part), returned: add(payment.returned, part) };
  if (refund.status === 'COMPLETED') return { refund, payment: { ...gone, updatedAt: refund.createdAt } };
  const at = instant(refund.createdAt + REFUND_DELAY_MS);
  if (chance.happens(FAILS)) {
    return {
      payment: { ...payment, refundIds, refundsBlocked: true, updatedAt: at },
      refund: { ...refund, status: 'FAILED', updatedAt: at },
    };
  }
  const appFeeLeft = payment.appFee ?? ZERO;
  const { movement, ...fees } = returnOf(ids, payment, { part, kind: 'REFUND', refundId: refund.id, at, appFeeLeft });
  return {
    payment: { ...gone, updatedAt: at },
    refund: { ...refund, status: 'COMPLETED', updatedAt: at, ...fees },
    movement,
  };
}
