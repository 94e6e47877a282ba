/** Takes tenders for a register's sale: cards through the processor, cash and other tenders without it. */
import { Refusal } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { type Amount, add, subtract, ZERO } from '../../base/money.js';
import { NormalizedRequest } from '../../base/normalized-request.js';
import type { RequestTrail } from '../../base/request-trail.js';
import type { Instant } from '../../base/time.js';
import type { Change } from '../../database/change.js';
import type { CallerMerchant, Device } from '../../identity/caller.js';
import type { KeptWrite } from '../../identity/kept-write.js';
import type { Processor } from '../../processor/contract.js';
import { recordTender } from '../cash-drawers/actions.js';
import { chargeForSale, takeWithoutProcessor } from '../payments/charge.js';
import { toDetails, toKnownCardDetails } from '../payments/details.js';
import {
  type EntryMethod,
  type Payment,
  type PaymentStatus,
  PENDING_DEFAULTS,
  type PendingPayment,
} from '../payments/model.js';
import { ID_LENGTH } from '../payments/outcomes.js';
import type { RequestedTender } from '../payments/queries.js';
import { nextSaleState, type Sale, unpaid } from '../sales/model.js';
import type { SourceType } from '../tenders/model.js';
import { toPaymentDrawerEvent } from './drawer-events.js';

export type TenderSource =
  | {
      readonly kind: 'CARD';
      readonly sourceId: string;
      readonly entryMethod: EntryMethod;
      /** Accepts a smaller amount if a gift card does not cover the requested amount. */
      readonly acceptPartial: boolean;
    }
  | { readonly kind: 'CASH'; readonly tendered: Amount | undefined }
  | { readonly kind: 'OTHER'; readonly name: string }
  /** Charged by a terminal beside the register, which settles it with its own bank. */
  | {
      readonly kind: 'EXTERNAL_CARD';
      readonly brand: string;
      readonly last4: string | undefined;
      /** What the terminal has printed, such as its authorization code. */
      readonly reference: string | undefined;
    }
  /** The value of returned goods. */
  | { readonly kind: 'EXCHANGE' };

export interface NewTender {
  /** The id that the register chose. */
  readonly registerTenderId: string;
  /** Without the tip. Default: the unpaid amount of the sale. */
  readonly amount: Amount | undefined;
  readonly tip: Amount | null;
  readonly source: TenderSource;
  /** As the register sent it, if only a part of it is taken (decision 0235). A retry has the whole. */
  readonly whole?: NewTender;
}

export interface TenderContext {
  readonly merchant: CallerMerchant;
  readonly processor: Processor;
  readonly ids: Ids;
  readonly device: Device;
  readonly employeeId: string;
  /** When the register took the tender. */
  readonly at: Instant;
  /** When the server received it. */
  readonly now: Instant;
  readonly trail: RequestTrail;
  readonly kept?: Pick<KeptWrite, 'cardLimit'>;
}

interface SaleToPay {
  readonly sale: Sale;
  /** The sum of card payments whose outcome is unknown. */
  readonly reserved: Amount;
}

/** Returns the payment. It may be declined, or still PENDING (see `chargeForSale`). */
export async function takeTender(
  change: Change,
  context: TenderContext,
  { sale, reserved }: SaleToPay,
  tender: NewTender,
): Promise<Payment<PaymentStatus>> {
  nextSaleState(sale, 'TAKE_TENDER');
  const pending = toPendingTender(context, sale.id, subtract(unpaid(sale), reserved), tender);
  const requestHash = toTenderRequest(tender)?.hash;
  if (tender.source.kind !== 'CARD') return takeAtRegister(change, context, { pending, requestHash });
  requireCardLimit(context, pending);
  const { sourceId, acceptPartial } = tender.source;
  const card = { sourceId, acceptPartial: acceptPartial && tender.tip === null, requestHash };
  return chargeForSale(change, context, pending, card);
}

/** What a retry of the tender is compared with. Returned goods have the retry of their sale. */
function toTenderRequest(tender: NewTender): NormalizedRequest | undefined {
  return tender.source.kind === 'EXCHANGE' ? undefined : new NormalizedRequest(tender.whole ?? tender);
}

/** A retry has the content of the tender that its id has taken in this sale. */
export function requireSameTender(known: RequestedTender, tender: NewTender): void {
  const isSame = known.requestHash ? toTenderRequest(tender)?.matchesHash(known.requestHash) : looksLike(known, tender);
  if (!isSame) throw tenderIdUsed(tender);
}

export function tenderIdUsed({ registerTenderId }: NewTender): Refusal {
  return new Refusal('CONFLICT', {
    field: 'id',
    detail: `The id ${registerTenderId} was used for another tender of this sale.`,
  });
}

