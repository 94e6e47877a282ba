/** What differs between our records and those of a processor (decision 0182). Pure. */
import type { Amount } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { ProcessorRecord } from '../../processor/contract.js';
import type { PaymentStatus, RefundStatus } from '../payments/model.js';

/** A payment or a refund of ours, as the processor should have it. */
export interface OwnRecord {
  readonly type: 'payment' | 'refund';
  readonly paymentId: string;
  readonly key: string;
  /** `unknown`: its call has no outcome yet. `pending`: a refund that the worker has yet to send. */
  readonly state: ProcessorRecord['state'] | 'declined' | 'unknown' | 'pending';
  readonly amount: Amount;
  readonly currency: string;
  readonly fee: Amount;
  readonly createdAt: Instant;
}

/** A canceled payment that was captured before is captured: the money goes back by a refund. */
export function paymentState(status: PaymentStatus, isCaptured: boolean): OwnRecord['state'] {
  switch (status) {
    case 'PENDING':
      return 'unknown';
    case 'APPROVED':
      return 'authorized';
    case 'FAILED':
      return 'declined';
    default:
      return isCaptured ? 'captured' : 'voided';
  }
}

export function refundState(status: RefundStatus): OwnRecord['state'] {
  if (status === 'PENDING') return 'pending';
  return status === 'COMPLETED' ? 'refunded' : 'failed';
}

export const DIFFERENCES = {
  MISSING_HERE: 'the processor has it, we do not',
  MISSING_THERE: 'we have it, the processor does not',
  DUPLICATE: 'the processor has it twice',
  STATE: 'it is in another state',
  AMOUNT: 'the amounts differ',
  FEE: 'the fees differ',
} as const;
export type DifferenceKind = keyof typeof DIFFERENCES;

export interface Difference {
  readonly kind: DifferenceKind;
  readonly type: 'payment' | 'refund';
  readonly merchantId: string | undefined;
  readonly paymentId: string | undefined;
  readonly key: string | undefined;
  /** The processor's id. Undefined if it does not have it. */
  readonly recordId: string | undefined;
  /** What differs, in words: a state, an amount, or the whole record. */
  readonly ours: string | undefined;
  readonly theirs: string | undefined;
}

/** The states in which money is reserved or has moved. A record in another state may be missing on one side. */
const MONEY_STATES: readonly OwnRecord['state'][] = ['authorized', 'captured', 'refunded'];

export function hasMovedMoney({ state }: Pick<OwnRecord, 'state'>): boolean {
  return MONEY_STATES.includes(state);
}

/** Lists every difference between the records of one merchant's payments. */
export function compare(
  merchantId: string,
  ours: readonly OwnRecord[],
  theirs: readonly ProcessorRecord[],
): Difference[] {
  const ownByKey = new Map(ours.map((own) => [own.key, own]));
  const seen = new Set<string>();
  const differences = theirs.flatMap((record) => {
    const own = record.key === undefined ? undefined : ownByKey.get(record.key);
    if (!own) return hasMovedMoney(record) ? [missingHere(record)] : [];
    if (seen.has(own.key)) return hasMovedMoney(record) ? [differ('DUPLICATE', merchantId, own, record, describe)] : [];
    seen.add(own.key);
    return compareRecords(merchantId, own, record);
  });
  const missing = ours.filter((own) => hasMovedMoney(own) && !seen.has(own.key));
  return [...differences, ...missing.map((own) => differ('MISSING_THERE', merchantId, own, undefined, describe))];
}

function compareRecords(merchantId: string, own: OwnRecord, record: ProcessorRecord): Difference[] {
  if (!hasMovedMoney(own) && !hasMovedMoney(record)) return [];
  if (own.state !== record.state) return [differ('STATE', merchantId, own, record, ({ state }) => state)];
  const differences: Difference[] = [];
  if (own.amount !== record.amount || own.currency !== record.currency) {
    differences.push(differ('AMOUNT', merchantId, own, record, printAmount));
  }
  if (own.state === 'captured' && own.fee !== record.fee) {
    differences.push(differ('FEE', merchantId, own, record, ({ fee, currency }) => `${fee} ${currency}`));
  }
  return differences;
}

type Described = Pick<OwnRecord, 'state' | 'amount' | 'currency' | 'fee'>;
const printAmount = ({ amount, currency }: Described): string => `${amount} ${currency}`;
const describe = (record: Described): string => `${record.state} ${printAmount(record)}`;

function differ(
  kind: DifferenceKind,
  merchantId: string,
  own: OwnRecord,
  record: ProcessorRecord | undefined,
  print: (record: Described) => string,
): Difference {
  const { type, paymentId, key } = own;
  const theirs = record && print(record);
  return { kind, type, merchantId, paymentId, key, recordId: record?.id, ours: print(own), theirs };
}

export function missingHere(record: ProcessorRecord): Difference {
  const { type, merchantId, paymentId, key, id: recordId } = record;
  return {
    kind: 'MISSING_HERE',
    type,
    merchantId,
    paymentId,
    key,
    recordId,
    ours: undefined,
    theirs: describe(record),
  };
}
