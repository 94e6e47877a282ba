/** The addresses of a store. The code of a page is loaded when it is opened. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { parseSearch, printSearch } from '../ui/address.js';
import { Failed } from '../ui/states.js';
import { Page as Catalogue } from './catalogue/catalogue.js';
import { LOCATION_ID } from './facts.js';
import { NotFound } from './not-found.js';
import { Shell } from './shell/shell.js';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });
const getParentRoute = () => root;

const pages = [
  createRoute({ getParentRoute, path: '/', component: Catalogue }),
  createRoute({
    getParentRoute,
    path: '/checkout',
    component: lazyRouteComponent(() => import('./checkout/checkout.js'), 'Page'),
  }),
  createRoute({
    getParentRoute,
    path: '/orders/$token',
    component: lazyRouteComponent(() => import('./order/order.js'), 'Page'),
  }),
];

export const router = createRouter({
  basepath: `/store/${LOCATION_ID}`,
  routeTree: root.addChildren(pages),
  parseSearch,
  stringifySearch: printSearch,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: ({ error, reset }) => <Failed error={error} onRetry={reset} />,
});
