/**
 * Stripe as the processor (decision 0187). A payment is a payment intent. It is created first, its id is stored, and only then is it
 * confirmed. So after a lost response the intent can be read, and its state is the outcome. Stripe deletes idempotency keys after a day,
 * but keeps the state.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type Stripe from 'stripe';
import { type Amount, amount } from '../../base/money.js';
import type { Database } from '../../database/database.js';
import {
  type AuthorizeOutcome,
  type AuthorizeRequest,
  type CallRequest,
  type CaptureOutcome,
  type Processor,
  ProcessorUnavailable,
  type RefundRequest,
  type Trouble,
} from '../contract.js';
import { fromStripeAmount, toStripeAmount } from './amounts.js';
import { toCard } from './cards.js';
import { type CallTime, type StripeClient, type StripeFailure, toStripeFailure } from './client.js';
import { toDeclineCode } from './declines.js';
import { EXPANDED, feeOf, toOutcome, UNVERIFIED, wrongAmountReason } from './intents.js';
import { toMetadata } from './metadata.js';
import { findReference, insertReference } from './queries.js';

export interface StripeOptions {
  readonly database: Database;
  readonly client: StripeClient;
  readonly onTrouble: (trouble: Trouble) => void;
}

export function createStripeProcessor(options: StripeOptions): Processor {
  const ask = async <Outcome>(
    action: Trouble['action'],
    request: CallRequest,
    work: (call: Call) => Promise<Outcome>,
  ): Promise<Outcome> => {
    try {
      return await work(new Call(options, action, request));
    } catch (error) {
      const reason = error instanceof ProcessorUnavailable ? error.message : toStripeFailure(error).message;
      options.onTrouble({ action, call: request, reason });
      throw new ProcessorUnavailable(`the outcome of ${action} is unknown: ${reason}`);
    }
  };
  return {
    isCertain: () => false,
    authorize: (request) => ask('authorize', request, (call) => authorize(call, request)),
    capture: (request) => ask('capture', request, capture),
    void: (request) => ask('void', request, cancel),
    refund: (request) => ask('refund', request, (call) => refund(call, request)),
  };
}

/** One call of the server: its time limit, and what its requests to Stripe share. */
class Call {
  readonly #client: StripeClient;
  readonly #database: Database;
  readonly #time: CallTime;
  readonly #report: (reason: string) => void;
  readonly request: CallRequest;

  constructor({ client, database, onTrouble }: StripeOptions, action: Trouble['action'], request: CallRequest) {
    this.#client = client;
    this.#database = database;
    this.#time = client.begin();
    this.#report = (reason) => onTrouble({ action, call: request, reason, isFinal: true });
    this.request = request;
  }

  get api(): Stripe {
    return this.#client.api;
  }

  next(key?: string): Stripe.RequestOptions {
    return this.#time.next(key);
  }

