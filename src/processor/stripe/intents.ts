/** Converts the state of a payment intent into an outcome. The state decides, not the response to a request, which can be lost. */
import type Stripe from 'stripe';
import type { Amount } from '../../base/money.js';
import type { AuthorizeOutcome, AuthorizeRequest } from '../contract.js';
import { toFee, toStripeAmount } from './amounts.js';
import { type StripeCard, toCard } from './cards.js';
import { toDeclineCode } from './declines.js';

/** Objects that every response with an intent contains in full. */
export const EXPANDED = ['latest_charge.balance_transaction', 'payment_method'];

/** The cancellation reason of an intent whose buyer would have to verify the payment. */
export const UNVERIFIED = 'abandoned';

/** Undefined: the intent has to be confirmed first, or read again. */
export function toOutcome(intent: Stripe.PaymentIntent, request: AuthorizeRequest): AuthorizeOutcome | undefined {
  const card = cardOf(intent, request.sourceId);
  switch (intent.status) {
    case 'succeeded': {
      const fee = feeOf(intent, request.amount);
      return fee === undefined ? undefined : { kind: 'approved', amount: request.amount, card, fee };
    }
    case 'requires_capture':
      return { kind: 'approved', amount: request.amount, card };
    case 'requires_payment_method':
      return intent.last_payment_error
        ? { kind: 'declined', code: toDeclineCode(intent.last_payment_error), card }
        : undefined;
    case 'canceled': {
      const isUnverified = intent.cancellation_reason === UNVERIFIED;
      const code = isUnverified ? 'CARD_DECLINED_VERIFICATION_REQUIRED' : 'GENERIC_DECLINE';
      return { kind: 'declined', code, card };
    }
    default:
      return undefined;
  }
}

/** Why the amount of an intent differs from what would be recorded. Undefined if it does not. */
export function wrongAmountReason(
  intent: Stripe.PaymentIntent,
  wanted: { readonly amount: Amount; readonly currency: string } | undefined,
): string | undefined {
  const { id, amount, amount_received, status } = intent;
  if (wanted) {
    const expected = toStripeAmount(wanted.amount, wanted.currency);
    if (amount !== expected || intent.currency.toUpperCase() !== wanted.currency)
      return `${id} has the amount ${amount} ${intent.currency}, but ${expected} ${wanted.currency} was requested`;
  }
  if (status === 'succeeded' && amount_received !== amount)
    return `${id} was captured in part, ${amount_received} of ${amount}: only whole payments can be captured`;
  return undefined;
}

/** Undefined while Stripe has not booked the charge. */
export function feeOf(intent: Stripe.PaymentIntent, charged: Amount): Amount | undefined {
  const { latest_charge: charge } = intent;
  const transaction = typeof charge === 'object' ? charge?.balance_transaction : undefined;
  if (!transaction || typeof transaction !== 'object') return undefined;
  return toFee({ charged, currency: intent.currency.toUpperCase(), transaction });
}

function cardOf(intent: Stripe.PaymentIntent, sourceId: string) {
  const { latest_charge: charge, payment_method: method, last_payment_error: error, customer } = intent;
  const charged = typeof charge === 'object' ? charge?.payment_method_details?.card : undefined;
  const attached = typeof method === 'object' ? method?.card : undefined;
  const card = charged ?? error?.payment_method?.card ?? attached ?? undefined;
  return toCard(card as StripeCard | undefined, customer ? sourceId : undefined);
}
