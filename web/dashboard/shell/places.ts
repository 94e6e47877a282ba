/** The pages of the dashboard, as navigation and search show them. */
import {
  IconBuildingBank,
  IconBuildingStore,
  IconCashRegister,
  IconChartBar,
  IconClock,
  IconCode,
  IconDeviceTablet,
  IconHome,
  IconPackage,
  IconReceipt,
  IconShieldLock,
  IconTags,
  IconUser,
  IconUsers,
} from '../../ui/icons.js';

export interface Place {
  readonly to: string;
  readonly label: string;
  /** For the search. */
  readonly description: string;
  readonly icon: typeof IconHome;
  /** In the bottom bar of phones. */
  readonly onPhones?: true;
}

export interface PlaceGroup {
  readonly label: string | undefined;
  readonly places: readonly Place[];
}

export const HOME: Place = {
  to: '/dashboard',
  label: 'Home',
  description: 'What happens right now',
  icon: IconHome,
  onPhones: true,
};

export const PLACE_GROUPS: readonly PlaceGroup[] = [
  {
    label: undefined,
    places: [
      HOME,
      {
        to: '/dashboard/sales',
        label: 'Sales',
        description: 'Every sale, with refunds',
        icon: IconReceipt,
        onPhones: true,
      },
      {
        to: '/dashboard/orders',
        label: 'Orders',
        description: 'Online orders to ship',
        icon: IconPackage,
        onPhones: true,
      },
      {
        to: '/dashboard/reports',
        label: 'Reports',
        description: 'Sales of any time, by day, item, employee, ...',
        icon: IconChartBar,
      },
      {
        to: '/dashboard/payouts',
        label: 'Payouts',
        description: 'Settlements and bank accounts',
        icon: IconBuildingBank,
        onPhones: true,
      },
    ],
  },
  {
    label: 'People',
    places: [
      {
        to: '/dashboard/team',
        label: 'Team',
        description: 'Employees and their passcodes',
        icon: IconUsers,
      },
      {
        to: '/dashboard/timecards',
        label: 'Timecards',
        description: 'Who worked when',
        icon: IconClock,
      },
    ],
  },
  {
    label: 'Shop',
    places: [
      {
        to: '/dashboard/catalogue',
        label: 'Catalogue',
        description: 'Items, categories, modifiers, discounts and taxes',
        icon: IconTags,
      },
      {
        to: '/dashboard/cash-drawers',
        label: 'Cash drawers',
        description: 'Shifts, and what is over or short',
        icon: IconCashRegister,
      },
      { to: '/dashboard/devices', label: 'Devices', description: 'Registers that are paired', icon: IconDeviceTablet },
      {
        to: '/dashboard/locations',
        label: 'Locations',
        description: 'Addresses, time zones and register settings',
        icon: IconBuildingStore,
      },
    ],
  },
  {
    label: 'More',
    places: [
      {
        to: '/dashboard/developers',
        label: 'Developers',
        description: 'Applications, tokens and webhooks',
        icon: IconCode,
      },
      {
        to: '/dashboard/buyers',
        label: 'Personal data',
        description: 'What is stored about a buyer, and its erasure',
        icon: IconUser,
      },
      {
        to: '/dashboard/security',
        label: 'Security',
        description: 'Sessions, password and audit log',
        icon: IconShieldLock,
      },
    ],
  },
];

export const PLACES: readonly Place[] = PLACE_GROUPS.flatMap(({ places }) => places);
