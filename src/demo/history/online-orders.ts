/** Orders of an online store: placed, paid or not, sent, cancelled and refunded, as far as they have come by now. */
import { toJson } from '../../base/json.js';
import { ZERO } from '../../base/money.js';
import { hashSecret } from '../../base/secrets.js';
import { DAY_MS, HOUR_MS, type Instant, instant, MINUTE_MS, wholeSecond } from '../../base/time.js';
import type { Address } from '../../business/merchants/address.js';
import type { Movement } from '../../business/movements/model.js';
import { HISTORY_OF, nextState, type Order, type OrderAction } from '../../business/orders/model.js';
import { toPendingOnline } from '../../business/orders/payment.js';
import { orderToken, priceOrder, toOrder, type Wish } from '../../business/orders/placing.js';
import type { PastOrder } from '../../business/orders/queries.js';
import type { MadePayment } from '../../business/payments/create-queries.js';
import type { Refund } from '../../business/payments/model.js';
import { applyOutcome, chargeOf } from '../../business/payments/outcomes.js';
import { type ReceiptRecord, toReceiptRecord } from '../../business/receipts/record.js';
import { type OnlineSale, withTender } from '../../business/sales/model.js';
import { approve, decline } from './cards.js';
import type { Chance } from './chance.js';
import { giveBackOrder, REFUND_TAKES_MS } from './refunds.js';
import type { Place, Story } from './story.js';

type OrderSale = OnlineSale & { readonly receipt: ReceiptRecord };

/** An order with all that hangs on it. */
export interface ToldOrder {
  readonly placed: PastOrder;
  readonly sale: OrderSale;
  readonly payments: readonly MadePayment[];
  readonly refunds: readonly Refund[];
  /** Of the refunds. */
  readonly movements: readonly Movement[];
}

/** How far an order may come: it is told no further than that, whatever time has passed. */
export type OrderEnd = 'PENDING' | 'OPEN' | 'ANY';

/** What becomes of orders, and how often, of one hundred. */
const FATES = [
  fate(74, 'PAY', 'COMPLETE'),
  fate(6, 'PAY', 'COMPLETE', 'REFUND'),
  fate(4, 'PAY', 'CANCEL'),
  fate(3, 'PAY', 'REFUND'),
  fate(5, 'DECLINE'),
  fate(5, 'EXPIRE'),
  fate(3, 'CANCEL'),
].flat();

function fate(often: number, ...actions: OrderAction[]): readonly (readonly OrderAction[])[] {
  return Array(often).fill(actions);
}

/** How long after the step before it each one is taken. */
const STEP_TAKES_MS: Readonly<Record<OrderAction, number>> = {
  PAY: 2 * MINUTE_MS,
  DECLINE: 2 * MINUTE_MS,
  CANCEL: 5 * HOUR_MS,
  EXPIRE: DAY_MS,
  COMPLETE: 1.5 * DAY_MS,
  REFUND: 4 * DAY_MS,
};

/** What is said with an action, and of the refund that comes with it. */
const NOTES: Readonly<Partial<Record<OrderAction, Partial<Order>>>> = {
  COMPLETE: { completedNote: 'On its way' },
  CANCEL: { canceledNote: 'Changed their mind' },
  REFUND: { refundedNote: 'Arrived broken' },
};

const BUYERS = ['Ada Brandt', 'Miguel Soares', 'Yuki Tanabe', 'Femi Adeyemi', 'Clara Novak', 'Sam Ortega'];

export function takeOrder(story: Story, place: Place, { at, end }: { at: Instant; end: OrderEnd }): ToldOrder {
  const { chance, ids, now, currency, merchantId, keyedHash } = story;
  const { locationId, store, catalogue } = place;
  const wish = wishOf(chance, place);
  const receipt = priceOrder({ store, items: catalogue, merchantId, currency }, wish);
  const order = toOrder({ locationId, currency, ids, now: at }, wish, receipt);
  const clientId = ids.newUuid();
  const course = new Course(story, order, {
    kind: 'ONLINE_STORE',
    id: order.saleId,
    locationId,
    state: 'OPEN',
    createdAt: null,
    rungUpAt: order.createdAt,
    due: receipt.due,
    receipt: toReceiptRecord(receipt, currency),
    paid: ZERO,
    tenderIds: [],
  });
  for (const action of planOf(chance, end)) if (!course.goOn(action, now)) break;
  const tokenHash = hashSecret(orderToken(keyedHash, merchantId, order.id));
  return course.told({ tokenHash, clientId, requestHash: hashSecret(clientId) });
}

