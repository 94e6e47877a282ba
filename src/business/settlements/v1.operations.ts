/** The first generation's operations on settlements, as the contract names them. */
import { declared } from '../../api/operation.js';

export const v1SettlementOperations = [
  declared({
    surface: 'v1',
    name: 'listSettlements',
    method: 'GET',
    path: '/v1/{location_id}/settlements',
    permission: 'SETTLEMENTS_READ',
    summary: 'Lists the settlements of a location, or of all with `me`.',
  }),
  declared({
    surface: 'v1',
    name: 'retrieveSettlement',
    method: 'GET',
    path: '/v1/{location_id}/settlements/{settlement_id}',
    permission: 'SETTLEMENTS_READ',
    summary: 'Shows one settlement with its entries.',
  }),
];
