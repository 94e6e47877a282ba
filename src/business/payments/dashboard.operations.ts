/** Dashboard operations on card payments that took no money: authorized, voided or declined. */
import { Money, toMoney } from '../../api/money.js';
import { listOperation } from '../../api/operation.js';
import { choice, model, optional, present, type Static, Time, Type, text } from '../../api/wire.js';
import { printMilliseconds } from '../../base/time.js';
import { requireLocation } from '../../identity/locations.js';
import { listUncapturedPayments, type UncapturedPayment } from './queries.js';

export const UNCAPTURED_STATUSES = ['APPROVED', 'CANCELED', 'FAILED'] as const;

const UncapturedPaymentModel = model('DashboardUncapturedPayment', {
  id: Type.String(),
  location_id: Type.String(),
  status: choice(UNCAPTURED_STATUSES),
  created_at: Time,
  /** When an authorized payment is voided, unless it is captured before. */
  expires_at: optional(Time),
  amount_money: Money,
  card_brand: optional(Type.String()),
  last_4: optional(Type.String()),
  reference_id: optional(Type.String()),
  /** Why it was declined. */
  error_code: optional(Type.String()),
});

function toModel(payment: UncapturedPayment): Static<typeof UncapturedPaymentModel> {
  const { id, locationId, status, createdAt, delayedUntil, total, currency } = payment;
  return {
    id,
    location_id: locationId,
    status,
    created_at: printMilliseconds(createdAt),
    ...(status === 'APPROVED' && delayedUntil !== null && { expires_at: printMilliseconds(delayedUntil) }),
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
    query: Type.Object({ status: optional(choice(UNCAPTURED_STATUSES)), location_id: optional(text()) }),
    item: UncapturedPaymentModel,
    async handle({ database, merchant }, { query: { status, location_id: locationId }, page }) {
      if (locationId !== undefined) requireLocation(merchant, locationId, 'location_id');
      const filter = { merchantId: merchant.id, status, locationId, page };
      const { items, next } = await listUncapturedPayments(database.sql, filter);
      return { items: items.map(toModel), next };
    },
  }),
];
