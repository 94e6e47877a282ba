/** What functions in the database are printed from: the tables that changes write to, and rules that they share with TypeScript. */
import { devices, deviceTokens, registerApprovals, registerFlags, registerWrites } from './access/devices/table.js';
import { accessTokens, authorizationCodes, authorizations, refreshTokens } from './access/oauth/table.js';
import { shiftEvents, shiftReports, shifts } from './business/cash-drawers/table.js';
import { catalogues, categories, discounts, items, modifierLists, taxes } from './business/catalogue/table.js';
import { dueWork } from './business/due-work/table.js';
import { employees } from './business/employees/table.js';
import { holds } from './business/holds/table.js';
import { idempotencyKeys } from './business/idempotency/table.js';
import { locations, merchants } from './business/merchants/table.js';
import { movements } from './business/movements/table.js';
import { orders } from './business/orders/table.js';
import { payments, processorCalls, refunds } from './business/payments/table.js';
import { pictures, pictureUses } from './business/pictures/table.js';
import { roles } from './business/roles/table.js';
import { sales } from './business/sales/table.js';
import { adjustments, settlements } from './business/settlements/table.js';
import { timecardEvents, timecards } from './business/timecards/table.js';
import { printEventPermission } from './events/permission-function.js';
import { webhookEvents } from './events/table.js';
import { auditEvents } from './identity/table.js';
import { processorReferences } from './processor/table.js';

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
  webhookEvents,
  idempotencyKeys,
  processorReferences,
];

export const PRINTED_RULES: readonly (() => string)[] = [printEventPermission];
