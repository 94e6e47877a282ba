/** The register: pair, then sign in, then sell. */
import { lazy, Suspense } from 'react';
import { useStore } from '../../client/store.js';
import { Charge } from '../charge/charge.js';
import { device } from '../core/device.js';
import { attendant } from '../core/people.js';
import { Paper } from '../parts/print.js';
import { Sell } from '../sell/sell.js';
import { SignIn } from '../sign-in/sign-in.js';
import { Frame } from './frame.js';
import { maySee, place } from './places.js';

/** Loaded when they are opened; the service worker keeps them for the time without a network. */
const Pair = lazy(() => import('../pair/pair.js'));
const OpenSales = lazy(() => import('../sell/open-sales.js'));
const Orders = lazy(() => import('../orders/orders.js'));
const Sales = lazy(() => import('../sales/sales.js'));
const Drawer = lazy(() => import('../drawer/drawer.js'));
const Settings = lazy(() => import('../settings/settings.js'));

export function Register() {
  const [paired, person] = [useStore(device), useStore(attendant)];
  const loading = <div role="status" aria-label="Loading" />;
  if (!paired)
    return (
      <Suspense fallback={loading}>
        <Pair />
      </Suspense>
    );
  if (!person) return <SignIn />;
  return (
    <>
      <Frame>
        <Suspense fallback={loading}>
          <Current />
        </Suspense>
      </Frame>
      <Paper />
    </>
  );
}

function Current() {
  const [here, permissions] = [useStore(place), useStore(attendant)?.permissions];
  switch (maySee(here, permissions) ? here : 'sell') {
    case 'charge':
      return <Charge />;
    case 'open-sales':
      return <OpenSales />;
    case 'orders':
      return <Orders />;
    case 'drawer':
      return <Drawer />;
    case 'sales':
      return <Sales />;
    case 'settings':
      return <Settings />;
    default:
      return <Sell />;
  }
}
