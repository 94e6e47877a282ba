/** Refunds that the owner makes on the dashboard: of a whole sale or tender, of an amount, or of single items (decision 0146). */
import type { OwnerContext } from '../../api/operation.js';
import { notFound, Refusal, requireFound } from '../../base/errors.js';
import { type Amount, add } from '../../base/money.js';
import type { NormalizedRequest } from '../../base/normalized-request.js';
import type { Instant } from '../../base/time.js';
import type { Change } from '../../database/change.js';
import { actorOf, auditChange } from '../../identity/audit.js';
import { type KeyedRequest, readIdByKey, takeKey } from '../idempotency/actions.js';
import { OWNER_KEYS } from '../idempotency/table.js';
import type { CreateResult } from '../payments/actions.js';
import type { ActiveDispute, DisputablePayment } from '../payments/model.js';
import { breakDownReturn, type PricedReturn, type ReturnedItem } from '../receipts/item-refunds.js';
import { reserveSale } from '../sales/actions.js';
import { requireParts, toItemParts } from './item-parts.js';
import { oneYearWindow, type Refund, type SaleRefund, type TenderPart, toRemainingParts } from './model.js';
import { requireAmountOfOne } from './owner-rules.js';
import { readSaleToRefund, recordRefundsInDrawer, refundTenders, type SaleToRefund } from './refund-tenders.js';
import { listRefundRecords } from './sale-refund-queries.js';
import type { TenderedSale } from './tender-queries.js';
import { findPayers, requireRefundableParts } from './through-exchanges.js';

/** What is refunded: all that is left, an amount, or items. */
export type OwnerRefundPart =
  | { readonly kind: 'WHOLE' }
  | { readonly kind: 'AMOUNT'; readonly amount: Amount }
  | { readonly kind: 'ITEMS'; readonly items: readonly ReturnedItem[] };

export interface OwnerRefundTarget {
  /** The id of the sale or of one of its tenders. */
  readonly saleId: string;
  /** Only this tender is refunded. Undefined: all tenders of the sale. */
  readonly tenderId: string | undefined;
  readonly part: OwnerRefundPart;
}

export interface OwnerRefund extends OwnerRefundTarget {
  readonly key: string;
  readonly request: NormalizedRequest;
  /** The sum that the owner has confirmed. Another sum is refused. */
  readonly expected: Amount;
  readonly reason: string | null;
  /** The disputes that the owner has seen and overrules. Any other refuses the refund. */
  readonly overruled: readonly string[];
}

/** Returns all records of the refund. Everything that it depends on is read in one change, so two owners never refund the same twice. */
export async function refundSaleByOwner(
  context: OwnerContext,
  input: OwnerRefund,
): Promise<CreateResult<readonly SaleRefund[]>> {
  const { database, merchant } = context;
  const request: KeyedRequest = {
    key: { applicationId: OWNER_KEYS, operation: 'refundSale', key: input.key },
    hash: input.request.hash,
    field: 'idempotency_key',
  };
  const { id, replayed } = await database.change(merchant.id, async (change) => {
    const known = await readIdByKey(change, request);
    if (known !== undefined) return { id: known, replayed: true };
    const refunds = await createOwnerRefund(change, context, input);
    const { id } = requireFound(refunds[0], 'a created refund');
    takeKey(change, request, id);
    return { id, replayed: false };
  });
  return { created: await listRefundRecords(database.sql, merchant.id, id), replayed };
}

/** What a refund would return, without making it. Refuses what the refund itself would refuse, except for disputes: the owner decides. */
export async function quoteOwnerRefund(
  { database, merchant, now }: OwnerContext,
  target: OwnerRefundTarget,
): Promise<RefundParts> {
  return database.change(merchant.id, (change) => readParts(change, now, target));
}

/** Disputes refuse the refund unless they are among `overruled`; without it, none does. */
async function readParts(
  change: Change,
  now: Instant,
  { saleId, tenderId, part }: OwnerRefundTarget,
  overruled?: readonly string[],
): Promise<RefundParts> {
  const found = await readSaleToRefund(change, { paymentId: saleId, refundScope: 'SALE' });
  const { priced, ...wanted } = toParts(found, part, tenderId);
  const attempt = {
    now,
    window: oneYearWindow(found.sale.createdAt),
    field: 'amount_money',
    overruled: overruled ?? disputesOf({ parts: await findPayers(change, wanted.parts) }).map(({ id }) => id),
  };
  const parts = await requireRefundableParts(change, wanted.parts, attempt);
  return { parts, ...(priced && { priced }), sale: found.sale };
}

