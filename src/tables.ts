/** The tables that changes write to. The functions in the database that write their rows are printed from this list. */
import { devices, deviceTokens, registerApprovals, registerFlags, registerWrites } from './access/devices/table.js';
import { accessTokens, authorizationCodes, authorizations, refreshTokens } from './access/oauth/table.js';
import { shiftEvents, shiftReports, shifts } from './business/cash-drawers/table.js';
import { catalogues, categories, discounts, items, modifierLists, taxes } from './business/catalogue/table.js';
import { dueWork } from './business/due-work/table.js';
import { employees } from './business/employees/table.js';
import { holds } from './business/holds/table.js';
import { locations, merchants } from './business/merchants/table.js';
import { movements } from './business/movements/table.js';
import { orders } from './business/orders/table.js';
import { payments, processorCalls, refunds } from './business/payments/table.js';
import { pictures, pictureUses } from './business/pictures/table.js';
import { roles } from './business/roles/table.js';
import { sales } from './business/sales/table.js';
import { adjustments, settlements } from './business/settlements/table.js';
import { timecardEvents, timecards } from './business/timecards/table.js';
import { auditEvents } from './identity/table.js';

export const TABLES = [
  auditEvents,
  merchants,
  locations,
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
  dueWork,
  settlements,
  adjustments,
  authorizations,
  authorizationCodes,
  accessTokens,
  refreshTokens,
  devices,
  deviceTokens,
  registerWrites,
  registerFlags,
  registerApprovals,
  pictures,
  pictureUses,
  catalogues,
  categories,
  taxes,
  modifierLists,
  discounts,
  items,
  payments,
  refunds,
  processorCalls,
];
