/** A stateful double of Stripe, written after its published API: payment intents, payment methods, refunds, disputes and events. */
import { createHmac } from 'node:crypto';
import { SECOND_MS } from '../../src/base/time.js';
import type { ProcessorBooks } from './faulty-processor.js';
import {
  ApiError,
  bookCharge,
  invalid,
  newId,
  type Sent,
  type StripeRequest,
  StripeServer,
  type Thing,
  unrecognized,
  WEBHOOK_SECRET,
} from './stripe-server.js';

/** The published test payment methods that are declined, and why. */
const DECLINED: Readonly<Record<string, { code: string; decline_code?: string }>> = {
  pm_card_chargeDeclined: { code: 'card_declined', decline_code: 'generic_decline' },
  pm_card_chargeDeclinedInsufficientFunds: { code: 'card_declined', decline_code: 'insufficient_funds' },
  pm_card_chargeDeclinedLostCard: { code: 'card_declined', decline_code: 'lost_card' },
  pm_card_chargeDeclinedExpiredCard: { code: 'expired_card' },
  pm_card_chargeDeclinedIncorrectCvc: { code: 'incorrect_cvc' },
  pm_card_authenticationRequired: { code: 'authentication_required', decline_code: 'authentication_required' },
};

const CARDS: Readonly<Record<string, Thing>> = {
  pm_card_visa: { brand: 'visa', last4: '4242', funding: 'credit' },
  pm_card_mastercard_debit: { brand: 'mastercard', last4: '8210', funding: 'debit' },
  pm_ofCustomer: { brand: 'amex', last4: '0005', funding: 'credit' },
  pm_usedUp: { brand: 'visa', last4: '4242', funding: 'credit' },
};

export class StripeDouble extends StripeServer {
  readonly intents = new Map<string, Thing>();
  readonly refunds = new Map<string, Thing>();
  readonly disputes = new Map<string, Thing>();
  /** The status of the next refunds. */
  refundStatus = 'succeeded';
  /** How often a charge has to be read until it is booked. */
  booksAfter = 0;

  static start(): Promise<StripeDouble> {
    return new StripeDouble().listen();
  }

  override heal(): void {
    super.heal();
    this.refundStatus = 'succeeded';
    this.booksAfter = 0;
  }

  intentOf(paymentId: string): Thing {
    const found = [...this.intents.values()].filter(({ metadata }) => metadata.tillhouse_payment === paymentId);
    const [moved = found[0]] = found.filter(({ status }) => status !== 'requires_confirmation');
    if (!moved) throw new Error(`Stripe has no intent of ${paymentId}`);
    return moved;
  }

  /** Its books, added up from all intents, also from those that the server does not know. */
  readBooks(): Pick<ProcessorBooks, 'accounts' | 'complaints'> {
    const accounts: ProcessorBooks['accounts'] = new Map();
    for (const intent of this.intents.values()) {
      const { tillhouse_payment: id } = intent['metadata'];
      const charge = intent['latest_charge'];
      if (!charge?.authorized) continue;
      if (accounts.has(id)) throw new Error(`${id} is charged twice`);
      const refunds = [...this.refunds.values()].filter((refund) => refund['payment_intent'] === intent['id']);
      const returned = refunds.filter(({ status }) => status !== 'failed').map(({ amount }) => amount);
      const refunded = returned.reduce((sum, each) => sum + each, 0);
      const { amount: held, amount_received: captured, status } = intent;
      accounts.set(id, { held, captured, voided: status === 'canceled', refunded });
    }
    return { accounts, complaints: [] };
  }

  dispute(paymentId: string, fields: Thing = {}): Thing {
    const intent = this.intentOf(paymentId);
    const { id: payment_intent, amount, currency, latest_charge } = intent;
    const dispute = { id: newId('dp'), object: 'dispute', status: 'needs_response', amount, currency };
    const created = Math.floor(Date.now() / SECOND_MS);
    const whole = { ...dispute, created, charge: latest_charge.id, payment_intent, ...fields };
    this.disputes.set(whole.id, whole);
    return whole;
  }

  /** The body and the headers of an event. */
  /** While a signing secret is replaced, Stripe signs with both. */
  event(
    type: string,
    object: Thing,
    { secret = WEBHOOK_SECRET, others = [] as readonly string[], at = Date.now() } = {},
  ) {
    const body = JSON.stringify({ id: newId('evt'), object: 'event', type, data: { object }, livemode: false });
    const seconds = Math.floor(at / SECOND_MS);
    const sign = (key: string) => `,v1=${createHmac('sha256', key).update(`${seconds}.${body}`).digest('hex')}`;
    const signature = `t=${seconds}${[secret, ...others].map(sign).join('')}`;
    return { body, headers: { 'content-type': 'application/json', 'stripe-signature': signature } };
  }

