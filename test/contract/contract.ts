/** The 41 operations of the contract. All others are ours, and in the recorded list. */
import type { Operation } from '../../src/api/operation.js';
import { operations } from '../../src/operations.js';

/** Contract 4, row by row, with the permission of each from contract 11.6. */
export const CONTRACT = `
v1 createEmployee                POST   /v1/me/employees                                 EMPLOYEES_WRITE
v1 retrieveEmployee              GET    /v1/me/employees/{employee_id}                   EMPLOYEES_READ
v1 updateEmployee                PUT    /v1/me/employees/{employee_id}                   EMPLOYEES_WRITE
v1 listEmployees                 GET    /v1/me/employees                                 EMPLOYEES_READ
v1 createEmployeeRole            POST   /v1/me/roles                                     EMPLOYEES_WRITE
v1 retrieveEmployeeRole          GET    /v1/me/roles/{role_id}                           EMPLOYEES_READ
v1 updateEmployeeRole            PUT    /v1/me/roles/{role_id}                           EMPLOYEES_WRITE
v1 listEmployeeRoles             GET    /v1/me/roles                                     EMPLOYEES_READ
v1 createTimecard                POST   /v1/me/timecards                                 TIMECARDS_WRITE
v1 retrieveTimecard              GET    /v1/me/timecards/{timecard_id}                   TIMECARDS_READ
v1 updateTimecard                PUT    /v1/me/timecards/{timecard_id}                   TIMECARDS_WRITE
v1 deleteTimecard                DELETE /v1/me/timecards/{timecard_id}                   TIMECARDS_WRITE
v1 listTimecards                 GET    /v1/me/timecards                                 TIMECARDS_READ
v1 listTimecardEvents            GET    /v1/me/timecards/{timecard_id}/events            TIMECARDS_READ
v1 listCashDrawerShifts          GET    /v1/{location_id}/cash-drawer-shifts             PAYMENTS_READ
v1 retrieveCashDrawerShift       GET    /v1/{location_id}/cash-drawer-shifts/{shift_id}  TIMECARDS_READ|PAYMENTS_READ
v1 createRefund                  POST   /v1/{location_id}/refunds                        PAYMENTS_WRITE
v1 listRefunds                   GET    /v1/{location_id}/refunds                        PAYMENTS_READ
v1 listPayments                  GET    /v1/{location_id}/payments                       PAYMENTS_READ
v1 retrievePayment               GET    /v1/{location_id}/payments/{payment_id}          PAYMENTS_READ
v1 listOrders                    GET    /v1/{location_id}/orders                         ORDERS_READ
v1 retrieveOrder                 GET    /v1/{location_id}/orders/{order_id}              ORDERS_READ
v1 updateOrder                   PUT    /v1/{location_id}/orders/{order_id}              ORDERS_WRITE
v1 listSettlements               GET    /v1/{location_id}/settlements                    SETTLEMENTS_READ
v1 retrieveSettlement            GET    /v1/{location_id}/settlements/{settlement_id}    SETTLEMENTS_READ
v1 listBankAccounts              GET    /v1/{location_id}/bank-accounts                  BANK_ACCOUNTS_READ
v1 retrieveBankAccount           GET    /v1/{location_id}/bank-accounts/{bank_account_id} BANK_ACCOUNTS_READ
v2 createPayment                 POST   /v2/payments                                     PAYMENTS_WRITE
v2 getPayment                    GET    /v2/payments/{payment_id}                        PAYMENTS_READ
v2 listPayments                  GET    /v2/payments                                     PAYMENTS_READ
v2 completePayment               POST   /v2/payments/{payment_id}/complete               PAYMENTS_WRITE
v2 cancelPayment                 POST   /v2/payments/{payment_id}/cancel                 PAYMENTS_WRITE
v2 cancelPaymentByIdempotencyKey POST   /v2/payments/cancel                              PAYMENTS_WRITE
v2 refundPayment                 POST   /v2/refunds                                      PAYMENTS_WRITE
v2 getPaymentRefund              GET    /v2/refunds/{refund_id}                          PAYMENTS_READ
v2 listPaymentRefunds            GET    /v2/refunds                                      PAYMENTS_READ
v2 listCashDrawerShifts          GET    /v2/cash-drawers/shifts                          CASH_DRAWER_READ
v2 retrieveCashDrawerShift       GET    /v2/cash-drawers/shifts/{shift_id}               CASH_DRAWER_READ
v2 listCashDrawerShiftEvents     GET    /v2/cash-drawers/shifts/{shift_id}/events        CASH_DRAWER_READ
v2 listEmployees                 GET    /v2/employees                                    EMPLOYEES_READ
v2 retrieveEmployee              GET    /v2/employees/{id}                               EMPLOYEES_READ
`
  .trim()
  .split('\n')
  .map((row) => row.split(/ +/).join(' '));

const nameIn = (row: string): string => row.split(' ').slice(0, 2).join('.');

const NAMES = new Set(CONTRACT.map(nameIn));

export const contractOperations = operations.filter(({ surface, name }) => NAMES.has(`${surface}.${name}`));

/** The permission without which nobody may call the operation. */
function permissionOf({ permission }: Operation): string {
  if (typeof permission === 'string') return permission;
  return 'anyOf' in permission ? permission.anyOf.join('|') : permission.always;
}

/** An operation as a row of the contract: surface, name, method, path and permission. */
export function rowOf(operation: Operation): string {
  const { surface, name, method, path } = operation;
  return [surface, name, method, path, permissionOf(operation)].join(' ');
}
