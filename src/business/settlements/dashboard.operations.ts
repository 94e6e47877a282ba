/** Dashboard operations on settlements and on the balance of a business. */
import { listOperation, operation } from '../../api/operation.js';
import { optional, Type, text } from '../../api/wire.js';
import { notFound } from '../../base/errors.js';
import { actorOf } from '../../identity/audit.js';
import { requireLocation, requireLocationInBody } from '../../identity/locations.js';
import { adjustBalance } from './actions.js';
import { AdjustmentResponse, NewAdjustmentBody, readAdjustment, toAdjustmentResponse } from './adjustments.view.js';
import { SettlementModel, toSettlement } from './dashboard.view.js';
import { findSettlementWithEntries, listSettlements } from './queries.js';
import { V1SettlementStatus } from './v1.view.js';

export const dashboardSettlementOperations = [
  listOperation({
    surface: 'dashboard',
    name: 'listSettlements',
    method: 'GET',
    path: '/api/dashboard/settlements',
    permission: 'OWNER',
    summary: 'Lists the settlements of all locations or of one, newest first, without their entries.',
    page: { token: 'cursor', limit: { default: 50, max: 200, over: 'cap' }, keys: ['settlements'] },
    query: Type.Object({ location_id: optional(text()), status: optional(V1SettlementStatus) }),
    item: SettlementModel,
    async handle({ database, merchant, now }, { query: { location_id, status }, page }) {
      if (location_id !== undefined) requireLocation(merchant, location_id, 'location_id');
      const { items, next } = await listSettlements(database.sql, {
        merchantId: merchant.id,
        locationId: location_id,
        now,
        status,
        initiated: {},
        order: 'DESC',
        page,
      });
      return { items: items.map((settlement) => toSettlement(settlement)), next };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'retrieveSettlement',
    method: 'GET',
    path: '/api/dashboard/settlements/{settlement_id}',
    permission: 'OWNER',
    summary: 'Shows one settlement with its entries.',
    response: Type.Object({ settlement: SettlementModel }),
    async handle({ database, merchant, now }, { params: { settlement_id } }) {
      const scope = { merchantId: merchant.id, locationId: undefined, now };
      const found = await findSettlementWithEntries(database.sql, scope, settlement_id);
      if (!found) throw notFound('settlement', settlement_id);
      return { settlement: toSettlement(found.settlement, found.entries) };
    },
  }),

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
