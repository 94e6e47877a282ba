/** The refund operation of registers. */
import { readOccurredAt, WRITE_FIELDS, writeOnce } from '../../access/devices/register-writes.js';
import { readAmount, WireAmount } from '../../api/money.js';
import { operation } from '../../api/operation.js';
import { choice, optional, Type, text } from '../../api/wire.js';
import { refundSale } from './actions.js';
import { REFUND_TYPES } from './model.js';
import { listPrintedRefunds } from './queries.js';
import { PaymentRefund, readV2Refund } from './v2.view.js';

export const registerRefundOperations = [
  operation({
    surface: 'register',
    name: 'issueRefund',
    method: 'POST',
    path: '/api/register/refunds',
    permission: 'REGISTER_ISSUE_REFUNDS',
    summary: "Refunds a sale or one of its tenders. Cash leaves the device's open drawer.",
    body: Type.Object({
      ...WRITE_FIELDS,
      payment_id: text(192, { minLength: 1 }),
      type: choice(REFUND_TYPES),
      reason: text(192, { minLength: 1 }),
      refunded_money: optional(WireAmount),
    }),
    /** One record for each tender, including cash and other tenders. */
    response: Type.Object({ refunds: Type.Array(PaymentRefund) }),
    async handle(context, { body }) {
      const { currency } = context.merchant;
      const { payment_id: paymentId, type, reason, refunded_money: money } = body;
      const isPart = type === 'PARTIAL' && money;
      const amount = isPart ? readAmount(money, { currency, field: 'refunded_money', least: 1 }) : undefined;
      return writeOnce(context, { operation: 'issueRefund', body }, async (change) => {
        const act = { ...context, at: readOccurredAt(context.now, body.occurred_at) };
        const { refunds } = await refundSale(change, act, { paymentId, type, amount, reason });
        return { refunds: (await listPrintedRefunds(change.sql, refunds)).map(readV2Refund) };
      });
    },
  }),
];
