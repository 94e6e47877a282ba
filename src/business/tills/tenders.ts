/** Takes tenders for a register's sale: cards through the processor, cash and others as the register says. */
import { Refusal } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { toJson } from '../../base/json.js';
import { type Amount, add, subtract, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Tx } from '../../database/database.js';
import type { CallerMerchant, Device } from '../../identity/caller.js';
import type { Processor } from '../../processor/contract.js';
import { recordTender } from '../cash-drawers/actions.js';
import { chargeForSale, takeWithoutProcessor } from '../payments/charge.js';
import { drawerEventOf } from '../payments/drawer-events.js';
import {
  type EntryMethod,
  type Payment,
  type PaymentStatus,
  type PendingPayment,
  UNANSWERED,
} from '../payments/model.js';
import { ID_LENGTH } from '../payments/outcomes.js';
import { type OnlineSale, requireSaleAction, type Sale, unpaid } from '../sales/model.js';

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
    const taken = await takeAtTheRegister(tx, context, pending);
    return { payment: taken.payment, sale: atRegister(taken.sale) ?? sale };
  }
  const { sourceId, acceptPartial } = tender.source;
  const card = { sourceId, acceptPartial: acceptPartial && tender.tip === null };
  const charged = await chargeForSale(tx, context, pending, card);
  return { payment: charged.payment, sale: atRegister(charged.sale) ?? sale };
}

function atRegister(sale: Sale | OnlineSale | undefined): Sale | undefined {
  return sale?.kind === 'REGISTER' ? sale : undefined;
}

/** Cash and its like need no processor: they are there with the sale. */
export function takenByHand(pending: PendingPayment, drawerShiftId: string | null, at: Instant): Payment {
  return { ...pending, status: 'COMPLETED', capturedAt: at, fee: ZERO, drawerShiftId };
}

/** Cash goes into the drawer in the same commit; other tenders are noted there. */
async function takeAtTheRegister(tx: Tx, context: TenderContext, pending: PendingPayment) {
  const drawerShiftId = await recordTender(tx, context, drawerEventOf(pending));
  return takeWithoutProcessor(tx, context.merchant.id, takenByHand(pending, drawerShiftId, context.at));
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
    channel: 'REGISTER',
    applicationId: null,
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
