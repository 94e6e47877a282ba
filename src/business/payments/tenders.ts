/** Takes tenders for a register's sale: cards through the processor, cash and others as the register says. */
import type { CallerMerchant, Device } from '../../access/caller.js';
import { Refusal } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { toJson } from '../../base/json.js';
import { type Amount, add, subtract, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Tx } from '../../database/database.js';
import type { Processor } from '../../processor/contract.js';
import { type ReturnedTender, recordTender, type TenderEvent } from '../cash-drawers/actions.js';
import { chargeForSale } from './charge.js';
import { insertPayments } from './create-queries.js';
import {
  type EntryMethod,
  type Payment,
  type PaymentStatus,
  type PendingPayment,
  type Refund,
  UNANSWERED,
} from './model.js';
import { ID_LENGTH } from './outcomes.js';
import { requireSaleAction, type Sale, unpaid } from './sale.js';
import { addToSale } from './steps.js';

export type TenderSource =
  | {
      readonly kind: 'CARD';
      readonly sourceId: string;
      readonly entryMethod: EntryMethod;
      /** What a gift card holds is welcome, if it is less. */
      readonly acceptPartial: boolean;
    }
  | { readonly kind: 'CASH'; readonly tendered: Amount | undefined }
  | { readonly kind: 'OTHER'; readonly name: string }
  /** The value of goods that were returned. */
  | { readonly kind: 'EXCHANGE' };

export interface NewTender {
  /** The register's own id. */
  readonly registerTenderId: string;
  /** Without the tip; all that is still to be paid where not given. */
  readonly amount: Amount | undefined;
  readonly tip: Amount | null;
  readonly source: TenderSource;
}

/** Who takes it, where, when it was taken and when we hear of it. */
export interface TenderContext {
  readonly merchant: CallerMerchant;
  readonly processor: Processor;
  readonly ids: Ids;
  readonly device: Device;
  readonly employeeId: string;
  readonly at: Instant;
  readonly now: Instant;
}

/** A register's payments belong to no application. */
const REGISTER = 'register';

/** A sale that is locked. */
interface OpenSale {
  readonly sale: Sale;
  /** By cards whose outcome is not known yet. */
  readonly reserved: Amount;
}

/** The payment, and the sale with it; a card's may still have to be resolved (`chargeForSale`). */
export async function takeTender(
  tx: Tx,
  context: TenderContext,
  { sale, reserved }: OpenSale,
  tender: NewTender,
): Promise<{ readonly payment: Payment<PaymentStatus>; readonly sale: Sale }> {
  requireSaleAction(sale, 'TAKE_TENDER');
  const pending = toPendingTender(context, sale.id, subtract(unpaid(sale), reserved), tender);
  if (tender.source.kind !== 'CARD') {
    const payment = await takeAtTheRegister(tx, context, pending);
    return { payment, sale: (await addToSale(tx, context.merchant.id, payment)) ?? sale };
  }
  const { sourceId, acceptPartial } = tender.source;
  const card = { sourceId, acceptPartial: acceptPartial && tender.tip === null };
  const charged = await chargeForSale(tx, context, pending, card);
  return { payment: charged.payment, sale: charged.sale ?? sale };
}

/** Cash and its like need no processor: they are there with the sale. */
export function takenByHand(pending: PendingPayment, drawerShiftId: string | null, at: Instant): Payment {
  return { ...pending, status: 'COMPLETED', capturedAt: at, fee: ZERO, drawerShiftId };
}

/** What the drawer notes of it. */
export function drawerEventOf({ id: subjectId, sourceType, total }: PendingPayment): TenderEvent {
  return sourceType === 'CASH'
    ? { kind: 'CASH_TENDER_PAYMENT', amount: total, subjectId }
    : { kind: 'OTHER_TENDER_PAYMENT', amount: ZERO, subjectId };
}