  protected override merchantOf(sent: Sent): string | undefined {
    const [, , , id] = sent.path.split('/');
    const intent = this.intents.get(sent.params.get('payment_intent') ?? id ?? '');
    return intent?.['metadata'].tillhouse_merchant ?? super.merchantOf(sent);
  }

  protected override run({ method, path, params }: StripeRequest): Thing {
    const [, , kind = '', id, action] = path.split('/');
    switch (`${method} ${kind} ${action ?? (id ? 'one' : 'all')}`) {
      case 'POST payment_intents all':
        return this.#createIntent(params);
      case 'GET payment_intents one':
        return this.#show(require(this.intents, id, 'payment_intent'));
      case 'GET payment_intents all':
        return list(this.intents, params, (each) => this.#show(each));
      case 'POST payment_intents confirm':
        return this.#confirm(require(this.intents, id, 'payment_intent'));
      case 'POST payment_intents capture':
        return this.#capture(require(this.intents, id, 'payment_intent'));
      case 'POST payment_intents cancel':
        return this.#cancel(require(this.intents, id, 'payment_intent'), params);
      case 'GET payment_methods one':
        return { id, object: 'payment_method', type: 'card', card: cardOf(id ?? ''), customer: customerOf(id ?? '') };
      case 'POST refunds all':
        return this.#refund(params);
      case 'GET refunds one':
        return require(this.refunds, id, 'refund');
      case 'GET refunds all':
        return list(this.refunds, params, (each) => {
          if (params.get('expand[0]') !== 'data.payment_intent') return each;
          return { ...each, payment_intent: this.#show(require(this.intents, each['payment_intent'], 'intent')) };
        });
      case 'GET disputes one': {
        const dispute = require(this.disputes, id, 'dispute');
        return { ...dispute, payment_intent: this.#show(require(this.intents, dispute['payment_intent'], 'intent')) };
      }
      case 'GET disputes all':
        return list(this.disputes, params, (each) => each);
      default:
        throw unrecognized(method, path);
    }
  }

  #createIntent(params: URLSearchParams): Thing {
    const unknown = [...params.keys()].filter(
      (name) =>
        !/^(?:amount|currency|payment_method|capture_method|customer)$|^(?:metadata|allowed_payment_method_types|expand)\[/.test(
          name,
        ),
    );
    if (unknown[0])
      throw invalid(`Received unknown parameter: ${unknown[0]}`, { code: 'parameter_unknown', param: unknown[0] });
    const source = params.get('payment_method') ?? '';
    const card = cardOf(source);
    if (source === 'pm_usedUp')
      throw invalid(
        'The provided PaymentMethod was previously used with a PaymentIntent without Customer attachment. It may not be used again.',
      );
    if (customerOf(source) !== params.get('customer'))
      throw invalid('The payment method is attached to a customer, so you must provide the customer in the request.');
    const amount = Number(params.get('amount'));
    if (amount < 50) throw invalid('Amount must be at least 50 cents', { code: 'amount_too_small', param: 'amount' });
    const intent = {
      id: newId('pi'),
      object: 'payment_intent',
      created: Math.floor(Date.now() / SECOND_MS),
      amount,
      amount_received: 0,
      currency: params.get('currency'),
      capture_method: params.get('capture_method') ?? 'automatic_async',
      customer: params.get('customer'),
      status: 'requires_confirmation',
      payment_method: { id: newId('pm'), object: 'payment_method', type: 'card', card },
      metadata: metadataOf(params),
      last_payment_error: null,
      latest_charge: null,
      cancellation_reason: null,
      source,
    };
    this.intents.set(intent.id, intent);
    return this.#show(intent);
  }

  #confirm(intent: Thing): Thing {
    if (intent['status'] !== 'requires_confirmation') throw unexpected(intent, 'confirm');
    const declined = DECLINED[intent['source']];
    const { card } = intent['payment_method'];
    if (declined) {
      const error = {
        type: 'card_error',
        message: 'Your card was declined.',
        ...declined,
        payment_method: intent['payment_method'],
      };
      Object.assign(intent, { status: 'requires_payment_method', last_payment_error: error, payment_method: null });
      throw new ApiError(402, { ...error, payment_intent: this.#show(intent) });
    }
    intent['latest_charge'] = {
      id: newId('ch'),
      object: 'charge',
      authorized: true,
      refunded: false,
      payment_method_details: { type: 'card', card: { ...card, authorization_code: '123456' } },
      balance_transaction: null,
    };
    intent['status'] = 'requires_capture';
    return intent['capture_method'] === 'manual' ? this.#show(intent) : this.#capture(intent);
  }

  #capture(intent: Thing): Thing {
    if (intent['status'] !== 'requires_capture') throw unexpected(intent, 'capture');
    const { amount, currency } = intent;
    intent['latest_charge'].balance_transaction = { ...bookCharge(amount, currency), unread: this.booksAfter };
    Object.assign(intent, { status: 'succeeded', amount_received: amount });
    return this.#show(intent);
  }

  #cancel(intent: Thing, params: URLSearchParams): Thing {
    if (['succeeded', 'canceled', 'processing'].includes(intent['status'])) throw unexpected(intent, 'cancel');
    Object.assign(intent, { status: 'canceled', cancellation_reason: params.get('cancellation_reason') });
    return this.#show(intent);
  }

  #refund(params: URLSearchParams): Thing {
    const intent = require(this.intents, params.get('payment_intent') ?? undefined, 'payment_intent');
    const of = [...this.refunds.values()].filter((each) => each['payment_intent'] === intent['id']);
    const left = of
      .filter(({ status }) => status !== 'failed')
      .reduce((sum, each) => sum - each['amount'], intent['amount_received']);
    const amount = Number(params.get('amount'));
    if (left === 0) throw invalid('The charge has already been refunded.', { code: 'charge_already_refunded' });
    if (amount > left) throw invalid('Refund amount is greater than unrefunded amount on charge', { param: 'amount' });
    const refund = {
      ...{ id: newId('re'), object: 'refund', created: Math.floor(Date.now() / SECOND_MS), amount },
      currency: intent['currency'],
      payment_intent: intent['id'],
      status: this.refundStatus,
      metadata: metadataOf(params),
    };
    this.refunds.set(refund.id, refund);
    return refund;
  }

  /** As the API shows an intent: a charge that is not booked yet has no balance transaction. */
  #show(intent: Thing): Thing {
    const { source: _, ...shown } = intent;
    const charge = intent['latest_charge'];
    if (!charge?.balance_transaction) return shown;
    if (charge.balance_transaction.unread-- <= 0) return shown;
    return { ...shown, latest_charge: { ...charge, balance_transaction: null } };
  }
}

