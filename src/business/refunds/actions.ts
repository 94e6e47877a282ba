/** Creates refunds: checks them and reserves their amounts. finishing.ts sends the money. */
import { type FlaggingWrite, reportPaidOut } from '../../access/devices/kept-writes.js';
import type { ApplicationContext, AttendantContext } from '../../api/operation.js';
import { notFound, Refusal, requireFound } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { type Amount, add, subtract } from '../../base/money.js';
import type { NormalizedRequest } from '../../base/normalized-request.js';
import { hashAsText, hashSecret } from '../../base/secrets.js';
import type { Instant } from '../../base/time.js';
import type { Change } from '../../database/change.js';
import { type KeyedRequest, readIdByKey, takeKey } from '../idempotency/actions.js';
import type { IdempotencyKey } from '../idempotency/table.js';
import type { CreateResult } from '../payments/actions.js';
import { type DisputablePayment, requireVersion } from '../payments/model.js';
import { newRefundId } from '../payments/outcomes.js';
import { findRemainingAppFee, readPayment } from '../payments/queries.js';
import {
  allocateToTenders,
  divideExchange,
  oneYearWindow,
  type PrintableRefund,
  type Refund,
  type RefundType,
  requireAppFeeShare,
  requireNotFailed,
  requirePart,
  requireRefundable,
  type SaleRefund,
  sixtyDayWindow,
  type TenderPart,
  toCanonicalRequest,
  toRemainingParts,
} from './model.js';
import { admitPaidOut } from './paid-out.js';
import { findShownRefund } from './queries.js';
import {
  type CreatedRefunds,
  readSaleToRefund,
  recordRefundsInDrawer,
  refundTenders,
  requirePaidInFull,
  type SaleToRefund,
} from './refund-tenders.js';
import { listRefundRecords } from './sale-refund-queries.js';
import { readTenderedSale } from './tender-queries.js';
import { findPayers, requireRefundableParts } from './through-exchanges.js';

export interface NewRefund {
  readonly key: string;
  readonly request: NormalizedRequest;
  readonly paymentId: string;
  readonly amount: Amount;
  readonly appFee: Amount | null;
  /** The payment as the caller has seen it; undefined: as it is. */
  readonly versionToken: string | undefined;
  readonly reason: string | null;
}

/** The refund of v2: of one card payment. v2 does not show cash and other tenders (decision 0025). */
export async function refundPayment(
  context: ApplicationContext,
  input: NewRefund,
): Promise<CreateResult<PrintableRefund>> {
  const { database, merchant, caller, ids, now } = context;
  const key: IdempotencyKey = { applicationId: caller.applicationId, operation: 'refundPayment', key: input.key };
  const request = { key, hash: input.request.hash, field: 'idempotency_key' };
  const outcome = await database.change(merchant.id, async (change) => {
    const known = await readIdByKey(change, request);
    if (known !== undefined) return { known };
    const payment = await readPayment(change, input.paymentId);
    if (payment?.sourceType !== 'CARD') throw notFound('payment', input.paymentId, 'payment_id');
    context.trail.paymentId = payment.id;
    if (input.versionToken !== undefined) requireVersion(payment, input.versionToken, 'payment_version_token');
    const sale = payment.channel === 'API' ? undefined : await readTenderedSale(change, payment.saleId);
    if (sale) requirePaidInFull(sale, payment.id);
    const window = oneYearWindow(payment.createdAt);
    requireRefundable(payment, input.amount, { now, window, field: 'amount_money.amount' });
    if (input.appFee !== null) {
      const left = await findRemainingAppFee(change, payment);
      requireAppFeeShare(input.appFee, { amount: input.amount, left });
    }
    const id = newRefundId(ids, input.paymentId);
    takeKey(change, request, id);
    return refundTenders(change, [{ payment, part: input.amount }], {
      id,
      origin: 'API',
      type: input.amount === payment.total ? 'FULL' : 'PARTIAL',
      reason: input.reason,
      employeeId: null,
      ids,
      at: now,
      now,
      appFee: input.appFee,
      sale,
    });
  });
  if ('known' in outcome) {
    return {
      created: requireExisting(await findShownRefund(database.sql, merchant.id, outcome.known)),
      replayed: true,
    };
  }
  return { created: requireExisting(outcome.refunds[0]), replayed: false };
}

/** For a refund that was created just now, or that a key points to: it must exist. */
function requireExisting<Found>(found: Found | undefined): Found {
  return requireFound(found, 'a created refund');
}

