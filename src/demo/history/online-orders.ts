/** Generates orders of an online store, with their payments and refunds, in the state that they have reached by now. */
import { toJson } from '../../base/json.js';
import type { PostalAddress } from '../../base/postal-address.js';
import { hashSecret } from '../../base/secrets.js';
import { DAY_MS, HOUR_MS, type Instant, instant, MINUTE_MS, wholeSecond } from '../../base/time.js';
import type { Movement } from '../../business/movements/model.js';
import { moved, type Order, type OrderAction } from '../../business/orders/model.js';
import { toPendingOnlinePayment } from '../../business/orders/payment.js';
import { type OrderRequest, orderToken, priceOrder, toOrder } from '../../business/orders/placing.js';
import type { PastOrder } from '../../business/orders/queries.js';
import type { PaymentToInsert } from '../../business/payments/create-queries.js';
import type { Refund } from '../../business/payments/model.js';
import { applyOutcome, toChargeMovement } from '../../business/payments/outcomes.js';
import { type ReceiptRecord, toReceiptRecord } from '../../business/receipts/copies.js';
import { asCanceled, type OnlineSale, toNewOnlineSale, withTender } from '../../business/sales/model.js';
import { approve, decline } from './cards.js';
import { generateOrderRefund, REFUND_TAKES_MS } from './refunds.js';
import type { Scenario, SeededLocation } from './scenario.js';
import type { SeededRandom } from './seeded-random.js';

type OrderSale = OnlineSale & { readonly receipt: ReceiptRecord };

/** An order with its sale, payments and refunds. */
export interface GeneratedOrder {
  readonly placed: PastOrder;
  readonly sale: OrderSale;
  readonly payments: readonly PaymentToInsert[];
  readonly refunds: readonly Refund[];
  /** The movements of the refunds. */
  readonly movements: readonly Movement[];
}

/** The last state that an order may reach, however much time has passed. */
export type OrderEnd = 'PENDING' | 'OPEN' | 'ANY';

/** The actions on orders, with their frequency in percent. */
const ORDER_OUTCOMES = [
  weightedOutcome(74, 'PAY', 'COMPLETE'),
  weightedOutcome(6, 'PAY', 'COMPLETE', 'REFUND'),
  weightedOutcome(4, 'PAY', 'CANCEL'),
  weightedOutcome(3, 'PAY', 'REFUND'),
  weightedOutcome(5, 'DECLINE'),
  weightedOutcome(5, 'EXPIRE'),
  weightedOutcome(3, 'CANCEL'),
].flat();

function weightedOutcome(percent: number, ...actions: OrderAction[]): readonly (readonly OrderAction[])[] {
  return Array(percent).fill(actions);
}

/** The time between the previous action and this one. */
const ACTION_DELAY_MS: Readonly<Record<OrderAction, number>> = {
  PAY: 2 * MINUTE_MS,
  DECLINE: 2 * MINUTE_MS,
  CANCEL: 5 * HOUR_MS,
  EXPIRE: DAY_MS,
  COMPLETE: 1.5 * DAY_MS,
  REFUND: 4 * DAY_MS,
};

/** The note of an action, which is also the reason of its refund. */
const NOTES: Readonly<Partial<Record<OrderAction, Partial<Order>>>> = {
  COMPLETE: { completedNote: 'On its way' },
  CANCEL: { canceledNote: 'Changed their mind' },
  REFUND: { refundedNote: 'Arrived broken' },
};

const BUYERS = ['Ada Brandt', 'Miguel Soares', 'Yuki Tanabe', 'Femi Adeyemi', 'Clara Novak', 'Sam Ortega'];

export function generateOrder(
  scenario: Scenario,
  location: SeededLocation,
  { at, end }: { at: Instant; end: OrderEnd },
): GeneratedOrder {
  const { random, ids, now, currency, merchantId, keyedHash } = scenario;
  const { locationId, store, goods } = location;
  const orderRequest = chooseOrder(random, location);
  const receipt = priceOrder({ store, items: goods, merchantId, currency }, orderRequest);
  const order = toOrder({ locationId, currency, ids, now: at }, orderRequest, receipt);
  const clientId = ids.newUuid();
  const progress = new OrderProgress(scenario, order, {
    ...toNewOnlineSale(order),
    receipt: toReceiptRecord(receipt, currency),
  });
  for (const action of planActions(random, end)) if (!progress.apply(action, now)) break;
  const tokenHash = hashSecret(orderToken(keyedHash, merchantId, order.id));
  return progress.toGeneratedOrder({ tokenHash, clientId, requestHash: hashSecret(clientId) });
}

