/** What this room offers, on all surfaces. */
import { room } from '../../api/room.js';
import { dashboardBankAccountOperations } from './dashboard.operations.js';
import { v1BankAccountOperations } from './v1.operations.js';
import { v2BankAccountOperations } from './v2.operations.js';

export const bankAccountsRoom = room([
  ...v1BankAccountOperations,
  ...v2BankAccountOperations,
  ...dashboardBankAccountOperations,
]);
