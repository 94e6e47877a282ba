/** What the owner may do to what the business is owed. */
import { operation } from '../../api/operation.js';
import { actorOf } from '../../identity/audit.js';
import { requireLocationInBody } from '../../identity/locations.js';
import { adjustBalance } from './actions.js';
import { AdjustmentAnswer, NewAdjustmentBody, readAdjustment, toAdjustmentAnswer } from './adjustments.view.js';

export const dashboardSettlementOperations = [
  operation({
    surface: 'dashboard',
    name: 'adjustBalance',
    method: 'POST',
    path: '/api/dashboard/adjustments',
    permission: 'OWNER',
    summary: 'Gives up money of the next settlement of a location, with a reason; the amount is negative.',
    body: NewAdjustmentBody,
    response: AdjustmentAnswer,
    async handle(context, { body }) {
      const { database, merchant, ids, now } = context;
      requireLocationInBody(merchant, body.location_id, 'location_id');
      const given = readAdjustment(body, { currency: merchant.currency, madeBy: 'OWNER' });
      const books = { database, merchantId: merchant.id, ids, now, by: actorOf(context) };
      return toAdjustmentAnswer(await adjustBalance(books, given));
    },
  }),
];
