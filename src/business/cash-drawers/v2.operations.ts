/** The second generation's operations on cash drawer shifts, as the contract names them. */
import { declared } from '../../api/operation.js';

export const v2CashDrawerOperations = [
  declared({
    surface: 'v2',
    name: 'listCashDrawerShifts',
    method: 'GET',
    path: '/v2/cash-drawers/shifts',
    permission: 'CASH_DRAWER_READ',
    summary: 'Lists the cash drawer shifts of a location.',
  }),
  declared({
    surface: 'v2',
    name: 'retrieveCashDrawerShift',
    method: 'GET',
    path: '/v2/cash-drawers/shifts/{shift_id}',
    permission: 'CASH_DRAWER_READ',
    summary: 'Shows one cash drawer shift.',
  }),
  declared({
    surface: 'v2',
    name: 'listCashDrawerShiftEvents',
    method: 'GET',
    path: '/v2/cash-drawers/shifts/{shift_id}/events',
    permission: 'CASH_DRAWER_READ',
    summary: 'Lists the events of a cash drawer shift.',
  }),
];
