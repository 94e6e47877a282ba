/** Stripe's events. An event only names the object to read, because its content may be outdated when it arrives. */
import type Stripe from 'stripe';
import type { Database } from '../../database/database.js';
import { type ProcessorEventSource, ProcessorUnavailable, type ReportedChange, UnsignedEvent } from '../contract.js';
import { fromStripeAmount } from './amounts.js';
import { type StripeClient, toStripeFailure } from './client.js';
import { fromMetadata } from './metadata.js';
import { findReference } from './queries.js';

/** How old a signature may be. The limit that Stripe recommends. */
const TOLERANCE_SECONDS = 300;

/** In all other states Stripe has taken the money back. An inquiry, whose states begin with `warning_`, takes nothing. */
const NOT_HELD = /^(?:won|prevented|warning_\w+)$/;

/** A page of Stripe. A payment has one dispute, rarely a few. */
const MAX_DISPUTES = 100;

export interface EventsOptions {
  readonly client: StripeClient;
  readonly database: Pick<Database, 'sql'>;
  /** Signs the events. */
  readonly secret: string;
}

export function createStripeEvents(options: EventsOptions): ProcessorEventSource {
  const { client, secret } = options;
  return {
    name: 'stripe',
    signatureHeader: 'stripe-signature',
    open(body, signature) {
      const { id, type, data } = verify(client.api, body, signature, secret);
      const { id: objectId } = data.object as { readonly id?: unknown };
      if (typeof objectId !== 'string') return undefined;
      const read = readerOf(type);
      return read && { id, type, read: () => read(options, objectId).catch(toNothing) };
    },
  };
}

function verify(api: Stripe, body: Buffer, signature: string, secret: string): Stripe.Event {
  try {
    return api.webhooks.constructEvent(body, signature, secret, TOLERANCE_SECONDS);
  } catch (error) {
    throw new UnsignedEvent((error as Error).message);
  }
}

/** Stripe does not have the object, for example because the event belongs to another account: there is nothing to apply. */
function toNothing(error: unknown): readonly ReportedChange[] {
  if (error instanceof ProcessorUnavailable) throw error;
  const { code, message } = toStripeFailure(error);
  if (code === 'resource_missing') return [];
  throw new ProcessorUnavailable(message, { cause: error });
}

type Reader = (options: EventsOptions, id: string) => Promise<readonly ReportedChange[]>;

function readerOf(type: string): Reader | undefined {
  if (type.startsWith('charge.dispute.')) return readDispute;
  return type.startsWith('refund.') || type === 'charge.refund.updated' ? readRefund : undefined;
}

async function readDispute({ client, database }: EventsOptions, id: string): Promise<readonly ReportedChange[]> {
  const { api, begin } = client;
  const dispute = await api.disputes.retrieve(id, { expand: ['payment_intent'] }, begin().next());
  const { payment_intent: intent } = dispute;
  if (intent === null || typeof intent === 'string') return [];
  const ours = await findOurs(database, intent.metadata, intent.id);
  return ours ? [toDispute(ours, dispute)] : [];
}

async function readRefund({ client, database }: EventsOptions, id: string): Promise<readonly ReportedChange[]> {
  const { api, begin } = client;
  const { metadata, status, payment_intent: intent } = await api.refunds.retrieve(id, {}, begin().next());
  const { key } = fromMetadata(metadata);
  const intentId = typeof intent === 'string' ? intent : intent?.id;
  const ours = await findOurs(database, metadata, intentId);
  if (!ours || intentId === undefined || key === undefined) return [];
  const hasFailed = status === 'failed' || status === 'canceled';
  const refund: ReportedChange = { kind: 'refund', ...ours, key, hasFailed };
  if (!hasFailed) return [refund];
  const { data } = await api.disputes.list({ payment_intent: intentId, limit: MAX_DISPUTES }, begin().next());
  return [refund, ...data.map((dispute) => toDispute(ours, dispute))];
}

type Ours = Pick<ReportedChange, 'merchantId' | 'paymentId'>;

/** Metadata alone proves nothing, because other programs of the account can write it. The intent must be the stored one of the payment. */
async function findOurs(
  { sql }: Pick<Database, 'sql'>,
  metadata: Stripe.Metadata | null,
  intentId: string | undefined,
): Promise<Ours | undefined> {
  const { merchantId, paymentId } = fromMetadata(metadata);
  if (merchantId === undefined || paymentId === undefined || intentId === undefined) return undefined;
  const reference = await findReference(sql, merchantId, paymentId);
  return reference === intentId ? { merchantId, paymentId } : undefined;
}

function toDispute(ours: Ours, { id, status, amount, currency: given }: Stripe.Dispute): ReportedChange {
  const currency = given.toUpperCase();
  const isHeld = !NOT_HELD.test(status);
  return { kind: 'dispute', ...ours, id, isHeld, amount: fromStripeAmount(amount, currency), currency };
}
