/** Generates sales at a register, with their tenders. */
import { type Amount, amount, portion } from '../../base/money.js';
import { hashSecret } from '../../base/secrets.js';
import { type Instant, instant, MINUTE_MS } from '../../base/time.js';
import type { RecordedEvent } from '../../business/cash-drawers/table.js';
import type { PaymentToInsert } from '../../business/payments/create-queries.js';
import type { Payment } from '../../business/payments/model.js';
import { applyOutcome, toChargeMovement } from '../../business/payments/outcomes.js';
import type { ReceiptRecord } from '../../business/receipts/copies.js';
import { type Sale, toNewSale, unpaid, withTender } from '../../business/sales/model.js';
import { toPaymentDrawerEvent } from '../../business/tills/drawer-events.js';
import { type NewTender, type TenderSource, toCompletedTender, toPendingTender } from '../../business/tills/tenders.js';
import { approve, decline } from './cards.js';
import type { PartOfDay } from './menu.js';
import type { Scenario, SeededLocation } from './scenario.js';
import type { SeededRandom } from './seeded-random.js';

export interface GeneratedSale {
  readonly sale: Sale & { readonly receipt: ReceiptRecord; readonly requestHash: Buffer };
  /** All attempts, in order, including declined ones. */
  readonly payments: readonly PaymentToInsert[];
  readonly drawerEvents: readonly RecordedEvent[];
}

/** When and by whom a sale is rung up, and the drawer shift of its cash. */
export interface GeneratedSaleContext {
  readonly at: Instant;
  readonly part: PartOfDay;
  readonly employeeId: string;
  readonly shiftId: string;
  /** Only a part is paid; the sale stays open. */
  readonly staysOpen: boolean;
}

/** Probabilities. */
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

export function generateRegisterSale(
  scenario: Scenario,
  location: SeededLocation,
  context: GeneratedSaleContext,
): GeneratedSale {
  const { random, ids, now } = scenario;
  const { at, employeeId } = context;
  const registerSaleId = ids.newUuid();
  const ticket = location.tickets.pick(random, context.part);
  const rungUp = toNewSale(ticket.receipt.due, { ids, device: location.device, employeeId, registerSaleId, at });
  const tenders = chooseTenders(scenario, rungUp.due, context.staysOpen);
  // An offline sale is received some time after it was rung up.
  const receivedAt = random.happens(ODDS.offline)
    ? instant(Math.min(at + random.between(20, 240) * MINUTE_MS, now))
    : at;

  let sale = rungUp;
  const payments: PaymentToInsert[] = [];
  const drawerEvents: RecordedEvent[] = [];
  for (const { isDeclined, ...tender } of tenders) {
    const taken = takeTender(scenario, location, context, { sale, tender, isDeclined });
    sale = withTender(sale, taken.payment);
    payments.push({
      merchantId: scenario.merchantId,
      payment: taken.payment,
      movement: toChargeMovement(ids, taken.payment, receivedAt),
    });
    if (taken.event) drawerEvents.push(taken.event);
  }
  return { sale: { requestHash: hashSecret(registerSaleId), ...sale, receipt: ticket }, payments, drawerEvents };
}

type Attempt = NewTender & { readonly isDeclined: boolean };

function chooseTenders({ random, ids }: Scenario, due: Amount, staysOpen: boolean): Attempt[] {
  const tender = (source: TenderSource, more: Partial<Attempt> = {}): Attempt => ({
    registerTenderId: ids.newUuid(),
    amount: undefined,
    tip: null,
    isDeclined: false,
    source,
    ...more,
  });
  if (staysOpen || random.happens(ODDS.split)) {
    const first = tender(random.happens(0.5) ? CASH : cardOf(random), {
      amount: portion(due, random.between(3, 7), 10),
    });
    return staysOpen ? [first] : [first, tender(cardOf(random))];
  }
  if (random.happens(ODDS.cash))
    return [tender({ kind: 'CASH', tendered: roundUp(due, random.pick([100, 500, 2000])) })];
  if (random.happens(ODDS.other)) return [tender(VOUCHER)];
  const tip = random.happens(ODDS.tip) ? portion(due, random.pick([10, 15, 18, 20]), 100) : null;
  const paid = tender(cardOf(random), { tip });
  return random.happens(ODDS.declined) ? [tender(cardOf(random), { isDeclined: true }), paid] : [paid];
}

function cardOf(random: SeededRandom): TenderSource {
  const entryMethod = random.happens(ODDS.keyed) ? 'MANUAL' : 'SWIPED';
  return { kind: 'CARD', sourceId: '', entryMethod, acceptPartial: false };
}

/** Cash is handed over in whole notes or coins. */
function roundUp(due: Amount, step: number): Amount {
  return amount(Math.ceil(due / step) * step);
}

interface TakenTender {
  readonly payment: Payment;
  readonly event?: RecordedEvent;
}

function takeTender(
  scenario: Scenario,
  { device }: SeededLocation,
  { at, employeeId, shiftId }: GeneratedSaleContext,
  { sale, tender, isDeclined }: { readonly sale: Sale; readonly tender: NewTender; readonly isDeclined: boolean },
): TakenTender {
  const { random, ids, currency } = scenario;
  const pending = toPendingTender(
    { merchant: { currency }, ids, device, employeeId, at },
    sale.id,
    unpaid(sale),
    tender,
  );
  if (tender.source.kind === 'CARD') {
    const outcome = isDeclined ? decline(random) : approve(scenario, pending.total);
    return { payment: applyOutcome(pending, outcome, { autocomplete: true, at }) };
  }
  const event = { id: ids.newUuid(), ...toPaymentDrawerEvent(pending), employeeId, description: null, createdAt: at };
  return { payment: toCompletedTender(pending, shiftId, at), event };
}