function planActions(random: SeededRandom, end: OrderEnd): readonly OrderAction[] {
  if (end === 'PENDING') return [];
  if (end === 'OPEN') return ['PAY'];
  return random.pick(ORDER_OUTCOMES);
}

function chooseOrder(random: SeededRandom, { goods, store, neighbourhood }: SeededLocation): OrderRequest {
  const name = random.pick(BUYERS);
  const [promo] = store.promoCodes;
  const address: PostalAddress = {
    address_line_1: `${random.between(1, 900)} ${random.pick(neighbourhood.streets)}`,
    locality: neighbourhood.locality,
    administrative_district_level_1: neighbourhood.region,
    postal_code: neighbourhood.postalCode,
    country: 'US',
  };
  return {
    items: Array.from({ length: random.between(1, 3) }, () => {
      const { id, variations } = random.pick(goods);
      return { itemId: id, variationId: random.pick(variations).id, count: random.happens(0.2) ? 2 : 1, optionIds: [] };
    }),
    fulfillment: 'SHIPMENT',
    promoCode: promo && random.happens(0.15) ? promo.code : undefined,
    buyer: {
      buyerEmail: `${name.toLowerCase().replace(' ', '.')}@mail.example`,
      recipientName: name,
      recipientPhoneNumber: random.happens(0.6) ? `${neighbourhood.phonePrefix}${random.between(1000, 9999)}` : null,
      buyerNote: random.happens(0.2) ? 'Please ring twice' : null,
      shippingAddress: toJson(address),
    },
  };
}

/** Applies actions to one order, its sale and its payment. */
class OrderProgress {
  readonly #scenario: Scenario;
  #order: Order;
  #sale: OrderSale;
  #payment: PaymentToInsert | undefined;
  #refunded: Pick<GeneratedOrder, 'refunds' | 'movements'> = { refunds: [], movements: [] };
  #trackingNumber: string | null = null;

  constructor(scenario: Scenario, order: Order, sale: OrderSale) {
    this.#scenario = scenario;
    this.#order = order;
    this.#sale = sale;
  }

  /** Returns false if the action would be in the future. */
  apply(action: OrderAction, now: Instant): boolean {
    const at = wholeSecond(instant(this.#order.updatedAt + ACTION_DELAY_MS[action]));
    if (at + REFUND_TAKES_MS > now) return false;
    if (action === 'PAY' || action === 'DECLINE') this.#pay(at, action === 'DECLINE');
    else if (this.#payment && action !== 'COMPLETE') this.#refund(at, action);
    if (this.#sale.state === 'OPEN' && action !== 'PAY') this.#sale = asCanceled(this.#sale);
    if (action === 'COMPLETE') this.#trackingNumber = this.#scenario.ids.newId(16);
    this.#move(action, at);
    return true;
  }

  toGeneratedOrder(request: Pick<PastOrder, 'tokenHash' | 'clientId' | 'requestHash'>): GeneratedOrder {
    return {
      placed: { ...request, order: this.#order, trackingNumber: this.#trackingNumber },
      sale: this.#sale,
      payments: this.#payment ? [this.#payment] : [],
      ...this.#refunded,
    };
  }

  #pay(at: Instant, isDeclined: boolean): void {
    const { random, ids, merchantId } = this.#scenario;
    const { id: orderId, saleId, locationId, total: due, currency, buyerEmail } = this.#order;
    const pending = toPendingOnlinePayment(ids, { saleId, orderId, locationId, due, currency, buyerEmail }, at);
    const outcome = isDeclined ? decline(random) : approve(this.#scenario, pending.total);
    const payment = applyOutcome(pending, outcome, { autocomplete: true, at });
    this.#payment = { merchantId, payment, movement: toChargeMovement(ids, payment) };
    this.#sale = withTender(this.#sale, payment);
  }

  #refund(at: Instant, action: OrderAction): void {
    const paid = this.#payment;
    if (paid?.payment.status !== 'COMPLETED') return;
    const { canceledNote, refundedNote } = NOTES[action] ?? {};
    const reason = canceledNote ?? refundedNote ?? 'Order refunded';
    const { payments, refunds, movements } = generateOrderRefund(
      this.#scenario,
      { ...paid.payment, status: 'COMPLETED' },
      this.#sale,
      { at, reason },
    );
    this.#payment = { ...paid, payment: payments[0] ?? paid.payment };
    this.#refunded = { refunds, movements };
  }

  #move(action: OrderAction, at: Instant): void {
    this.#order = moved(this.#order, { action, at, notes: NOTES[action] ?? {} });
  }
}
