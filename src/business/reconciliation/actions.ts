/**
 * Compares the records of a processor with ours (decision 0182). First all records of a range of time are compared. The payments of those
 * that differ are then read again, one by one: a record may have changed meanwhile, or the two sides may have dated it differently.
 */
import { groupBy } from '../../base/group-by.js';
import type { Instant } from '../../base/time.js';
import type { Database } from '../../database/database.js';
import type { ProcessorBooks, ProcessorRecord } from '../../processor/contract.js';
import { compare, type Difference, hasMovedMoney, missingHere, type OwnRecord } from './model.js';
import { listOwnRecords, type ProcessorIds } from './queries.js';

export interface Reconciliation {
  readonly database: Pick<Database, 'sql'>;
  readonly books: ProcessorBooks;
  /** The merchants whose records are compared, each with the ids under which it has this processor. */
  readonly merchants: ReadonlyMap<string, ProcessorIds>;
  /** Whether the processor should not have the record at all. */
  readonly isUnexpected: (record: ProcessorRecord) => boolean;
  readonly begin: Instant;
  readonly end: Instant;
}

export interface Comparison {
  /** How many records both sides have. */
  readonly compared: number;
  readonly differences: readonly Difference[];
}

interface PaymentToRecheck {
  readonly merchantId: string;
  readonly paymentId: string;
}

/** The state of one comparison. */
class ComparisonState {
  readonly paymentsToRecheck = new Map<string, PaymentToRecheck>();
  readonly differences: Difference[] = [];
  /** Keys of our records that the processor also has. */
  readonly seen = new Set<string>();

  recheck(merchantId: string, paymentId: string): void {
    this.paymentsToRecheck.set(`${merchantId}:${paymentId}`, { merchantId, paymentId });
  }
}

export async function reconcile(reconciliation: Reconciliation): Promise<Comparison> {
  const { database, books, merchants, begin, end } = reconciliation;
  const state = new ComparisonState();
  for await (const page of books.list({ begin, end })) await comparePage(state, reconciliation, page);
  for (const [merchantId, processorIds] of merchants) {
    const ours = await listOwnRecords(database.sql, merchantId, processorIds, { begin, end });
    for (const { paymentId, key, ...own } of ours) {
      if (hasMovedMoney(own) && !state.seen.has(key)) state.recheck(merchantId, paymentId);
    }
  }
  for (const payment of state.paymentsToRecheck.values()) await compareAgain(state, reconciliation, payment);
  return { compared: state.seen.size, differences: state.differences };
}

async function comparePage(
  state: ComparisonState,
  { database, merchants, isUnexpected, begin, end }: Reconciliation,
  page: readonly ProcessorRecord[],
): Promise<void> {
  state.differences.push(...page.filter(isUnexpected).filter(hasMovedMoney).map(missingHere));
  const known = page.filter(({ merchantId = '' }) => merchants.has(merchantId));
  for (const [merchantId = '', theirs] of groupBy(known, (record) => record.merchantId)) {
    const paymentIds = [...new Set(theirs.flatMap(({ paymentId = [] }) => paymentId))];
    const ours = await listOwnRecords(database.sql, merchantId, merchants.get(merchantId) ?? [], { paymentIds });
    for (const [paymentId, records] of groupBy(theirs, (record) => record.paymentId)) {
      compareInPage(state, merchantId, paymentId, { ours, records, begin, end });
    }
  }
}

interface Found extends Pick<Reconciliation, 'begin' | 'end'> {
  readonly ours: readonly OwnRecord[];
  readonly records: readonly ProcessorRecord[];
}

/** A page rarely has all records of a payment. So only the records of the page are compared; `reconcile` finds missing ones later. */
function compareInPage(
  state: ComparisonState,
  merchantId: string,
  paymentId: string | undefined,
  { ours, records, begin, end }: Found,
): void {
  const keys = new Set(records.map(({ key }) => key));
  const mine = ours.filter((own) => own.paymentId === paymentId && keys.has(own.key));
  const isRepeated = mine.some(({ key }) => state.seen.has(key)); // another page had a record with the same key
  // We date the record differently, so the processor may have another record with the same key on that day.
  const isElsewhere = mine.some(({ createdAt }) => createdAt < begin || createdAt >= end);
  for (const { key } of mine) state.seen.add(key);
  const differences = compare(merchantId, mine, records);
  if (paymentId === undefined) state.differences.push(...differences);
  else if (isRepeated || isElsewhere || differences.length > 0) state.recheck(merchantId, paymentId);
}

async function compareAgain(
  state: ComparisonState,
  { database, books, merchants }: Reconciliation,
  { merchantId, paymentId }: PaymentToRecheck,
): Promise<void> {
  const theirs: ProcessorRecord[] = [];
  for await (const page of books.list({ merchantId, paymentId })) theirs.push(...page);
  const processorIds = merchants.get(merchantId) ?? [];
  const ours = await listOwnRecords(database.sql, merchantId, processorIds, { paymentIds: [paymentId] });
  const keys = new Set(theirs.map(({ key }) => key));
  for (const { key } of ours) if (keys.has(key)) state.seen.add(key);
  state.differences.push(...compare(merchantId, ours, theirs));
}
