/** Sales as they are rung up at a register: their orders, and how people pay. */
import { type Amount, amount, portion } from '../../base/money.js';
import { hashSecret } from '../../base/secrets.js';
import { type Instant, instant, MINUTE_MS } from '../../base/time.js';
import type { RecordedEvent } from '../../business/cash-drawers/queries.js';
import type { MadePayment } from '../../business/payments/create-queries.js';
import { drawerEventOf } from '../../business/payments/drawer-events.js';
import type { Payment } from '../../business/payments/model.js';
import { applyOutcome, chargeOf } from '../../business/payments/outcomes.js';
import type { ReceiptRecord } from '../../business/receipts/record.js';
import { ringUp, type Sale, unpaid, withTender } from '../../business/sales/model.js';
import { type NewTender, type TenderSource, takenByHand, toPendingTender } from '../../business/tills/tenders.js';
import { approve, decline } from './cards.js';
import type { Chance } from './chance.js';
import type { PartOfDay } from './menu.js';
import type { Place, Story } from './story.js';

export interface Sold {
  readonly sale: Sale & { readonly receipt: ReceiptRecord; readonly requestHash: Buffer };
  /** Every attempt, in the order of taking. */
  readonly payments: readonly MadePayment[];
  readonly drawerEvents: readonly RecordedEvent[];
}

/** When a sale is rung up, by whom, and into which drawer its cash goes. */
export interface Counter {
  readonly at: Instant;
  readonly part: PartOfDay;
  readonly employeeId: string;
  readonly shiftId: string;
  /** The rest is to be paid another day. */
  readonly staysOpen: boolean;
}

/** How often things happen, of one. */
const ODDS = {
  declined: 0.025,
  split: 0.06,
  cash: 0.28,
  other: 0.04,
  tip: 0.45,
  keyed: 0.08,
  offline: 0.04,
};

const CASH: TenderSource = { kind: 'CASH', tendered: undefined };
const VOUCHER: TenderSource = { kind: 'OTHER', name: 'Meal voucher' };

export function sellAtRegister(story: Story, place: Place, counter: Counter): Sold {
  const { chance, ids, now } = story;
  const { at, employeeId } = counter;
  const registerSaleId = ids.newUuid();
  const ticket = place.tickets.pick(chance, counter.part);
  const rungUp = ringUp(ticket.receipt.due, { ids, device: place.device, employeeId, registerSaleId, at });
  const tenders = chooseTenders(story, rungUp.due, counter.staysOpen);
  // Rung up while the line was down: the merchant hears of it a while later.
  const heardAt = chance.happens(ODDS.offline) ? instant(Math.min(at + chance.between(20, 240) * MINUTE_MS, now)) : at;

  let sale = rungUp;
  const payments: MadePayment[] = [];
  const drawerEvents: RecordedEvent[] = [];
  for (const { isDeclined, ...tender } of tenders) {
    const taken = take(story, place, counter, { sale, tender, isDeclined });
    sale = withTender(sale, taken.payment);
    payments.push({
      merchantId: story.merchantId,
      payment: taken.payment,
      movement: chargeOf(ids, taken.payment, heardAt),
    });
    if (taken.event) drawerEvents.push(taken.event);
  }
  return { sale: { ...sale, receipt: ticket, requestHash: hashSecret(registerSaleId) }, payments, drawerEvents };
}

type Attempt = NewTender & { readonly isDeclined: boolean };

/** One way to pay or another. */
function chooseTenders({ chance, ids }: Story, due: Amount, staysOpen: boolean): Attempt[] {
  const tender = (source: TenderSource, more: Partial<Attempt> = {}): Attempt => ({
    registerTenderId: ids.newUuid(),
    amount: undefined,
    tip: null,
    isDeclined: false,
    source,
    ...more,
  });
  if (staysOpen || chance.happens(ODDS.split)) {
    const first = tender(chance.happens(0.5) ? CASH : cardOf(chance), {
      amount: portion(due, chance.between(3, 7), 10),
    });
    return staysOpen ? [first] : [first, tender(cardOf(chance))];
  }
  if (chance.happens(ODDS.cash))
    return [tender({ kind: 'CASH', tendered: roundUp(due, chance.pick([100, 500, 2000])) })];
  if (chance.happens(ODDS.other)) return [tender(VOUCHER)];
  const tip = chance.happens(ODDS.tip) ? portion(due, chance.pick([10, 15, 18, 20]), 100) : null;
  const paid = tender(cardOf(chance), { tip });
  return chance.happens(ODDS.declined) ? [tender(cardOf(chance), { isDeclined: true }), paid] : [paid];
}

function cardOf(chance: Chance): TenderSource {
  const entryMethod = chance.happens(ODDS.keyed) ? 'MANUAL' : 'SWIPED';
  return { kind: 'CARD', sourceId: '', entryMethod, acceptPartial: false };
}

/** What is handed over: the next whole note or coin. */
function roundUp(due: Amount, step: number): Amount {
  return amount(Math.ceil(due / step) * step);
}

interface Taken {
  readonly payment: Payment;
  readonly event?: RecordedEvent;
}

function take(
  story: Story,
  { device }: Place,
  { at, employeeId, shiftId }: Counter,
  { sale, tender, isDeclined }: { readonly sale: Sale; readonly tender: NewTender; readonly isDeclined: boolean },
): Taken {
  const { chance, ids, currency } = story;
  const pending = toPendingTender(
    { merchant: { currency }, ids, device, employeeId, at },
    sale.id,
    unpaid(sale),
    tender,
  );
  if (tender.source.kind === 'CARD') {
    const outcome = isDeclined ? decline(chance) : approve(story, pending.total);
    return { payment: applyOutcome(pending, outcome, { autocomplete: true, at }) };
  }
  const event = { ...drawerEventOf(pending), id: ids.newUuid(), employeeId, description: null, createdAt: at };
  return { payment: takenByHand(pending, shiftId, at), event };
}
