/** The v1 schemas of orders. */
import { V1Money } from '../../api/money.js';
import { choice, model, optional, type Static, Time, Type, text } from '../../api/wire.js';
import { Refusal } from '../../base/errors.js';
import { Address } from '../merchants/address.js';
import { V1Tender } from '../paid-sales/v1.view.js';
import { HISTORY_ACTIONS, type Notes, ORDER_ACTIONS, ORDER_STATES } from './model.js';

const V1OrderHistoryEntry = model('V1OrderHistoryEntry', { action: choice(HISTORY_ACTIONS), created_at: Time });

export const V1Order = model('V1Order', {
  id: Type.String(),
  buyer_email: Type.String(),
  recipient_name: Type.String(),
  recipient_phone_number: optional(Type.String()),
  state: choice(ORDER_STATES),
  shipping_address: Address,
  subtotal_money: V1Money,
  total_shipping_money: V1Money,
  total_tax_money: V1Money,
  total_price_money: V1Money,
  total_discount_money: V1Money,
  created_at: Time,
  updated_at: Time,
  expires_at: Time,
  payment_id: optional(Type.String()),
  buyer_note: optional(Type.String()),
  completed_note: optional(Type.String()),
  refunded_note: optional(Type.String()),
  canceled_note: optional(Type.String()),
  tender: optional(V1Tender),
  order_history: Type.Array(V1OrderHistoryEntry),
  promo_code: optional(Type.String()),
});

const note = optional(text(1000));

export const UpdateOrderBody = Type.Object({
  action: choice(ORDER_ACTIONS),
  shipped_tracking_number: optional(text()),
  completed_note: note,
  refunded_note: note,
  canceled_note: note,
});

/** The action that each field requires. */
const ACTION_OF_FIELD = {
  shipped_tracking_number: 'COMPLETE',
  completed_note: 'COMPLETE',
  canceled_note: 'CANCEL',
  refunded_note: 'REFUND',
} as const;

export function readNotes(body: Static<typeof UpdateOrderBody>): Notes {
  for (const [field, action] of Object.entries(ACTION_OF_FIELD)) {
    if (body[field as keyof typeof ACTION_OF_FIELD] === undefined || action === body.action) continue;
    throw new Refusal('INVALID_VALUE', { field, detail: `${field} is allowed with the action ${action} only.` });
  }
  return {
    trackingNumber: body.shipped_tracking_number,
    completedNote: body.completed_note,
    canceledNote: body.canceled_note,
    refundedNote: body.refunded_note,
  };
}