/** A refund request of v1 or of a register: the remaining amount of a sale or a tender, or a given amount. */
export interface SaleRefundRequest {
  /** The id of a sale or of a tender. */
  readonly paymentId: string;
  /** Undefined: at any location. */
  readonly locationId: string | undefined;
  readonly type: RefundType;
  /** For a PARTIAL refund only. */
  readonly amount: Amount | undefined;
  readonly reason: string;
}

/** The refund of v1. A key belongs to the sale, whichever of its ids the request uses (decision 0027). */
export async function createRefund(
  { database, merchant, caller, ids, now }: ApplicationContext,
  input: SaleRefundRequest & { readonly key: string | undefined },
): Promise<CreateResult<SaleRefund>> {
  const { id, replayed } = await database.change(merchant.id, async (change) => {
    const found = await readSaleToRefund(change, { ...input, refundScope: 'NAMED' });
    const request = input.key === undefined ? undefined : toKeyedRequest(found, input, caller.applicationId, input.key);
    const known = request && (await readIdByKey(change, request));
    if (known !== undefined) return { id: known, replayed: true };
    const { deviceId, employeeId } = found.sale;
    const by = { ids, origin: 'API', at: now, now, deviceId, employeeId } as const;
    const { refunds } = await refundFoundSale(change, found, input, by);
    const { id } = requireExisting(refunds[0]);
    if (request) takeKey(change, request, id);
    return { id, replayed: false };
  });
  const records = await listRefundRecords(database.sql, merchant.id, id);
  return { created: replayed ? requireNotFailed(records) : requireExisting(records[0]), replayed };
}

/** A v1 key has no maximum length, so its hash is stored. Requests are compared in their canonical form. */
function toKeyedRequest(
  { sale, tenders }: SaleToRefund,
  input: SaleRefundRequest,
  applicationId: string,
  key: string,
): KeyedRequest {
  const isWhole = tenders.length === sale.tenders.length;
  return {
    key: { applicationId, operation: 'createRefund', key: `${sale.id}:${hashAsText(key)}` },
    hash: hashSecret(toCanonicalRequest(tenders, { ...input, isWhole })),
    field: 'request_idempotence_key',
  };
}

/** A register and the employee at it. `at` is the time at the register, `now` the time at which the server received it. */
export type RegisterAct = Pick<AttendantContext, 'ids' | 'device' | 'attendant' | 'now'> & {
  readonly at: Instant;
};

/** The same for a refund, which may have been made while the register was offline. */
export type RegisterRefundAct = RegisterAct & FlaggingWrite & Pick<AttendantContext, 'merchant' | 'visitor'>;

/** The refund of a register. Cash leaves the drawer of the device that makes the refund. */
export async function refundSale(
  change: Change,
  act: RegisterRefundAct,
  input: Omit<SaleRefundRequest, 'locationId'>,
): Promise<CreatedRefunds> {
  const { ids, device, attendant, at, now } = act;
  const target = { ...input, locationId: device.locationId, refundScope: 'NAMED' } as const;
  const { employeeId } = attendant;
  const by = { ids, origin: 'REGISTER', at, now, deviceId: device.id, employeeId, write: act } as const;
  const found = await readSaleToRefund(change, target);
  const created = await refundFoundSale(change, found, input, by);
  reportPaidOut(change, act, { amount: sumOf(created), saleId: found.sale.id });
  return created;
}

function sumOf({ refunds }: CreatedRefunds): Amount {
  return add(...refunds.map(({ amount }) => amount));
}

interface RefundActor {
  readonly ids: Ids;
  readonly origin: 'API' | 'REGISTER';
  readonly at: Instant;
  readonly now: Instant;
  /** The device whose drawer the cash leaves, and the employee who hands it out. */
  readonly deviceId: string | null;
  readonly employeeId: string | null;
  /** Of a register. */
  readonly write?: FlaggingWrite;
}

