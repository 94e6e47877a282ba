/** What surrounds every screen of somebody who is signed in: the places, the attendant, and whether there is a network. */
import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { useStore } from '../../client/store.js';
import type { Icon } from '../../ui/icon.js';
import {
  IconBell,
  IconCashRegister,
  IconHistory,
  IconLayoutGrid,
  IconLock,
  IconSettings,
  IconStack2,
} from '../../ui/icons.js';
import { Mark } from '../../ui/mark.js';
import { printMoney } from '../../ui/money.js';
import { device } from '../core/device.js';
import { attendant, lock } from '../core/people.js';
import { useBell, useOpenOrders } from '../orders/orders-data.js';
import { IconButton } from '../parts/icon-button.js';
import type { WireOrder } from '../parts/wire.js';
import { useOpenSales } from '../sell/open-sales-data.js';
import classes from './frame.module.css';
import { Notes } from './notes.js';
import { PersonMenu } from './person-menu.js';
import { goTo, maySee, type Place, place } from './places.js';
import { StatusBar } from './status-bar.js';

interface Entry {
  readonly place: Place;
  readonly label: string;
  readonly icon: Icon;
  readonly count?: number;
}

function useEntries(): readonly Entry[] {
  const permissions = useStore(attendant)?.permissions;
  const [orders, parked] = [useOpenOrders(), useOpenSales()];
  const all: readonly Entry[] = [
    { place: 'sell', label: 'Sell', icon: IconLayoutGrid },
    { place: 'open-sales', label: 'Open', icon: IconStack2, count: parked.data?.length ?? 0 },
    { place: 'orders', label: 'Orders', icon: IconBell, count: orders.data?.length ?? 0 },
    { place: 'sales', label: 'Sales', icon: IconHistory },
    { place: 'drawer', label: 'Drawer', icon: IconCashRegister },
    { place: 'settings', label: 'Settings', icon: IconSettings },
  ];
  return all.filter((entry) => maySee(entry.place, permissions));
}

function Navigation({ className }: { readonly className: string | undefined }) {
  const [entries, here] = [useEntries(), useStore(place)];
  const current = here === 'charge' ? 'sell' : here;
  return (
    <nav className={className} aria-label="Register">
      {entries.map(({ place: to, label, icon: EntryIcon, count = 0 }) => (
        <button
          key={to}
          type="button"
          className={classes['entry']}
          aria-current={to === current ? 'page' : undefined}
          onClick={() => goTo(to)}
        >
          <span className={classes['icon']}>
            <EntryIcon size={22} stroke={1.7} aria-hidden />
            {count > 0 && <span className={classes['count']}>{count > 99 ? '99+' : count}</span>}
          </span>
          {label}
        </button>
      ))}
    </nav>
  );
}

/** Says which order came in, and leads there. */
function announceOrder(order: WireOrder): void {
  if (place.get() === 'orders') return; // it is in sight already
  notifications.show({
    title: 'New online order',
    message: `${order.recipient_name}: ${printMoney(order.total_money)}`,
    autoClose: 12_000,
    onClick: () => {
      notifications.clean();
      goTo('orders');
    },
  });
}

export function Frame({ children }: { readonly children: ReactNode }) {
  const paired = useStore(device);
  useBell(useOpenOrders().data, announceOrder);
  return (
    <div className={classes['frame']}>
      <header className={classes['header']}>
        <span className={classes['device']}>
          <Mark size={28} />
          <strong>{paired?.name}</strong>
        </span>
        <Navigation className={classes['above']} />
        <PersonMenu />
        <IconButton label="Lock" icon={IconLock} onClick={() => lock()} />
      </header>
      <StatusBar />
      <Notes />
      <main className={classes['main']}>{children}</main>
      <Navigation className={classes['below']} />
    </div>
  );
}