function planOf(chance: Chance, end: OrderEnd): readonly OrderAction[] {
  if (end === 'PENDING') return [];
  if (end === 'OPEN') return ['PAY'];
  return chance.pick(FATES);
}

function wishOf(chance: Chance, { catalogue, store, neighbourhood }: Place): Wish {
  const name = chance.pick(BUYERS);
  const [promo] = store.promoCodes;
  const address: Address = {
    address_line_1: `${chance.between(1, 900)} ${chance.pick(neighbourhood.streets)}`,
    locality: neighbourhood.locality,
    administrative_district_level_1: neighbourhood.region,
    postal_code: neighbourhood.postalCode,
    country: 'US',
  };
  return {
    items: Array.from({ length: chance.between(1, 3) }, () => ({
      itemId: chance.pick(catalogue).id,
      count: chance.happens(0.2) ? 2 : 1,
    })),
    promoCode: promo && chance.happens(0.15) ? promo.code : undefined,
    buyer: {
      buyerEmail: `${name.toLowerCase().replace(' ', '.')}@mail.example`,
      recipientName: name,
      recipientPhoneNumber: chance.happens(0.6) ? `${neighbourhood.dialling}${chance.between(1000, 9999)}` : null,
      buyerNote: chance.happens(0.2) ? 'Please ring twice' : null,
      shippingAddress: toJson(address),
    },
  };
}

/** The course of one order: what its actions make of it, of its sale and of its payment. */
class Course {
  readonly #story: Story;
  #order: Order;
  #sale: OrderSale;
  #payment: MadePayment | undefined;
  #back: Pick<ToldOrder, 'refunds' | 'movements'> = { refunds: [], movements: [] };
  #trackingNumber: string | null = null;

  constructor(story: Story, order: Order, sale: OrderSale) {
    this.#story = story;
    this.#order = order;
    this.#sale = sale;
  }

  /** False where that has not happened yet. */
  goOn(action: OrderAction, now: Instant): boolean {
    const at = wholeSecond(instant(this.#order.updatedAt + STEP_TAKES_MS[action]));
    if (at + REFUND_TAKES_MS > now) return false;
    if (action === 'PAY' || action === 'DECLINE') this.#pay(at, action === 'DECLINE');
    else if (this.#payment && action !== 'COMPLETE') this.#giveBack(at, action);
    if (this.#sale.state === 'OPEN' && action !== 'PAY') this.#sale = { ...this.#sale, state: 'CANCELED' };
    if (action === 'COMPLETE') this.#trackingNumber = this.#story.ids.newId(16);
    this.#move(action, at);
    return true;
  }

  told(request: Pick<PastOrder, 'tokenHash' | 'clientId' | 'requestHash'>): ToldOrder {
    return {
      placed: { ...request, order: this.#order, trackingNumber: this.#trackingNumber },
      sale: this.#sale,
      payments: this.#payment ? [this.#payment] : [],
      ...this.#back,
    };
  }

  #pay(at: Instant, isDeclined: boolean): void {
    const { chance, ids, merchantId } = this.#story;
    const { id: orderId, saleId, locationId, total: due, currency, buyerEmail } = this.#order;
    const pending = toPendingOnline(ids, { saleId, orderId, locationId, due, currency, buyerEmail }, at);
    const outcome = isDeclined ? decline(chance) : approve(this.#story, pending.total);
    const payment = applyOutcome(pending, outcome, { autocomplete: true, at });
    this.#payment = { merchantId, payment, movement: chargeOf(ids, payment) };
    this.#sale = withTender(this.#sale, payment);
  }

  #giveBack(at: Instant, action: OrderAction): void {
    const made = this.#payment;
    if (made?.payment.status !== 'COMPLETED') return;
    const { canceledNote, refundedNote } = NOTES[action] ?? {};
    const reason = canceledNote ?? refundedNote ?? 'Order refunded';
    const { payments, refunds, movements } = giveBackOrder(
      this.#story,
      { ...made.payment, status: 'COMPLETED' },
      this.#sale,
      { at, reason },
    );
    this.#payment = { ...made, payment: payments[0] ?? made.payment };
    this.#back = { refunds, movements };
  }

  #move(action: OrderAction, at: Instant): void {
    const state = nextState(this.#order, action);
    const history = [...this.#order.history, { action: HISTORY_OF[action], createdAt: at }];
    this.#order = { ...this.#order, ...NOTES[action], state, updatedAt: at, history };
  }
}
