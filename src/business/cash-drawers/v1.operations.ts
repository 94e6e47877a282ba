/** The first generation's operations on cash drawer shifts, as the contract names them. */
import { DEPRECATED_IN_2020, declared } from '../../api/operation.js';

export const v1CashDrawerOperations = [
  declared({
    surface: 'v1',
    name: 'listCashDrawerShifts',
    method: 'GET',
    path: '/v1/{location_id}/cash-drawer-shifts',
    permission: 'PAYMENTS_READ',
    deprecated: DEPRECATED_IN_2020,
    summary: 'Lists the cash drawer shifts of a location.',
  }),
  declared({
    surface: 'v1',
    name: 'retrieveCashDrawerShift',
    method: 'GET',
    path: '/v1/{location_id}/cash-drawer-shifts/{shift_id}',
    permission: { anyOf: ['TIMECARDS_READ', 'PAYMENTS_READ'] },
    deprecated: DEPRECATED_IN_2020,
    summary: 'Shows one cash drawer shift with its events.',
  }),
];
