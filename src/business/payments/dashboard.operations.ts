/** Dashboard operations on card payments that took no money: authorized, voided or declined. */
import { Money, toMoney } from '../../api/money.js';
import { listOperation } from '../../api/operation.js';
import { about, choice, model, optional, present, type Static, Time, Type, text } from '../../api/wire.js';
import { printMilliseconds } from '../../base/time.js';
import { requireLocation } from '../../identity/locations.js';
import { DELAY_ACTIONS, delayActionOf } from './delay-model.js';
import { listUncapturedPayments, type UncapturedPayment } from './queries.js';

export const UNCAPTURED_STATUSES = ['APPROVED', 'CANCELED', 'FAILED'] as const;

const UncapturedPaymentModel = model('DashboardUncapturedPayment', {
  id: about('The id of the payment.', Type.String()),
  location_id: about('Where the payment was made.', Type.String()),
  status: about('Whether the payment is authorized, was voided or failed.', choice(UNCAPTURED_STATUSES)),
  created_at: about('When the payment was made.', Time),
  expires_at: about(
    'When an authorized payment ends by itself, unless it is captured or voided before. Absent for others.',
    optional(Time),
  ),
  expiry_action: about('Whether it is voided or captured then. Absent for others.', optional(choice(DELAY_ACTIONS))),
  amount_money: about('The amount, with the tip.', Money),
  card_brand: about('The brand of the card. Absent if none was used.', optional(Type.String())),
  last_4: about('The last four digits of the card. Absent if none was used.', optional(Type.String())),
  reference_id: about('The id of the payment in another system.', optional(Type.String())),
  error_code: about('Why the card was declined. Absent if it was not.', optional(Type.String())),
});

function toModel(payment: UncapturedPayment): Static<typeof UncapturedPaymentModel> {
  const { id, locationId, status, createdAt, delayedUntil, total, currency } = payment;
  return {
    id,
    location_id: locationId,
    status,
    created_at: printMilliseconds(createdAt),
    ...(status === 'APPROVED' &&
      delayedUntil !== null && { expires_at: printMilliseconds(delayedUntil), expiry_action: delayActionOf(payment) }),
    amount_money: toMoney(total, currency),
    ...present({ card_brand: payment.cardBrand, last_4: payment.last4, reference_id: payment.referenceId }),
    ...present({ error_code: payment.errorCode }),
  };
}

export const dashboardPaymentOperations = [
  listOperation({
    surface: 'dashboard',
    name: 'listUncapturedPayments',
    method: 'GET',
    path: '/api/dashboard/uncaptured-payments',
    permission: 'OWNER',
    summary: 'Lists card payments that took no money, newest first: authorized, voided or declined.',
    page: { token: 'cursor', limit: { default: 50, max: 200, over: 'cap' }, keys: ['payments'] },
    query: Type.Object({
      status: about('Only payments with this status.', optional(choice(UNCAPTURED_STATUSES))),
      location_id: about('Only payments of this location.', optional(text())),
    }),
    item: UncapturedPaymentModel,
    async handle({ database, merchant }, { query: { status, location_id: locationId }, page }) {
      if (locationId !== undefined) requireLocation(merchant, locationId, 'location_id');
      const filter = { merchantId: merchant.id, status, locationId, page };
      const { items, next } = await listUncapturedPayments(database.sql, filter);
      return { items: items.map(toModel), next };
    },
  }),
];
