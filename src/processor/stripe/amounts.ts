/** Converts amounts to those of Stripe, which are not in minor units for a few currencies. */
import { type Amount, amount, portion } from '../../base/money.js';

/** Currencies without minor units that Stripe counts in hundredths. */
const IN_HUNDREDTHS = ['ISK', 'UGX'];
/** Currencies whose last digit must be zero at Stripe. */
const WITHOUT_LAST_DIGIT = ['BHD', 'JOD', 'KWD', 'OMR', 'TND'];
/** Currencies with minor units here, but not at Stripe. */
const IN_WHOLE_UNITS = ['MGA'];

/** Undefined if Stripe cannot charge exactly this amount. */
export function toStripeAmount(value: Amount, currency: string): number | undefined {
  if (IN_HUNDREDTHS.includes(currency)) return value * 100;
  if (WITHOUT_LAST_DIGIT.includes(currency) && value % 10 !== 0) return undefined;
  if (IN_WHOLE_UNITS.includes(currency)) return value % 100 === 0 ? value / 100 : undefined;
  return value;
}

export function fromStripeAmount(value: number, currency: string): Amount {
  if (IN_HUNDREDTHS.includes(currency)) return portion(amount(value), 1, 100);
  if (IN_WHOLE_UNITS.includes(currency)) return amount(value * 100);
  return amount(value);
}

/** What was charged, and what Stripe has booked for it, in the currency of its balance. */
export interface BookedCharge {
  readonly charged: Amount;
  readonly currency: string;
  readonly transaction: { readonly amount: number; readonly fee: number; readonly currency: string };
}

/** The fee in the currency of the payment. If the balance has another currency, the ratio of fee and booked amount is applied. */
export function toFee({ charged, currency, transaction }: BookedCharge): Amount {
  if (transaction.currency.toUpperCase() === currency) return fromStripeAmount(transaction.fee, currency);
  return transaction.amount === 0 ? amount(0) : portion(charged, transaction.fee, transaction.amount);
}
