/** Dashboard operations on the balance of a business. */
import { operation } from '../../api/operation.js';
import { actorOf } from '../../identity/audit.js';
import { requireLocationInBody } from '../../identity/locations.js';
import { adjustBalance } from './actions.js';
import { AdjustmentResponse, NewAdjustmentBody, readAdjustment, toAdjustmentResponse } from './adjustments.view.js';

export const dashboardSettlementOperations = [
  operation({
    surface: 'dashboard',
    name: 'adjustBalance',
    method: 'POST',
    path: '/api/dashboard/adjustments',
    permission: 'OWNER',
    summary: 'Reduces the next settlement of a location, with a reason. The amount is negative.',
    body: NewAdjustmentBody,
    response: AdjustmentResponse,
    async handle(context, { body }) {
      const { database, merchant, ids, now } = context;
      requireLocationInBody(merchant, body.location_id, 'location_id');
      const input = readAdjustment(body, { currency: merchant.currency, madeBy: 'OWNER' });
      const balance = { database, merchantId: merchant.id, ids, now, by: actorOf(context) };
      return toAdjustmentResponse(await adjustBalance(balance, input));
    },
  }),
];
