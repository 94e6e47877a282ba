/** Gives payments new versions: what a decision about them depends on is written in the same change. */
import type { Amount } from '../../base/money.js';
import type { Change } from '../../database/change.js';

/** The payment must be captured, and have at least this amount left with the merchant. If it is in the archive, it comes back. */
export function renewPayment(change: Change, paymentId: string, amount: Amount): void {
  change.call('renew_payment', { payment_id: paymentId, amount });
}
