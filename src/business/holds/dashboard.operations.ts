/** Dashboard operations on disputed payments. */
import { Money, toMoney } from '../../api/money.js';
import { listOperation } from '../../api/operation.js';
import { about, choice, model, optional, present, type Static, Time, Type } from '../../api/wire.js';
import { printMilliseconds } from '../../base/time.js';
import { type Dispute, HOLD_STATES } from './model.js';
import { listDisputes } from './queries.js';

const DisputeModel = model('DashboardDispute', {
  id: about('The id of the hold.', Type.String()),
  state: about('Whether the money is still held.', choice(HOLD_STATES)),
  payment_id: about('The disputed payment.', Type.String()),
  sale_id: about('The sale that it paid for.', Type.String()),
  location_id: about('Where the sale was made.', Type.String()),
  amount_money: about('What is kept back from settlements, or was.', Money),
  card_brand: about('The brand of the card. Absent if none was used.', optional(Type.String())),
  last_4: about('The last four digits of the card. Absent if none was used.', optional(Type.String())),
  placed_at: about('When the money was held.', Time),
  released_at: about('When it was released. Absent while it is held.', optional(Time)),
});

function toDispute(dispute: Dispute): Static<typeof DisputeModel> {
  const { id, paymentId, saleId, locationId, amount, currency, placedAt, releasedAt } = dispute;
  return {
    id,
    state: releasedAt === null ? 'HELD' : 'RELEASED',
    payment_id: paymentId,
    sale_id: saleId,
    location_id: locationId,
    amount_money: toMoney(amount, currency),
    ...present({ card_brand: dispute.cardBrand, last_4: dispute.last4 }),
    placed_at: printMilliseconds(placedAt),
    ...(releasedAt !== null && { released_at: printMilliseconds(releasedAt) }),
  };
}

export const dashboardHoldOperations = [
  listOperation({
    surface: 'dashboard',
    name: 'listDisputes',
    method: 'GET',
    path: '/api/dashboard/disputes',
    permission: 'OWNER',
    summary: 'Lists disputed payments, newest first, with the amount that is kept back from settlement.',
    page: { token: 'cursor', limit: { default: 50, max: 200, over: 'cap' }, keys: ['disputes'] },
    query: Type.Object({ state: about('Only disputes in this state.', optional(choice(HOLD_STATES))) }),
    item: DisputeModel,
    async handle({ database, merchant }, { query: { state }, page }) {
      const { items, next } = await listDisputes(database.sql, { merchantId: merchant.id, state, page });
      return { items: items.map(toDispute), next };
    },
  }),
];
