/** The refund operation of registers. */
import { WRITE_FIELDS, writeOnce } from '../../access/devices/register-writes.js';
import { fromWireAmount, WireAmount } from '../../api/money.js';
import { operation } from '../../api/operation.js';
import { SAMPLE_IDS } from '../../api/sample-ids.js';
import { about, choice, optional, Type, text } from '../../api/wire.js';
import { readTimeOfWrite } from '../cash-drawers/actions.js';
import { refundSale } from './actions.js';
import { fromReturnedItems, ReturnedItems } from './items.view.js';
import { REFUND_TYPES } from './model.js';
import { refundItems, resolveNamedSale } from './register-refunds.js';
import { Erased, PaymentRefund, toV2Refund } from './v2.view.js';

export const registerRefundOperations = [
  operation({
    surface: 'register',
    name: 'issueRefund',
    method: 'POST',
    path: '/api/register/refunds',
    permission: 'REGISTER_ISSUE_REFUNDS',
    summary:
      "Refunds a sale, one of its tenders, or items of it. Cash leaves the device's open drawer. `sale_id` is the id that the register chose.",
    body: Type.Object({
      ...WRITE_FIELDS,
      payment_id: about(
        'The sale or tender to refund. Either this or `sale_id`.',
        optional(text(192, { minLength: 1 })),
      ),
      sale_id: about(
        'The id that the register chose for the sale. Either this or `payment_id`.',
        optional(text(64, { minLength: 1 })),
      ),
      type: about('Whether everything, an amount or items are refunded.', choice([...REFUND_TYPES, 'ITEMS'])),
      reason: about('Why it is refunded.', text(192, { minLength: 1 })),
      refunded_money: about(
        'The amount of a `PARTIAL` refund. For `ITEMS`, the sum that the buyer was told: another one is refused.',
        optional(WireAmount),
      ),
      items: about('The returned items, for `ITEMS`.', optional(ReturnedItems)),
    }),
    example: {
      body: { id: 'till-7-0030', payment_id: SAMPLE_IDS.payment_id, type: 'FULL', reason: 'Spilled' },
    },
    /** One record for each tender, including cash and other tenders. */
    response: Type.Object({
      refunds: about('A refund for each tender that gave money back.', Type.Array(PaymentRefund)),
      erased: Erased,
    }),
    async handle(context, { body }) {
      const { currency } = context.merchant;
      const { type, reason, refunded_money: money } = body;
      const given = type !== 'FULL' && money;
      const amount = given ? fromWireAmount(money, { currency, field: 'refunded_money', least: 1 }) : undefined;
      const items = type === 'ITEMS' ? fromReturnedItems(body.items) : [];
      return writeOnce(context, { operation: 'issueRefund', body }, async (change, flag) => {
        const act = { ...context, at: await readTimeOfWrite(change, context, body.occurred_at), flag };
        const paymentId = await resolveNamedSale(change, act, { paymentId: body.payment_id, saleId: body.sale_id });
        const { refunds } =
          type === 'ITEMS'
            ? await refundItems(change, act, { paymentId, items, expected: amount, reason })
            : await refundSale(change, act, { paymentId, type, amount, reason });
        // Fees are returned later.
        return { refunds: refunds.map((refund) => toV2Refund({ ...refund, capturedAt: null })) };
      });
    },
  }),
];
