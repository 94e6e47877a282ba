/** The addresses of the dashboard. The code of a page is loaded when it is opened. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { parseSearch, printSearch } from '../ui/address.js';
import { Failed } from '../ui/states.js';
import { NotFound } from './not-found.js';
import { Root } from './root.js';

const root = createRootRoute({ component: Root, notFoundComponent: NotFound });

/** Each page is the `Page` of its module. */
const PAGES: Readonly<Record<string, () => Promise<{ Page: () => React.JSX.Element }>>> = {
  '/dashboard': () => import('./home/home.js'),
  '/dashboard/sales': () => import('./sales/sales.js'),
  '/dashboard/sales/$id': () => import('./sales/sale-page.js'),
  // The address in `payment_url` of the first generation.
  '/dashboard/sales/transactions/$id': () => import('./sales/sale-page.js'),
  '/dashboard/flagged': () => import('./flagged/flagged.js'),
  '/dashboard/orders': () => import('./orders/orders.js'),
  '/dashboard/orders/$id': () => import('./orders/order-page.js'),
  '/dashboard/reports': () => import('./reports/reports.js'),
  '/dashboard/catalogue': () => import('./catalogue/catalogue.js'),
  '/dashboard/catalogue/items/$id': () => import('./catalogue/item.js'),
  '/dashboard/team': () => import('./team/team.js'),
  '/dashboard/team/$id': () => import('./team/employee.js'),
  '/dashboard/timecards': () => import('./timecards/timecards.js'),
  '/dashboard/timecards/$id': () => import('./timecards/timecard-page.js'),
  '/dashboard/cash-drawers': () => import('./cash-drawers/cash-drawers.js'),
  '/dashboard/cash-drawers/outside': () => import('./cash-drawers/outside.js'),
  '/dashboard/cash-drawers/$id': () => import('./cash-drawers/cash-drawer.js'),
  '/dashboard/payouts': () => import('./payouts/payouts.js'),
  '/dashboard/payouts/$id': () => import('./payouts/payout.js'),
  '/dashboard/devices': () => import('./devices/devices.js'),
  '/dashboard/locations': () => import('./locations/locations.js'),
  '/dashboard/locations/$id': () => import('./locations/location.js'),
  '/dashboard/developers': () => import('./developers/developers.js'),
  '/dashboard/developers/applications/$id': () => import('./developers/application.js'),
  '/dashboard/developers/deliveries/$id': () => import('./developers/delivery.js'),
  '/dashboard/buyers': () => import('./buyers/buyers.js'),
  '/dashboard/security': () => import('./security/security.js'),
};

const pages = Object.entries(PAGES).map(([path, load]) =>
  createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load, 'Page') }),
);

export const router = createRouter({
  routeTree: root.addChildren(pages),
  parseSearch,
  stringifySearch: printSearch,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: ({ error, reset }) => <Failed error={error} onRetry={reset} />,
});
