/** What the owner may do to what the business is owed. */
import { requireLocationInBody } from '../../access/locations.js';
import { operation } from '../../api/operation.js';
import { adjustBalance } from './actions.js';
import { AdjustmentAnswer, NewAdjustmentBody, readAdjustment, toAdjustmentAnswer } from './adjustments.view.js';

export const dashboardSettlementOperations = [
  operation({
    surface: 'dashboard',
    name: 'adjustBalance',
    method: 'POST',
    path: '/dashboard/adjustments',
    permission: 'OWNER',
    summary: 'Adjusts what is settled at the next close of a location, with a reason.',
    body: NewAdjustmentBody,
    response: AdjustmentAnswer,
    async handle({ database, merchant, now }, { body }) {
      requireLocationInBody(merchant, body.location_id, 'location_id');
      const { currency } = merchant;
      const adjustment = await adjustBalance(
        { database, merchantId: merchant.id, now },
        {
          locationId: body.location_id,
          currency,
          amount: readAdjustment(body.amount_money, currency),
          reason: body.reason,
        },
      );
      return toAdjustmentAnswer(adjustment);
    },
  }),
];