async function createOwnerRefund(
  change: Change,
  context: OwnerContext,
  input: OwnerRefund,
): Promise<readonly Refund[]> {
  const { ids, now, account } = context;
  const { part, expected, reason, overruled } = input;
  const found = await readParts(change, now, input, overruled);
  const { sale, parts, priced } = found;
  requireExpected(add(...parts.map(({ part: amount }) => amount)), expected);
  const { refunds } = refundTenders(change, parts, {
    ...{ origin: 'API', type: part.kind === 'WHOLE' ? 'FULL' : 'PARTIAL', reason, employeeId: null },
    ...{ ids, at: now, now, sale, accountId: account.id, overruled },
    ...(priced && {
      breakdowns: breakDownReturn(
        priced,
        parts.map(({ part: amount }) => amount),
      ),
    }),
  });
  // Refunds of an amount depend on what was returned by item, also of other tenders.
  if (priced) reserveSale(change, sale.id);
  const { deviceId, employeeId } = sale;
  await recordRefundsInDrawer(change, { ids, deviceId, employeeId, at: now }, refunds);
  auditRefund(change, context, refunds, sale.id, disputesOf(found));
  return refunds;
}

/** Names the owner as the author of a refund, in the audit log. */
export function auditRefund(
  change: Change,
  context: Parameters<typeof actorOf>[0],
  refunds: readonly Refund[],
  saleId: string,
  disputes: readonly OverruledDispute[] = [],
): void {
  const [leader] = refunds;
  if (!leader) return;
  const amount = String(add(...refunds.map((refund) => refund.amount)));
  const details = {
    ...{ refund_id: leader.id, sale_id: saleId, amount, currency: leader.currency },
    ...(disputes.length > 0 && {
      overruled_disputes: disputes.map(({ id }) => id).join(', '),
      disputed_amount: String(add(...disputes.map((dispute) => dispute.amount))),
    }),
  };
  auditChange(change, { kind: 'REFUND_CREATED', ...actorOf(context), details });
}

interface Parts {
  readonly parts: readonly TenderPart[];
  /** Of a refund by item. */
  readonly priced?: PricedReturn;
}

export interface RefundParts extends Parts {
  readonly sale: TenderedSale;
}

/** A dispute that holds money of a tender. */
export interface OverruledDispute extends ActiveDispute {
  readonly tenderId: string;
}

/** The disputes of the tenders that a refund takes money from. */
export function disputesOf({ parts }: Parts): readonly OverruledDispute[] {
  return parts.flatMap(({ payment: { id: tenderId, dispute }, payer }) => {
    const held = payer?.payment.dispute ?? dispute;
    return held ? [{ ...held, tenderId }] : [];
  });
}

function toParts({ sale, tenders }: SaleToRefund, part: OwnerRefundPart, tenderId: string | undefined): Parts {
  const chosen = chooseTenders(tenders, tenderId);
  switch (part.kind) {
    case 'WHOLE':
      return { parts: requireParts(toRemainingParts(chosen)) };
    case 'AMOUNT':
      return { parts: [requireAmountOfOne(chosen, part.amount)] };
    case 'ITEMS':
      return toItemParts({ sale, tenders }, part.items, chosen);
  }
}

function chooseTenders(
  tenders: readonly DisputablePayment[],
  tenderId: string | undefined,
): readonly DisputablePayment[] {
  if (tenderId === undefined) return tenders;
  const chosen = tenders.filter(({ id }) => id === tenderId);
  if (chosen.length === 0) throw notFound('tender', tenderId, 'tender_id');
  return chosen;
}

/** The owner has confirmed exact figures. If the sale has changed since then, nothing is refunded. */
function requireExpected(amount: Amount, expected: Amount): void {
  if (amount === expected) return;
  throw new Refusal('CONFLICT', {
    field: 'amount_money',
    detail: `The sale has changed: this refund is ${amount} by now, not ${expected}. Nothing was refunded.`,
  });
}
