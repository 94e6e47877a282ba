/** The books of Stripe, for `tillhouse reconcile` (decision 0182). */
import type Stripe from 'stripe';
import { amount, ZERO } from '../../base/money.js';
import { SECOND_MS } from '../../base/time.js';
import type { Database } from '../../database/database.js';
import {
  BooksUnavailable,
  type ProcessorBooks,
  type ProcessorRecord,
  ProcessorUnavailable,
  type RecordSelection,
} from '../contract.js';
import { fromStripeAmount } from './amounts.js';
import type { StripeClient } from './client.js';
import { feeOf } from './intents.js';
import { fromMetadata } from './metadata.js';
import { findReference } from './queries.js';

const PAGE_SIZE = 100;

export function createStripeBooks(client: StripeClient, database: Pick<Database, 'sql'>): ProcessorBooks {
  return {
    async *list(selection) {
      try {
        yield* 'begin' in selection ? listTime(client, selection) : listPayment(client, database, selection);
      } catch (error) {
        const isStripe = error instanceof client.api.errors.StripeError || error instanceof ProcessorUnavailable;
        if (!isStripe) throw error;
        throw new BooksUnavailable(`The records of Stripe could not be read: ${(error as Error).message}`);
      }
    },
  };
}

type Records = AsyncGenerator<readonly ProcessorRecord[]>;

async function* listTime(
  { api, begin }: StripeClient,
  selection: Extract<RecordSelection, { readonly begin: unknown }>,
): Records {
  const seconds = (at: number): number => Math.floor(at / SECOND_MS);
  const created = { gte: seconds(selection.begin), lt: seconds(selection.end) };
  yield* pages(
    (page) =>
      api.paymentIntents.list({ created, ...page, expand: ['data.latest_charge.balance_transaction'] }, begin().next()),
    toPayment,
  );
  yield* pages(
    (page) => api.refunds.list({ created, ...page, expand: ['data.payment_intent'] }, begin().next()),
    toRefund,
  );
}

async function* listPayment(
  { api, begin }: StripeClient,
  { sql }: Pick<Database, 'sql'>,
  { merchantId, paymentId }: Extract<RecordSelection, { readonly paymentId: unknown }>,
): Records {
  const id = await findReference(sql, merchantId, paymentId);
  if (id === undefined) return;
  yield toPayment(
    await api.paymentIntents.retrieve(id, { expand: ['latest_charge.balance_transaction'] }, begin().next()),
  );
  // Also refunds that were made in Stripe's dashboard, which have no metadata of ours.
  const known = { merchantId, paymentId };
  const ofPayment = (refund: Stripe.Refund) => toRefund(refund).map((record) => ({ ...record, ...known }));
  yield* pages((page) => api.refunds.list({ payment_intent: id, ...page }, begin().next()), ofPayment);
}

async function* pages<Item extends { readonly id: string }>(
  read: (page: { limit: number; starting_after?: string }) => Promise<{ data: Item[]; has_more: boolean }>,
  toRecords: (item: Item) => readonly ProcessorRecord[],
): Records {
  let after: string | undefined;
  do {
    const { data, has_more } = await read({ limit: PAGE_SIZE, ...(after !== undefined && { starting_after: after }) });
    yield data.flatMap(toRecords);
    after = has_more ? data.at(-1)?.id : undefined;
  } while (after !== undefined);
}

const STATES: Readonly<Record<string, 'authorized' | 'captured' | 'voided'>> = {
  requires_capture: 'authorized',
  succeeded: 'captured',
  canceled: 'voided',
};

/** An intent that was declined, or never confirmed, is no record: no money has moved. */
function toPayment(intent: Stripe.PaymentIntent): readonly ProcessorRecord[] {
  const state = STATES[intent.status];
  if (state === undefined) return [];
  const currency = intent.currency.toUpperCase();
  const units = fromStripeAmount(state === 'captured' ? intent.amount_received : intent.amount, currency);
  const fee = feeOf(intent, units) ?? ZERO;
  return [{ type: 'payment', id: intent.id, ...fromMetadata(intent.metadata), state, amount: units, currency, fee }];
}

/** A refund that was made in Stripe's dashboard has no metadata of ours, but its payment has. */
function toRefund(refund: Stripe.Refund): readonly ProcessorRecord[] {
  const { payment_intent: intent } = refund;
  const own = fromMetadata(refund.metadata);
  const { merchantId, paymentId } =
    own.merchantId === undefined && typeof intent === 'object' ? fromMetadata(intent?.metadata) : own;
  const currency = refund.currency.toUpperCase();
  const hasFailed = refund.status === 'failed' || refund.status === 'canceled';
  return [
    {
      type: 'refund',
      id: refund.id,
      ...{ merchantId, paymentId, key: own.key },
      state: hasFailed ? 'failed' : 'refunded',
      amount: fromStripeAmount(refund.amount, currency),
      currency,
      fee: amount(0),
    },
  ];
}
