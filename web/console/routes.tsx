/** The addresses of the console. The code of a page is loaded when it is opened. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { parseSearch, printSearch } from '../ui/address.js';
import { Failed } from '../ui/states.js';
import { NotFound } from './not-found.js';
import { Root } from './root.js';

const root = createRootRoute({ component: Root, notFoundComponent: NotFound });

/** Each page is the `Page` of its module. */
const PAGES: Readonly<Record<string, () => Promise<{ Page: () => React.JSX.Element }>>> = {
  '/console': () => import('./requests/requests.js'),
  '/console/try': () => import('./try/try.js'),
  '/console/webhooks': () => import('./webhooks/webhooks.js'),
  '/console/time': () => import('./time/time.js'),
  '/console/faults': () => import('./faults/faults.js'),
  '/console/stubs': () => import('./stubs/stubs.js'),
  '/console/merchants': () => import('./merchants/merchants.js'),
  '/console/merchants/$id': () => import('./merchants/merchant.js'),
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