  findReference(): Promise<string | undefined> {
    const { merchant, paymentId } = this.request;
    return findReference(this.#database.sql, merchant.id, paymentId);
  }

  /**
   * The intent of a payment that was charged before. Undefined if another processor has charged it: ids are stored before an intent is
   * confirmed, so a payment without one is not at Stripe. The operator has to act at the other processor.
   */
  async findCharged(): Promise<string | undefined> {
    const reference = await this.findReference();
    if (reference === undefined) this.#report('the payment was not made with Stripe');
    return reference;
  }

  /** A definite refusal of Stripe is a decline. Otherwise the request would be repeated forever. */
  reportRefused({ message }: StripeFailure): void {
    this.#report(message);
  }

  /** The payment stays canceled here. Only the reason can say whether the buyer has the money: it may have been refunded before. */
  reportReversal(why: string): void {
    this.#report(`the payment is canceled here, but ${why}`);
  }

  /** Returns the intent of the payment: the given one, unless another worker was faster. */
  async store(intentId: string): Promise<string> {
    const { merchant, paymentId } = this.request;
    await this.#database.statement((tx) => insertReference(tx, merchant.id, paymentId, intentId));
    return (await this.findReference()) ?? intentId;
  }

  read(id: string): Promise<Stripe.PaymentIntent> {
    return this.api.paymentIntents.retrieve(id, { expand: EXPANDED }, this.next());
  }

  /** Reads an intent until its charge is booked, which takes Stripe a moment at most. */
  async readBooked(id: string): Promise<Stripe.PaymentIntent> {
    for (;;) {
      const intent = await this.read(id);
      if (intent.status !== 'succeeded' || feeOf(intent, amount(0)) !== undefined) return intent;
      await sleep(this.#client.limits.pauseMs);
      if (this.#time.isOver) throw new ProcessorUnavailable(`the charge of ${id} is not booked yet`);
    }
  }

  /**
   * Creates an intent or changes its state. If Stripe only repeats an earlier failure with this key, another key is safe: a new intent
   * moves no money yet, and an intent leaves each state only once.
   */
  async act(key: string, send: (options: Stripe.RequestOptions) => Promise<Stripe.PaymentIntent>) {
    try {
      return await send(this.next(key));
    } catch (error) {
      const { kind, isReplayed } = toStripeFailure(error);
      if (kind !== 'unknown' || !isReplayed) throw error;
      return await send(this.next(`${key}:again`));
    }
  }

  /** Changes the state of an intent, and returns the intent with its new state. */
  async move(
    id: string,
    send: (options: Stripe.RequestOptions) => Promise<Stripe.PaymentIntent>,
  ): Promise<IntentChange> {
    try {
      const intent = await this.act(this.request.key, send);
      const isBooked = intent.status !== 'succeeded' || feeOf(intent, amount(0)) !== undefined;
      return { intent: isBooked ? intent : await this.readBooked(id), failure: undefined };
    } catch (error) {
      if (error instanceof ProcessorUnavailable) throw error;
      const failure = toStripeFailure(error);
      return { intent: await this.readBooked(id), failure };
    }
  }
}

interface IntentChange {
  readonly intent: Stripe.PaymentIntent;
  /** Why the request failed. The state of the intent can show that it succeeded nevertheless. */
  readonly failure: StripeFailure | undefined;
}

async function authorize(call: Call, request: AuthorizeRequest): Promise<AuthorizeOutcome> {
  const known = await call.findReference();
  if (known !== undefined) {
    const outcome = readOutcome(await call.readBooked(known), request);
    if (outcome) return outcome;
  }
  const made = known ?? (await createIntent(call, request));
  if (typeof made !== 'string') return made;
  const { intent, failure } = await call.move(made, (options) =>
    call.api.paymentIntents.confirm(made, { expand: EXPANDED, error_on_requires_action: true }, options),
  );
  const outcome = readOutcome(intent, request);
  if (outcome) return outcome;
  if (intent.status === 'requires_action') return await cancelUncharged(call, intent.id, request, UNVERIFIED);
  if (failure?.kind === 'refused' && isUsedUp(failure)) return { kind: 'unusable', why: 'ALREADY_USED' };
  if (failure?.kind === 'refused' && UNCHARGED.includes(intent.status)) {
    call.reportRefused(failure);
    const given = await cancelUncharged(call, intent.id, request);
    return given.kind === 'declined' ? { ...given, code: toDeclineCode(failure) } : given;
  }
  throw new ProcessorUnavailable(failure?.message ?? `${intent.id} is ${intent.status}`);
}

function readOutcome(intent: Stripe.PaymentIntent, request: AuthorizeRequest): AuthorizeOutcome | undefined {
  const wrong = wrongAmountReason(intent, request);
  if (wrong !== undefined) throw new ProcessorUnavailable(wrong);
  return toOutcome(intent, request);
}

/** The states of an intent after a refused confirmation. */
const UNCHARGED: readonly Stripe.PaymentIntent.Status[] = ['requires_confirmation', 'requires_payment_method'];

/**
 * Cancels an intent that cannot be charged, so that nobody charges it later. `UNVERIFIED`: the buyer would have to verify the payment. That
 * is not possible here: the program that created the source must do it before.
 */
async function cancelUncharged(
  call: Call,
  id: string,
  request: AuthorizeRequest,
  reason?: typeof UNVERIFIED,
): Promise<AuthorizeOutcome> {
  const params = { ...(reason && { cancellation_reason: reason }), expand: EXPANDED };
  const outcome = readOutcome(await call.api.paymentIntents.cancel(id, params, call.next()), request);
  if (!outcome) throw new ProcessorUnavailable(`${id} could not be canceled`);
  return outcome;
}

/** Creates an intent, which moves no money yet, and stores its id. Returns an outcome if Stripe does not create one. */
async function createIntent(call: Call, request: AuthorizeRequest): Promise<string | AuthorizeOutcome> {
  const { key, sourceId, capture: captures, currency } = request;
  const units = toStripeAmount(request.amount, currency);
  if (!sourceId.startsWith('pm_')) return { kind: 'unusable', why: 'UNKNOWN_SOURCE' };
  if (units === undefined) return declineSource(call, sourceId, 'amount_too_small');
  const params: Stripe.PaymentIntentCreateParams = {
    amount: units,
    currency: currency.toLowerCase(),
    payment_method: sourceId,
    allowed_payment_method_types: ['card'],
    // Not `automatic_async`, the default of Stripe: with it the fee is not known yet.
    capture_method: captures ? 'automatic' : 'manual',
    metadata: toMetadata(request),
  };
  const made = await tryToCreate(call, `${key}:new`, params);
  return typeof made === 'string' ? made : createForCustomer(call, request, params, made);
}

/** Returns the id of the intent, or why Stripe does not create it. */
async function tryToCreate(
  call: Call,
  key: string,
  params: Stripe.PaymentIntentCreateParams,
): Promise<string | StripeFailure> {
  try {
    const { id } = await call.act(key, (options) => call.api.paymentIntents.create(params, options));
    return await call.store(id);
  } catch (error) {
    if (error instanceof ProcessorUnavailable) throw error;
    const failure = toStripeFailure(error);
    if (failure.kind === 'unknown') throw error;
    return failure;
  }
}

/** A payment method of a customer can be used only together with the customer. For other methods the failure decides. */
async function createForCustomer(
  call: Call,
  { key, sourceId }: AuthorizeRequest,
  params: Stripe.PaymentIntentCreateParams,
  failure: StripeFailure,
): Promise<string | AuthorizeOutcome> {
  if (isUsedUp(failure)) return { kind: 'unusable', why: 'ALREADY_USED' };
  if (failure.code === 'resource_missing') return { kind: 'unusable', why: 'UNKNOWN_SOURCE' };
  const method = await readSource(call, sourceId);
  if (!method) return { kind: 'unusable', why: 'UNKNOWN_SOURCE' };
  if (failure.kind === 'declined' || failure.code?.startsWith('amount_too_'))
    return declineSource(call, sourceId, failure.code);
  const { customer } = method;
  if (customer === null) {
    if (failure.param?.startsWith('payment_method')) return { kind: 'unusable', why: 'UNKNOWN_SOURCE' };
    return declineRefused(call, sourceId, failure);
  }
  const owned = { ...params, customer: typeof customer === 'string' ? customer : customer.id };
  const made = await tryToCreate(call, `${key}:new-of-customer`, owned);
  return typeof made === 'string' ? made : declineRefused(call, sourceId, made);
}

function declineRefused(call: Call, sourceId: string, failure: StripeFailure): Promise<AuthorizeOutcome> {
  call.reportRefused(failure);
  return declineSource(call, sourceId, failure.code);
}

async function readSource(call: Call, sourceId: string): Promise<Stripe.PaymentMethod | undefined> {
  try {
    return await call.api.paymentMethods.retrieve(sourceId, {}, call.next());
  } catch (error) {
    if (toStripeFailure(error).code === 'resource_missing') return undefined;
    throw error;
  }
}

async function declineSource(call: Call, sourceId: string, code: string | undefined): Promise<AuthorizeOutcome> {
  const method = await readSource(call, sourceId);
  if (!method) return { kind: 'unusable', why: 'UNKNOWN_SOURCE' };
  const card = toCard(method.card, method.customer ? sourceId : undefined);
  return { kind: 'declined', code: toDeclineCode({ code }), card };
}

/** Stripe has no error code for this case. */
function isUsedUp({ message }: StripeFailure): boolean {
  return message.includes('may not be used again');
}

/** The bank has released the money. */
const EXPIRED = ['charge_expired_for_capture', 'capture_charge_authorization_expired'];

async function capture(call: Call): Promise<CaptureOutcome> {
  const id = await call.findCharged();
  if (id === undefined) return { kind: 'refused' };
  const { intent, failure } = await call.move(id, (options) =>
    call.api.paymentIntents.capture(id, { expand: EXPANDED }, options),
  );
  if (intent.status === 'canceled' || EXPIRED.includes(failure?.code ?? '')) return { kind: 'refused' };
  const wrong = wrongAmountReason(intent, undefined);
  const fee = feeOf(intent, fromStripeAmount(intent.amount_received, intent.currency.toUpperCase()));
  if (intent.status === 'succeeded' && wrong === undefined && fee !== undefined) return { kind: 'captured', fee };
  throw new ProcessorUnavailable(wrong ?? failure?.message ?? `${id} is ${intent.status}`);
}

async function cancel(call: Call): Promise<void> {
  const id = await call.findCharged();
  if (id === undefined) return;
  const { intent, failure } = await call.move(id, (options) =>
    call.api.paymentIntents.cancel(id, { expand: EXPANDED }, options),
  );
  if (intent.status === 'canceled') return;
  const { latest_charge: charge } = intent;
  // Somebody has captured it at Stripe, and refunded it there: the merchant has kept no money, as after a void.
  if (typeof charge === 'object' && charge?.refunded) return;
  if (intent.status === 'succeeded') {
    throw new ProcessorUnavailable(`${id} should be canceled, but was captured at Stripe: refund it there`);
  }
  throw new ProcessorUnavailable(failure?.message ?? `${id} is ${intent.status}`);
}

/** Looks for an earlier refund with the same key first: after a day Stripe would create a second one. */
async function refund(call: Call, request: RefundRequest): Promise<boolean> {
  const intentId = await call.findCharged();
  if (intentId === undefined) return false;
  const made = (await findRefund(call, intentId)) ?? (await createRefund(call, intentId, request));
  const why = typeof made === 'string' ? `Stripe refuses the refund: ${made}` : failureReason(call, made);
  if (why !== undefined && request.isReversal) call.reportReversal(why);
  return why === undefined;
}

function failureReason({ request }: Call, { id, status, failure_reason: reason }: Stripe.Refund): string | undefined {
  if (status === 'requires_action') throw new ProcessorUnavailable(`the refund ${request.key} waits for the buyer`);
  if (status === 'succeeded' || status === 'pending') return undefined;
  return `the refund ${id} is ${status} at Stripe${reason ? ` (${reason})` : ''}`;
}

async function findRefund(call: Call, intentId: string): Promise<Stripe.Refund | undefined> {
  const { key } = call.request;
  let after: string | undefined;
  for (;;) {
    const page = { payment_intent: intentId, limit: 100, ...(after && { starting_after: after }) };
    const { data, has_more } = await call.api.refunds.list(page, call.next());
    const found = data.find(({ metadata }) => metadata?.['tillhouse_key'] === key);
    after = data.at(-1)?.id;
    if (found || !has_more || after === undefined) return found;
  }
}

/** Returns the reason if Stripe refuses the refund, for example because nothing is left to refund. */
async function createRefund(
  call: Call,
  intentId: string,
  request: RefundRequest & { readonly amount: Amount },
): Promise<Stripe.Refund | string> {
  const units = toStripeAmount(request.amount, request.currency);
  if (units === undefined) return 'it takes no such amount';
  try {
    const params = { payment_intent: intentId, amount: units, metadata: toMetadata(request) };
    return await call.api.refunds.create(params, call.next(request.key));
  } catch (error) {
    const { kind, code, message } = toStripeFailure(error);
    if (kind === 'unknown' || code === 'resource_missing') throw error;
    return message;
  }
}
