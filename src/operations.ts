/** The list of rooms that offer operations and pages. What a room offers is in its `operations.ts`. */
import { dashboardRoom } from './access/dashboard/operations.js';
import { devicesRoom } from './access/devices/operations.js';
import { oauthRoom } from './access/oauth/operations.js';
import type { Operation, Surface } from './api/operation.js';
import type { Page } from './api/pages.js';
import { attendantsRoom } from './business/attendants/operations.js';
import { bankAccountsRoom } from './business/bank-accounts/operations.js';
import { buyersRoom } from './business/buyers/operations.js';
import { cashDrawersRoom } from './business/cash-drawers/operations.js';
import { catalogueRoom } from './business/catalogue/operations.js';
import { employeesRoom } from './business/employees/operations.js';
import { holdsRoom } from './business/holds/operations.js';
import { merchantsRoom } from './business/merchants/operations.js';
import { ordersRoom } from './business/orders/operations.js';
import { paidSalesRoom } from './business/paid-sales/operations.js';
import { paymentsRoom } from './business/payments/operations.js';
import { picturesRoom } from './business/pictures/operations.js';
import { queueRoom } from './business/queue/operations.js';
import { refundsRoom } from './business/refunds/operations.js';
import { reportsRoom } from './business/reports/operations.js';
import { rolesRoom } from './business/roles/operations.js';
import { settlementsRoom } from './business/settlements/operations.js';
import { storesRoom } from './business/stores/operations.js';
import { tillsRoom } from './business/tills/operations.js';
import { timecardsRoom } from './business/timecards/operations.js';
import { demoRoom } from './demo/operations.js';
import { eventsRoom } from './events/operations.js';
import { sandboxRoom } from './sandbox/operations.js';

/** In the order in which the API reference shows them. */
const ROOMS = [
  dashboardRoom,
  demoRoom,
  devicesRoom,
  merchantsRoom,
  employeesRoom,
  rolesRoom,
  timecardsRoom,
  attendantsRoom,
  cashDrawersRoom,
  catalogueRoom,
  picturesRoom,
  storesRoom,
  tillsRoom,
  paymentsRoom,
  paidSalesRoom,
  refundsRoom,
  holdsRoom,
  ordersRoom,
  queueRoom,
  settlementsRoom,
  bankAccountsRoom,
  reportsRoom,
  buyersRoom,
  oauthRoom,
  eventsRoom,
  sandboxRoom,
];

type Declared = (typeof ROOMS)[number]['operations'][number];

const declared = ROOMS.flatMap((room): readonly Declared[] => room.operations);

/** The operations keep their types: the pages' client is computed from them. */
export type DeclaredOn<On extends Surface> = Extract<Declared, { readonly surface: On }>;

export function operationsOn<On extends Surface>(surface: On): readonly DeclaredOn<On>[] {
  return declared.filter((each): each is DeclaredOn<On> => each.surface === surface);
}

const SURFACES: readonly Surface[] = ['v1', 'v2', 'oauth2', 'dashboard', 'register', 'checkout', 'sandbox'];

export const operations: readonly Operation[] = SURFACES.flatMap((surface) => operationsOn(surface));

/** Production mode has no sandbox surface (decision 0050). */
export const productionOperations: readonly Operation[] = operations.filter(({ surface }) => surface !== 'sandbox');

/** Pages besides those of `api/docs.ts` and `api/web.ts`. */
export const pages: readonly Page[] = ROOMS.flatMap((room) => room.pages);
