/** The tables that changes write to. The functions in the database that write their rows are printed from this list. */
import { shiftEvents, shiftReports, shifts } from './business/cash-drawers/table.js';
import { employees } from './business/employees/table.js';
import { holds } from './business/holds/table.js';
import { movements } from './business/movements/table.js';
import { orders } from './business/orders/table.js';
import { roles } from './business/roles/table.js';
import { sales } from './business/sales/table.js';
import { timecardEvents, timecards } from './business/timecards/table.js';

export const TABLES = [
  roles,
  employees,
  timecards,
  timecardEvents,
  shifts,
  shiftEvents,
  shiftReports,
  sales,
  orders,
  holds,
  movements,
];
