/** Dashboard operations on settlements and on the balance of a business. */

import { listOperation, operation } from '../../api/operation.js';
import { SAMPLE_IDS } from '../../api/sample-ids.js';
import { about, optional, Type, text } from '../../api/wire.js';
import { notFound } from '../../base/errors.js';
import { instant } from '../../base/time.js';
import { actorOf } from '../../identity/audit.js';
import { requireLocation, requireLocationInBody } from '../../identity/locations.js';
import { listBankAccounts } from '../bank-accounts/queries.js';
import { adjustBalance } from './actions.js';
import {
  AdjustmentResponse,
  fromNewAdjustmentBody,
  NewAdjustmentBody,
  toAdjustmentResponse,
} from './adjustments.view.js';
import { Balance, toBalance } from './balance.view.js';
import { listBalances, listSettlementsOnTheirWay } from './balance-queries.js';
import { SettlementModel, toSettlement } from './dashboard.view.js';
import { MAX_HIDDEN_MS } from './model.js';
import { findReturnOf, findSettlementWithEntries, listSettlements } from './queries.js';
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
    query: Type.Object({
      location_id: about('Only settlements of this location.', optional(text())),
      status: about('Only settlements with this status.', optional(V1SettlementStatus)),
    }),
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
    response: Type.Object({ settlement: about('The settlement with its entries.', SettlementModel) }),
    async handle({ database, merchant, now }, { params: { settlement_id } }) {
      const scope = { merchantId: merchant.id, locationId: undefined, now };
      const found = await findSettlementWithEntries(database.sql, scope, settlement_id);
      if (!found) throw notFound('settlement', settlement_id);
      const { settlement, entries } = found;
      const returnedIn = await findReturnOf(database.sql, scope, settlement);
      return { settlement: toSettlement(settlement, { entries, returnedIn }) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'retrieveBalance',
    method: 'GET',
    path: '/api/dashboard/balance',
    permission: 'OWNER',
    summary: 'Shows what is not settled yet at each location, when it will be, and what is on its way.',
    response: Type.Object({ balance: about('What is owed, and what is on its way.', Balance) }),
    async handle({ database, merchant: { id, currency }, now }) {
      const since = instant(now - MAX_HIDDEN_MS);
      const [locations, onItsWay, accounts] = await Promise.all([
        listBalances(database.sql, id),
        listSettlementsOnTheirWay(database.sql, id, { now, since }),
        listBankAccounts(database.sql, id),
      ]);
      const hasBankAccount = accounts.some(({ isActive }) => isActive);
      return { balance: toBalance({ currency, hasBankAccount, locations, onItsWay }) };
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
    example: {
      body: {
        idempotency_key: 'adjustment-1',
        location_id: SAMPLE_IDS.location_id,
        amount_money: { amount: -1500, currency: 'USD' },
        reason: 'Rent of the card reader',
      },
    },
    response: AdjustmentResponse,
    async handle(context, { body }) {
      const { database, merchant, ids, now } = context;
      requireLocationInBody(merchant, body.location_id, 'location_id');
      const input = fromNewAdjustmentBody(body, { currency: merchant.currency, madeBy: 'OWNER' });
      const balance = { database, merchantId: merchant.id, ids, now, by: actorOf(context) };
      return toAdjustmentResponse(await adjustBalance(balance, input));
    },
  }),
];