/** A tender of an earlier version has no hash, so what it stored is compared. */
function looksLike(known: Payment<PaymentStatus>, { amount, tip, source }: NewTender): boolean {
  // A gift card may have paid less than the requested amount.
  const amountMatches = amount === undefined || known.amount <= amount;
  const sourceMatches = sourceTypeOf(source) === known.sourceType && !known.isExchange;
  return sourceMatches && amountMatches && (tip ?? ZERO) === (known.tip ?? ZERO);
}

function requireCardLimit({ kept }: TenderContext, { total }: PendingPayment): void {
  if (kept?.cardLimit === undefined || total <= kept.cardLimit) return;
  throw new Refusal('PAYMENT_LIMIT_EXCEEDED', {
    field: 'amount_money',
    detail: `A card that was kept while offline may pay at most ${kept.cardLimit}, but it has to pay ${total}.`,
  });
}

/** Cash and other tenders need no processor, so they are complete at once. */
export function toCompletedTender(pending: PendingPayment, drawerShiftId: string | null, at: Instant): Payment {
  return { ...pending, status: 'COMPLETED', capturedAt: at, fee: ZERO, drawerShiftId };
}

/** Records the tender in the drawer in the same commit. Only cash changes the expected amount. */
async function takeAtRegister(
  change: Change,
  context: TenderContext,
  { pending, requestHash }: { readonly pending: PendingPayment; readonly requestHash: Buffer | undefined },
): Promise<Payment> {
  const drawerShiftId = await recordTender(change, context, toPaymentDrawerEvent(pending));
  const payment = toCompletedTender(pending, drawerShiftId, context.at);
  takeWithoutProcessor(change, context, { payment, requestHash });
  return payment;
}

/** The part of a `TenderContext` that a tender itself records. */
export interface TenderOrigin {
  readonly merchant: Pick<CallerMerchant, 'currency'>;
  readonly ids: Ids;
  readonly device: Pick<Device, 'id' | 'name' | 'locationId'>;
  readonly employeeId: string;
  readonly at: Instant;
}

/** A tender before it is taken. `left` is the unpaid amount of the sale. */
export function toPendingTender(
  { merchant, ids, device, employeeId, at }: TenderOrigin,
  saleId: string,
  left: Amount,
  { registerTenderId, amount: requested, tip, source }: NewTender,
): PendingPayment {
  const payable = requested ?? left;
  if (payable > left || (payable === ZERO && left > ZERO)) {
    throw new Refusal('INVALID_VALUE', {
      field: 'amount_money',
      detail: `The unpaid amount of the sale is ${left}, so a tender of ${payable} is not possible.`,
    });
  }
  const total = add(payable, tip ?? ZERO);
  const {
    entryMethod = null,
    tendered = null,
    tenderName = null,
    isExchange = false,
    ...card
  } = sourceFields(source, total);
  const note = source.kind === 'EXTERNAL_CARD' ? source.reference : undefined;
  return {
    id: ids.newId(ID_LENGTH),
    saleId,
    locationId: device.locationId,
    channel: 'REGISTER',
    applicationId: null,
    sourceType: sourceTypeOf(source),
    createdAt: at,
    updatedAt: at,
    currency: merchant.currency,
    amount: payable,
    total,
    details: toDetails({ orderId: saleId, note }),
    ...PENDING_DEFAULTS,
    tip,
    employeeId,
    registerTenderId,
    entryMethod,
    tendered,
    tenderName,
    isExchange,
    ...card,
    cardDetails: source.kind === 'CARD' ? toKnownCardDetails({ device }) : null,
  };
}

export function sourceTypeOf({ kind }: TenderSource): SourceType {
  return kind === 'EXCHANGE' || kind === 'EXTERNAL_CARD' ? 'OTHER' : kind;
}

function sourceFields(source: TenderSource, total: Amount): Partial<PendingPayment> {
  switch (source.kind) {
    case 'CARD':
      return { entryMethod: source.entryMethod };
    case 'CASH': {
      const tendered = source.tendered ?? total;
      if (tendered >= total) return { tendered };
      throw new Refusal('INVALID_VALUE', {
        field: 'tendered_money',
        detail: `tendered_money is ${tendered}, which is ${subtract(total, tendered)} less than the total of ${total}.`,
      });
    }
    case 'OTHER':
      return { tenderName: source.name };
    case 'EXTERNAL_CARD':
      return { cardBrand: source.brand, last4: source.last4 ?? null };
    case 'EXCHANGE':
      return { tenderName: 'Exchange', isExchange: true };
  }
}