function require(things: ReadonlyMap<string, Thing>, id: string | undefined, what: string): Thing {
  const found = things.get(id ?? '');
  if (!found) throw invalid(`No such ${what}: '${id}'`, { code: 'resource_missing', param: 'id' }, 404);
  return found;
}

function unexpected({ id, status }: Thing, action: string): ApiError {
  return invalid(`You cannot ${action} ${id} because it has a status of ${status}.`, {
    code: 'payment_intent_unexpected_state',
  });
}

export function cardOf(source: string): Thing {
  const known = CARDS[source] ?? (DECLINED[source] && { brand: 'visa', last4: '0002', funding: 'credit' });
  if (!known)
    throw invalid(`No such PaymentMethod: '${source}'`, { code: 'resource_missing', param: 'payment_method' });
  const checks = { cvc_check: 'pass', address_postal_code_check: null };
  return { exp_month: 8, exp_year: 2034, fingerprint: `fp${known['last4']}`, checks, ...known };
}

function customerOf(source: string): string | null {
  return source === 'pm_ofCustomer' ? 'cus_123' : null;
}

function metadataOf(params: URLSearchParams): Record<string, string> {
  const named = [...params].flatMap(([name, value]) => {
    const [, key] = /^metadata\[(.+)\]$/.exec(name) ?? [];
    return key === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(named);
}

/** Newest first, page by page. */
function list(things: ReadonlyMap<string, Thing>, params: URLSearchParams, show: (thing: Thing) => Thing): Thing {
  const [from, to] = [Number(params.get('created[gte]') ?? 0), Number(params.get('created[lt]') ?? Infinity)];
  const intent = params.get('payment_intent');
  const all = [...things.values()]
    .reverse()
    .filter(({ created }) => created >= from && created < to)
    .filter((each) => intent === null || each['payment_intent'] === intent);
  const start = all.findIndex(({ id }) => id === params.get('starting_after')) + 1;
  const end = start + Number(params.get('limit') ?? 10);
  return { object: 'list', data: all.slice(start, end).map(show), has_more: all.length > end, url: '/' };
}
