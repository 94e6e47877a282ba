/** The dashboard's view of refunds, and how it asks for one. */
import { fromWireAmount, Money, toMoney, WireAmount } from '../../api/money.js';
import { about, Bool, choice, model, optional, present, type Static, Time, Type, text } from '../../api/wire.js';
import { quantityAsNumber } from '../../base/decimal.js';
import { type Amount, negate, ZERO } from '../../base/money.js';
import { NormalizedRequest } from '../../base/normalized-request.js';
import { printMilliseconds } from '../../base/time.js';
import { TENDER_TYPES, tenderTypeOf } from '../tenders/model.js';
import { fromReturnedItems, missingForRefund, ReturnedItems } from './items.view.js';
import { type OwnerRefundRecord, type Payer, REFUND_STATUSES, REFUND_TYPES, type Refund } from './model.js';
import type { OwnerRefund, OwnerRefundPart } from './owner-refunds.js';

export const REFUND_AUTHORS = ['OWNER', 'EMPLOYEE', 'APPLICATION'] as const;

const RefundedItemModel = model('DashboardRefundedItem', {
  line: about('The number of the line, from 0.', Type.Integer()),
  quantity: about('How much of it was returned.', Type.Number()),
  amount_money: about('What went back for it.', Money),
});

/** The tender of an earlier sale that gives the money back, because returned goods paid for the refunded one. */
export const RefundPayer = model('RefundPayer', {
  sale_id: about('The earlier sale.', Type.String()),
  type: about('How it was paid.', choice(TENDER_TYPES)),
  name: about('The name of the tender. Absent for cash and cards.', optional(Type.String())),
  card_brand: about('The brand of the card. Absent if none was used.', optional(Type.String())),
  last_4: about('The last four digits of the card. Absent if none was used.', optional(Type.String())),
});

export function toRefundPayer(payer: Payer): Static<typeof RefundPayer> {
  return {
    sale_id: payer.saleId,
    type: tenderTypeOf(payer),
    ...present({ name: payer.tenderName, card_brand: payer.cardBrand, last_4: payer.last4 }),
  };
}

/** Amounts of refunds are positive here. */
export const DashboardRefund = model('DashboardRefund', {
  id: about('The id of the refund.', Type.String()),
  tender_id: about('The tender that is refunded. It gives the money back, unless `returned_to` does.', Type.String()),
  returned_to: about(
    'If returned goods paid by this tender: what the buyer paid for them, which gives the money back. Absent otherwise.',
    optional(RefundPayer),
  ),
  leader_id: about(
    'For a refund of several tenders: the id of its first record. Absent otherwise.',
    optional(Type.String()),
  ),
  status: about('Whether the money has gone back.', choice(REFUND_STATUSES)),
  type: about('Whether all of the sale was refunded, or a part.', choice(REFUND_TYPES)),
  amount_money: about('What went back.', Money),
  created_at: about('When the refund was made.', Time),
  updated_at: about('When the refund last changed.', Time),
  reason: about('The reason for the refund. Absent without one.', optional(Type.String())),
  made_by: about('Who made the refund.', choice(REFUND_AUTHORS)),
  employee_id: about('The employee who made it. Absent if none did.', optional(Type.String())),
  is_exchange: about('Whether returned goods paid for something else, and no money moved.', Bool),
  is_reversal: about('Whether it cancels the whole payment.', Bool),
  tax_money: about('The share of taxes. Negative.', Money),
  discount_money: about('The share of discounts.', Money),
  tip_money: about('The share of tips. Negative.', Money),
  surcharge_money: about('The share of surcharges. Negative.', Money),
  returned_fee_money: about('What the processor gives back of its fee. Absent until it is known.', optional(Money)),
  items: about('The items that were returned. Empty for a refund of an amount.', Type.Array(RefundedItemModel)),
});

export function toDashboardRefund(refund: OwnerRefundRecord): Static<typeof DashboardRefund> {
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
      returned_to: refund.payer && toRefundPayer(refund.payer),
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
  type: about('What is refunded: all that is left, an amount or items.', choice(PARTS)),
  tender_id: about(
    'Only this tender is refunded. Default: all tenders of the sale. Required for an amount if there are several.',
    optional(text(192)),
  ),
  items: about('The returned items, for `ITEMS`.', optional(ReturnedItems)),
};

export const QuoteRefundBody = Type.Object({
  ...QUOTE_FIELDS,
  amount_money: about('The amount, for `AMOUNT`.', optional(WireAmount)),
});

export const RefundSaleBody = Type.Object({
  ...QUOTE_FIELDS,
  idempotency_key: about(
    'A unique text. A retry with the same key makes no second refund.',
    text(192, { minLength: 1 }),
  ),
  amount_money: about(
    'What is refunded in sum. For `WHOLE` and `ITEMS` it must be what the server computes.',
    WireAmount,
  ),
  reason: about('Why it is refunded.', optional(text(192))),
  overruled_disputes: about(
    'The ids of the disputes, as `quoteRefund` lists them, in spite of which the sale is refunded: a lost dispute pays the money a second time. Default: none, so a disputed tender is not refunded.',
    optional(Type.Array(text(192), { maxItems: 20 })),
  ),
});

type QuoteBody = Static<typeof QuoteRefundBody>;

export function fromQuoteRefundBody(
  { type, amount_money: money, items }: QuoteBody,
  currency: string,
): OwnerRefundPart {
  if (type === 'WHOLE') return { kind: 'WHOLE' };
  if (type === 'ITEMS') return { kind: 'ITEMS', items: fromReturnedItems(items) };
  if (!money) throw missingForRefund('amount_money');
  return { kind: 'AMOUNT', amount: fromWireAmount(money, { currency, field: 'amount_money', least: 1 }) };
}

export function fromRefundSaleBody(body: Static<typeof RefundSaleBody>, saleId: string, currency: string): OwnerRefund {
  const { idempotency_key: key, ...request } = body;
  return {
    key,
    request: new NormalizedRequest({ ...request, saleId }),
    saleId,
    tenderId: body.tender_id,
    part: fromQuoteRefundBody(body, currency),
    expected: fromWireAmount(body.amount_money, { currency, field: 'amount_money', least: 1 }),
    reason: body.reason || null,
    overruled: body.overruled_disputes ?? [],
  };
}

export const RefundQuote = model('RefundQuote', {
  amount_money: about('What would go back.', Money),
  tenders: about(
    'How much of it from each tender.',
    Type.Array(
      Type.Object({
        tender_id: about('The tender.', Type.String()),
        amount_money: about('What goes back of it.', Money),
        returned_to: about(
          'If returned goods paid by this tender: what the buyer paid for them, which gives the money back. Absent otherwise.',
          optional(RefundPayer),
        ),
      }),
    ),
  ),
  items: about('The items that would be returned.', Type.Array(RefundedItemModel)),
  disputes: about(
    'The disputes that hold money of these tenders. The refund has to name them, and pays the money twice if they are lost.',
    Type.Array(
      Type.Object({
        id: about('The id of the dispute.', Type.String()),
        tender_id: about('The disputed tender.', Type.String()),
        amount_money: about('What is held.', Money),
        placed_at: about('When the dispute began.', Time),
      }),
    ),
  ),
});
