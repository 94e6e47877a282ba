/** Takes a payment for an open sale of a register or of an online order. */
import type { Ids } from '../../base/ids.js';
import type { RequestTrail } from '../../base/request-trail.js';
import type { Instant } from '../../base/time.js';
import type { Change } from '../../database/change.js';
import type { CallerMerchant } from '../../identity/caller.js';
import type { Processor } from '../../processor/contract.js';
import { recordMovement } from '../movements/actions.js';
import type { Movement } from '../movements/model.js';
import { reserveSale } from '../sales/actions.js';
import type { StoredRequest } from './call-model.js';
import { callKey, nextRetryAt } from './calls.js';
import type { Payment, PaymentStatus, PendingPayment } from './model.js';
import { applyOutcome, toChargeMovement, toSourceRefusal } from './outcomes.js';
import { insertPaymentRow } from './rows.js';
import { processorCalls } from './table.js';

/** What a charge needs to know of the merchant. */
export type ChargedMerchant = Pick<CallerMerchant, 'id' | 'hasRules' | 'processorId'>;

export interface ChargeContext {
  readonly merchant: ChargedMerchant;
  readonly processor: Processor;
  readonly ids: Ids;
  /** When the payment was taken. */
  readonly at: Instant;
  /** When the server received it. Later than `at` for a register that was offline. */
  readonly now: Instant;
  readonly trail: RequestTrail;
}

interface CardToCharge extends Pick<StoredRequest, 'sourceId' | 'acceptPartial'> {
  /** Of a tender of a register. */
  readonly requestHash?: Buffer | undefined;
}

/**
 * The caller adds the payment to its sale if it is captured. For a remote processor the payment is only recorded as PENDING: the caller has
 * to call `resolveCreate` after the commit.
 */
export async function chargeForSale(
  change: Change,
  { merchant, processor, ids, at, now, trail }: ChargeContext,
  requested: PendingPayment,
  { sourceId, acceptPartial, requestHash }: CardToCharge,
): Promise<Payment<PaymentStatus>> {
  const { processorId } = merchant;
  trail.paymentId = requested.id;
  const pending = { ...requested, processorId };
  const request = { key: callKey(merchant.id, pending.id, 'CREATE'), sourceId, amount: pending.total, acceptPartial };
  if (!processor.isCertain(merchant, processorId)) {
    const call = { request: { ...request, autocomplete: true }, retryAt: nextRetryAt() };
    insertPayment(change, { payment: pending, call, requestHash });
    reserveSale(change, pending.saleId);
    return pending;
  }
  const authorization = {
    ...{ ...request, merchant, paymentId: pending.id, processorId, currency: pending.currency },
    verificationToken: undefined,
    capture: true,
  };
  const outcome = await processor.authorize(authorization);
  if (outcome.kind === 'unusable') throw toSourceRefusal(outcome);
  const payment = applyOutcome(pending, outcome, { autocomplete: true, at, receivedAt: now });
  insertPayment(change, { payment, movement: toChargeMovement(ids, payment, now), requestHash });
  return payment;
}

/** Cash and other tenders need no processor, so they are complete at once. */
export function takeWithoutProcessor(
  change: Change,
  { trail }: Pick<ChargeContext, 'trail'>,
  { payment, requestHash }: { readonly payment: Payment; readonly requestHash: Buffer | undefined },
): void {
  trail.paymentId = payment.id;
  insertPayment(change, { payment, requestHash });
}

interface NewTender {
  readonly payment: Payment<PaymentStatus>;
  /** Of the request of a register, to compare with a retry. */
  readonly requestHash?: Buffer | undefined;
  readonly movement?: Movement | undefined;
  /** The call to the processor, if it is still to be made. Whoever records it holds its lease until it is retried. */
  readonly call?: { readonly request: StoredRequest; readonly retryAt: Instant };
}

/** Creates the payment of a sale that the change opens, or that it depends on. */
export function insertPayment(change: Change, { payment, requestHash, movement, call }: NewTender): void {
  insertPaymentRow(change, payment, requestHash ?? null);
  if (movement) recordMovement(change, movement);
  if (!call) return;
  const { request, retryAt } = call;
  const lease = { retryAt, leasedUntil: retryAt };
  change.insert(processorCalls, { paymentId: payment.id, action: 'CREATE', request, cancelAfter: false, ...lease });
}