/** What a drawer notes of a refund; nothing of a card. */
export function refundEventOf({ id: subjectId, sourceType, amount }: Refund): TenderEvent | undefined {
  switch (sourceType) {
    case 'CASH':
      return { kind: 'CASH_TENDER_REFUND', amount, subjectId };
    case 'OTHER':
      return { kind: 'OTHER_TENDER_REFUND', amount: ZERO, subjectId };
    case 'CARD':
      return undefined;
  }
}

/** A tender of a sale that is given up: `refund` is what gave it back. Cards are no drawer's business. */
export function returnOfTender(
  { id: subjectId, sourceType, total, drawerShiftId }: Payment,
  refund: Refund | undefined,
): ReturnedTender | undefined {
  if (sourceType === 'CARD') return undefined;
  return {
    takenIn: drawerShiftId,
    canceled:
      sourceType === 'CASH'
        ? { kind: 'CASH_TENDER_CANCELLED_PAYMENT', amount: total, subjectId }
        : { kind: 'OTHER_TENDER_CANCELLED_PAYMENT', amount: ZERO, subjectId },
    refunded: refund && refundEventOf(refund),
  };
}

/** Cash goes into the drawer in the same commit; other tenders are noted there. */
async function takeAtTheRegister(tx: Tx, context: TenderContext, pending: PendingPayment): Promise<Payment> {
  const { merchant, at } = context;
  const drawerShiftId = await recordTender(tx, context, drawerEventOf(pending));
  const payment = takenByHand(pending, drawerShiftId, at);
  await insertPayments(tx, [{ merchantId: merchant.id, payment }]);
  return payment;
}

/** Who takes a tender, where and when: all that the tender itself says of it. */
export interface Taking {
  readonly merchant: Pick<CallerMerchant, 'currency'>;
  readonly ids: Ids;
  readonly device: Pick<Device, 'id' | 'name' | 'locationId'>;
  readonly employeeId: string;
  readonly at: Instant;
}

/** A tender as it is offered, of a sale of which so much is left to be paid. */
export function toPendingTender(
  { merchant, ids, device, employeeId, at }: Taking,
  saleId: string,
  left: Amount,
  { registerTenderId, amount: asked, tip, source }: NewTender,
): PendingPayment {
  const given = asked ?? left;
  if (given > left || (given === ZERO && left > ZERO)) {
    throw new Refusal('INVALID_VALUE', {
      field: 'amount_money',
      detail: `Of this sale ${left} is still to be paid; a tender of ${given} does not fit.`,
    });
  }
  const total = add(given, tip ?? ZERO);
  const { entryMethod = null, tendered = null, tenderName = null, isExchange = false } = describe(source, total);
  return {
    id: ids.newId(ID_LENGTH),
    saleId,
    locationId: device.locationId,
    applicationId: REGISTER,
    sourceType: source.kind === 'EXCHANGE' ? 'OTHER' : source.kind,
    createdAt: at,
    updatedAt: at,
    currency: merchant.currency,
    amount: given,
    total,
    details: toJson({ order_id: saleId }),
    ...UNANSWERED,
    tip,
    employeeId,
    registerTenderId,
    entryMethod,
    tendered,
    tenderName,
    isExchange,
    cardDetails:
      source.kind === 'CARD' ? toJson({ device_details: { device_id: device.id, device_name: device.name } }) : null,
  };
}

function describe(source: TenderSource, total: Amount): Partial<PendingPayment> {
  switch (source.kind) {
    case 'CARD':
      return { entryMethod: source.entryMethod };
    case 'CASH': {
      const tendered = source.tendered ?? total;
      if (tendered >= total) return { tendered };
      throw new Refusal('INVALID_VALUE', {
        field: 'tendered_money',
        detail: `tendered_money is ${tendered}, but ${total} is to be paid in cash: ${subtract(total, tendered)} is missing.`,
      });
    }
    case 'OTHER':
      return { tenderName: source.name };
    case 'EXCHANGE':
      return { tenderName: 'Exchange', isExchange: true };
  }
}
