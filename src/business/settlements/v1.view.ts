/** The v1 view of settlements. Amounts are net of fees (decision 0034). */
import { toV1Money, V1Money } from '../../api/money.js';
import { about, choice, model, optional, type Static, Time, Type } from '../../api/wire.js';
import { add, ZERO } from '../../base/money.js';
import { printSeconds } from '../../base/time.js';
import type { MovementKind } from '../movements/model.js';
import { SETTLEMENT_STATUSES, type Settlement, type SettlementEntry } from './model.js';

export const V1SettlementStatus = choice(SETTLEMENT_STATUSES);

/** All entry types of the published API. This server uses only those in `V1_TYPES`. */
const V1_ENTRY_TYPES = [
  'ADJUSTMENT',
  'BALANCE_CHARGE',
  'CHARGE',
  'FREE_PROCESSING',
  'HOLD_ADJUSTMENT',
  'PAID_SERVICE_FEE',
  'PAID_SERVICE_FEE_REFUND',
  'REDEMPTION_CODE',
  'REFUND',
  'RETURNED_PAYOUT',
  'SQUARE_CAPITAL_ADVANCE',
  'SQUARE_CAPITAL_PAYMENT',
  'SQUARE_CAPITAL_REVERSED_PAYMENT',
  'SUBSCRIPTION_FEE',
  'SUBSCRIPTION_FEE_REFUND',
  'OTHER',
  'INCENTED_PAYMENT',
  'RETURNED_ACH_ENTRY',
  'RETURNED_SQUARE_275',
  'SQUARE_275',
  'SQUARE_CARD',
] as const;

const V1_TYPES: Readonly<Record<MovementKind, (typeof V1_ENTRY_TYPES)[number]>> = {
  CHARGE: 'CHARGE',
  REFUND: 'REFUND',
  REVERSAL: 'ADJUSTMENT',
  HOLD: 'HOLD_ADJUSTMENT',
  HOLD_RELEASE: 'HOLD_ADJUSTMENT',
  ADJUSTMENT: 'ADJUSTMENT',
  RETURNED_PAYOUT: 'RETURNED_PAYOUT',
};

const V1SettlementEntry = model('V1SettlementEntry', {
  payment_id: about('The tender that the entry belongs to.', optional(Type.String())),
  type: about('Why the balance changed.', choice(V1_ENTRY_TYPES)),
  amount_money: about('What the entry adds to the total, less its fee.', V1Money),
  fee_money: about('The processing fee of the entry.', V1Money),
});

export const V1Settlement = model('V1Settlement', {
  id: about('The id of the settlement.', Type.String()),
  status: about('Whether the money was sent, or could not be sent.', V1SettlementStatus),
  total_money: about('What was sent to the bank account. It is the sum of the entries.', V1Money),
  initiated_at: about('When the settlement was made.', Time),
  bank_account_id: about('The bank account that is paid.', Type.String()),
  // Absent in the list.
  entries: about(
    'What the settlement consists of. Absent in the list of settlements.',
    optional(Type.Array(V1SettlementEntry)),
  ),
});

export function toV1Settlement(
  settlement: Settlement,
  entries?: readonly SettlementEntry[],
): Static<typeof V1Settlement> {
  const { id, status, total, currency, initiatedAt, bankAccountId } = settlement;
  return {
    id,
    status,
    total_money: toV1Money(total, currency),
    initiated_at: printSeconds(initiatedAt),
    bank_account_id: bankAccountId,
    ...(entries && { entries: entries.map((entry) => toV1Entry(entry, currency)) }),
  };
}

function toV1Entry(
  { kind, paymentId, amount, fee }: SettlementEntry,
  currency: string,
): Static<typeof V1SettlementEntry> {
  return {
    ...(paymentId !== null && { payment_id: paymentId }),
    type: V1_TYPES[kind],
    amount_money: toV1Money(add(amount, fee), currency),
    // `fee_money` is never positive. Fees that are returned with a refund are a part of its amount.
    fee_money: toV1Money(kind === 'CHARGE' ? fee : ZERO, currency),
  };
}