async function refundFoundSale(
  change: Change,
  { sale, tenders }: SaleToRefund,
  input: Pick<SaleRefundRequest, 'paymentId' | 'type' | 'amount' | 'reason'>,
  by: RefundActor,
): Promise<CreatedRefunds> {
  requireAfterSale(sale.createdAt, by.at);
  const wanted = toParts(tenders, input);
  const overruled = by.write && admitPaidOut(by.write, payersOf(await findPayers(change, wanted)));
  const attempt = { now: by.at, window: sixtyDayWindow(sale.createdAt), field: 'refunded_money', overruled };
  const parts = await requireRefundableParts(change, wanted, attempt);
  const { type, reason } = input;
  const { origin, ids, at, now } = by;
  const employeeId = origin === 'REGISTER' ? by.employeeId : null;
  const deviceId = origin === 'REGISTER' ? by.deviceId : null;
  const created = refundTenders(change, parts, { origin, type, reason, employeeId, deviceId, ids, at, now, sale });
  await recordRefundsInDrawer(change, by, created.refunds);
  return created;
}

/** A register that was offline cannot have refunded a sale before the sale existed. */
export function requireAfterSale(createdAt: Instant, at: Instant): void {
  if (at >= createdAt) return;
  throw new Refusal('INVALID_VALUE', { field: 'occurred_at', detail: 'occurred_at is before the time of the sale.' });
}

/** The remaining amount of every tender, or a given amount of one tender (contract 4.2 rule 4). */
function toParts(
  tenders: readonly DisputablePayment[],
  { paymentId, type, amount }: Pick<SaleRefundRequest, 'paymentId' | 'type' | 'amount'>,
): TenderPart[] {
  if (type === 'PARTIAL') return [requirePart(tenders, { paymentId, amount })];
  const parts = toRemainingParts(tenders);
  if (parts.length > 0) return parts;
  throw new Refusal('PAYMENT_NOT_REFUNDABLE', {
    field: 'payment_id',
    detail: `Payment ${paymentId} has no remaining amount to refund.`,
  });
}

/** The payments that give the money back. */
export function payersOf(parts: readonly TenderPart[]): readonly DisputablePayment[] {
  return parts.map(({ payment, payer }) => payer?.payment ?? payment);
}

export interface GoodsToExchange {
  readonly paymentId: string;
  readonly amount: Amount;
  readonly reason: string;
  /** The part of it that goes back as money. */
  readonly refunded: Amount;
  /** What the same change has exchanged before. */
  readonly returned: readonly Refund[];
}

/** A tender after exchanges, with what went back as money, that are not committed yet. */
function withExchanged(tender: DisputablePayment, returned: readonly Refund[]): DisputablePayment {
  const own = returned.filter(({ paymentId }) => paymentId === tender.id);
  const money = own.filter(({ origin }) => origin !== 'EXCHANGE');
  return {
    ...tender,
    exchanged: add(tender.exchanged, ...own.map(({ amount }) => amount)),
    refundIds: [...tender.refundIds, ...money.map(({ id }) => id)],
  };
}

/**
 * Returns goods whose value pays for another sale. No money moves, but the value cannot be refunded any more (contract 19). What the
 * other sale does not cost goes back as money (decision 0162). If `paymentId` is the id of a sale, the value is taken from its tenders in
 * the order in which they were taken.
 */
export async function exchangeGoods(
  change: Change,
  act: RegisterAct,
  { paymentId, amount, refunded, reason, returned }: GoodsToExchange,
): Promise<CreatedRefunds> {
  const { ids, device, attendant, at, now } = act;
  const { sale, tenders: found } = await readSaleToRefund(change, {
    paymentId,
    locationId: device.locationId,
    refundScope: 'NAMED',
  });
  requireAfterSale(sale.createdAt, at);
  const tenders = found.map((tender) => withExchanged(tender, returned));
  const wanted = divideExchange(allocateToTenders(tenders, amount), subtract(amount, refunded));
  const attempt = { now: at, window: sixtyDayWindow(sale.createdAt), field: 'amount_money' };
  const parts = await requireRefundableParts(change, wanted, attempt, returned);
  const isFull = amount === add(...tenders.map(({ total }) => total));
  const type = isFull ? 'FULL' : 'PARTIAL';
  const by = { employeeId: attendant.employeeId, deviceId: device.id };
  const created = refundTenders(change, parts, { origin: 'EXCHANGE', type, reason, ...by, ids, at, now, sale });
  await recordCashRefunds(change, act, created);
  return created;
}

/** Cash that goes back leaves the drawer of the device. */
export async function recordCashRefunds(
  change: Change,
  { ids, device, attendant, at }: RegisterAct,
  { refunds }: CreatedRefunds,
): Promise<void> {
  const by = { ids, deviceId: device.id, employeeId: attendant.employeeId, at };
  const money = refunds.filter(({ origin }) => origin !== 'EXCHANGE');
  await recordRefundsInDrawer(change, by, money);
}
