/** The view of tenders at a register. */
import { Money, toMoney } from '../../api/money.js';
import { about, choice, model, optional, present, type Static, Type } from '../../api/wire.js';
import { type Amount, subtract, ZERO } from '../../base/money.js';
import type { Payment, PaymentStatus } from '../payments/model.js';
import { TENDER_TYPES, tenderTypeOf } from '../tenders/model.js';

export const Tender = model('RegisterTender', {
  id: about('The id of the payment.', Type.String()),
  register_id: about('The id that the register chose.', Type.String()),
  type: about('How it was paid. `EXTERNAL_CARD`: by a terminal beside the register.', choice(TENDER_TYPES)),
  status: about('Whether the money was taken.', choice(['PENDING', 'COMPLETED', 'DECLINED', 'CANCELED'])),
  amount_money: about('What it pays, without the tip.', Money),
  tip_money: about('The tip.', Money),
  total_money: about('What it pays, with the tip.', Money),
  tendered_money: about('The cash that the buyer handed over. Absent if it was not cash.', optional(Money)),
  change_back_money: about('The cash that the buyer got back. Absent if it was not cash.', optional(Money)),
  name: about('What the tender is called, for `OTHER`.', optional(Type.String())),
  card_brand: about('The brand of the card. Absent if none was used.', optional(Type.String())),
  pan_suffix: about('The last four digits of the card. Absent if none was used.', optional(Type.String())),
  is_exchange: about('Whether returned goods paid, and no money moved.', Type.Boolean()),
  in_drawer: about(
    'Whether an open drawer shift received the cash. Absent if it was not cash.',
    optional(Type.Boolean()),
  ),
  errors: about(
    'Why the card was declined. Absent if it was not.',
    optional(
      Type.Array(
        Type.Object({
          category: about('The kind of error.', Type.String()),
          code: about('The error, for programs.', Type.String()),
          detail: about('The error, for people.', Type.String()),
        }),
      ),
    ),
  ),
});

const STATUS: Readonly<Record<PaymentStatus, 'PENDING' | 'COMPLETED' | 'DECLINED' | 'CANCELED'>> = {
  PENDING: 'PENDING',
  APPROVED: 'PENDING',
  COMPLETED: 'COMPLETED',
  FAILED: 'DECLINED',
  CANCELED: 'CANCELED',
};

export function toTender(payment: Payment<PaymentStatus>): Static<typeof Tender> {
  const money = (value: Amount) => toMoney(value, payment.currency);
  const { sourceType, tendered, total } = payment;
  return {
    id: payment.id,
    register_id: payment.registerTenderId ?? '',
    type: tenderTypeOf(payment),
    status: STATUS[payment.status],
    amount_money: money(payment.amount),
    tip_money: money(payment.tip ?? ZERO),
    total_money: money(total),
    ...(tendered !== null && { tendered_money: money(tendered), change_back_money: money(subtract(tendered, total)) }),
    ...present({ name: payment.tenderName, card_brand: payment.cardBrand, pan_suffix: payment.last4 }),
    is_exchange: payment.isExchange,
    ...(sourceType === 'CASH' && { in_drawer: payment.drawerShiftId !== null }),
    ...(payment.errors && { errors: [...payment.errors] }),
  };
}
