/** The dashboard's view of refunds, and how it asks for one. */
import { Money, readAmount, toMoney, WireAmount } from '../../api/money.js';
import { choice, Flag, model, optional, present, type Static, Time, Type, text } from '../../api/wire.js';
import { quantityAsNumber } from '../../base/decimal.js';
import { type Amount, negate, ZERO } from '../../base/money.js';
import { NormalizedRequest } from '../../base/normalized-request.js';
import { printMilliseconds } from '../../base/time.js';
import { missingForRefund, ReturnedItems, readReturnedItems } from './items.view.js';
import { REFUND_STATUSES, REFUND_TYPES, type Refund } from './model.js';
import type { OwnerRefund, OwnerRefundPart } from './owner-refunds.js';

export const REFUND_AUTHORS = ['OWNER', 'EMPLOYEE', 'APPLICATION'] as const;

const RefundedItemModel = model('DashboardRefundedItem', {
  line: Type.Integer(),
  quantity: Type.Number(),
  amount_money: Money,
});

/** Amounts of refunds are positive here. */
export const DashboardRefund = model('DashboardRefund', {
  id: Type.String(),
  tender_id: Type.String(),
  /** For a refund of several tenders: the id of its first record. */
  leader_id: optional(Type.String()),
  status: choice(REFUND_STATUSES),
  type: choice(REFUND_TYPES),
  amount_money: Money,
  created_at: Time,
  updated_at: Time,
  reason: optional(Type.String()),
  made_by: choice(REFUND_AUTHORS),
  employee_id: optional(Type.String()),
  is_exchange: Flag,
  is_reversal: Flag,
  tax_money: Money,
  discount_money: Money,
  tip_money: Money,
  surcharge_money: Money,
  returned_fee_money: optional(Money),
  items: Type.Array(RefundedItemModel),
});

export function toDashboardRefund(refund: Refund): Static<typeof DashboardRefund> {
  const { breakdown, currency } = refund;
  const money = (value: Amount | undefined) => toMoney(value ?? ZERO, currency);
  return {
    id: refund.id,
    tender_id: refund.paymentId,
    status: refund.status,
    type: refund.type,
    amount_money: money(refund.amount),
    created_at: printMilliseconds(refund.createdAt),
    updated_at: printMilliseconds(refund.updatedAt),
    made_by: authorOf(refund),
    is_exchange: refund.origin === 'EXCHANGE',
    is_reversal: refund.origin === 'REVERSAL',
    tax_money: money(breakdown ? negate(breakdown.tax) : ZERO),
    discount_money: money(breakdown ? breakdown.discount : ZERO),
    tip_money: money(breakdown ? negate(breakdown.tip) : ZERO),
    surcharge_money: money(breakdown ? negate(breakdown.surcharge) : ZERO),
    items: (breakdown?.items ?? []).map(({ line, quantity, amount }) => ({
      line,
      quantity: quantityAsNumber(quantity),
      amount_money: money(amount),
    })),
    ...present({
      leader_id: refund.leaderId,
      reason: refund.reason,
      employee_id: refund.employeeId,
      returned_fee_money: refund.returnedFee === null ? null : money(refund.returnedFee),
    }),
  };
}

function authorOf({ accountId, employeeId }: Refund): (typeof REFUND_AUTHORS)[number] {
  if (accountId !== null) return 'OWNER';
  return employeeId === null ? 'APPLICATION' : 'EMPLOYEE';
}

/** WHOLE: all that is left. AMOUNT: a sum of one tender. ITEMS: quantities of items, without tips and surcharges. */
const PARTS = ['WHOLE', 'AMOUNT', 'ITEMS'] as const;

const QUOTE_FIELDS = {
  type: choice(PARTS),
  tender_id: optional(text(192)),
  items: optional(ReturnedItems),
};

export const QuoteRefundBody = Type.Object({ ...QUOTE_FIELDS, amount_money: optional(WireAmount) });

export const RefundSaleBody = Type.Object({
  ...QUOTE_FIELDS,
  idempotency_key: text(192, { minLength: 1 }),
  /** What is refunded in sum. For WHOLE and ITEMS it must be what the server computes. */
  amount_money: WireAmount,
  reason: optional(text(192)),
});

type QuoteBody = Static<typeof QuoteRefundBody>;

export function readRefundPart({ type, amount_money: money, items }: QuoteBody, currency: string): OwnerRefundPart {
  if (type === 'WHOLE') return { kind: 'WHOLE' };
  if (type === 'ITEMS') return { kind: 'ITEMS', items: readReturnedItems(items) };
  if (!money) throw missingForRefund('amount_money');
  return { kind: 'AMOUNT', amount: readAmount(money, { currency, field: 'amount_money', least: 1 }) };
}

export function readOwnerRefund(body: Static<typeof RefundSaleBody>, saleId: string, currency: string): OwnerRefund {
  const { idempotency_key: key, ...request } = body;
  return {
    key,
    request: new NormalizedRequest({ ...request, saleId }),
    saleId,
    tenderId: body.tender_id,
    part: readRefundPart(body, currency),
    expected: readAmount(body.amount_money, { currency, field: 'amount_money', least: 1 }),
    reason: body.reason || null,
  };
}

export const RefundQuote = model('RefundQuote', {
  amount_money: Money,
  tenders: Type.Array(Type.Object({ tender_id: Type.String(), amount_money: Money })),
  items: Type.Array(RefundedItemModel),
});
