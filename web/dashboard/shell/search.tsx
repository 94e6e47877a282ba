/** `Ctrl K`: finds pages, sales, items, people and actions. */
import { useMantineColorScheme } from '@mantine/core';
import { Spotlight, type SpotlightActionData } from '@mantine/spotlight';
import '@mantine/spotlight/styles.css';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import {
  IconBuildingStore,
  IconChartBar,
  IconClock,
  IconDeviceTablet,
  IconLogout,
  IconMoon,
  IconPackage,
  IconReceipt,
  IconReceiptRefund,
  IconSearch,
  IconSun,
  IconTags,
  IconUser,
  IconUsers,
} from '../../ui/icons.js';
import { printMoney } from '../../ui/money.js';
import { printTime } from '../../ui/time.js';
import { usePaused } from '../../ui/use-paused.js';
import { employeeName, useBusiness, usePeople } from '../business.js';
import { useCatalogue } from '../catalogue/catalogue-data.js';
import { saleTitle, tenderNames } from '../sales/sale.js';
import { useSignOut } from '../session/session.js';
import { PLACES } from './places.js';

/** Shorter texts would find too much. */
const MIN_LENGTH = 3;

/** Sales that the server finds by what was typed: ids, amounts, last four digits, references. */
function useSales(query: string): SpotlightActionData[] {
  const navigate = useNavigate();
  const { timezoneOf } = useBusiness();
  const search = usePaused(query.trim());
  const { data } = useQuery({
    queryKey: ['listSales', 'search', search],
    queryFn: () => call(dashboard.listSales, { search, limit: 5 }),
    enabled: search.length >= MIN_LENGTH,
  });
  const sales = search.length >= MIN_LENGTH ? (data?.sales ?? []) : [];
  useFirstSelected(sales.length);
  return sales.map((sale) => ({
    id: `sale ${sale.id}`,
    label: `${printMoney(sale.total_money)} · ${tenderNames(sale)}`,
    description: `${saleTitle(sale)} · ${printTime(sale.created_at, 'both', timezoneOf(sale.location_id))}`,
    // The server has found it, so it is shown whatever its label says.
    keywords: [query, query.trim()],
    leftSection: <IconReceipt size={20} stroke={1.7} />,
    onClick: () => navigate({ to: `/dashboard/sales/${sale.id}` }),
  }));
}

/** The library selects the first result when the text changes. Results that come later are selected here, so that Enter opens them. */
function useFirstSelected(count: number): void {
  useEffect(() => {
    if (count === 0 || document.querySelector('[data-action][data-selected]')) return;
    document.querySelector('[data-action]')?.setAttribute('data-selected', 'true');
  }, [count]);
}

/** Items by name, SKU or id. Loaded when something is typed. */
function useItems(query: string): SpotlightActionData[] {
  const navigate = useNavigate();
  const { data } = useCatalogue({ enabled: query.trim() !== '' });
  return (data?.items ?? []).map((item) => ({
    id: `item ${item.id}`,
    label: item.name,
    description: [item.archived ? 'Archived item' : 'Item', ...item.variations.flatMap(({ sku }) => sku ?? [])].join(
      ' · ',
    ),
    keywords: item.variations.flatMap(({ name, sku }) => [name, sku ?? '']),
    leftSection: <IconTags size={20} stroke={1.7} />,
    onClick: () => navigate({ to: `/dashboard/catalogue/items/${item.id}` }),
  }));
}

interface Task {
  readonly label: string;
  readonly to: string;
  readonly icon: typeof IconTags;
  /** Words by which people may search for the task. */
  readonly words: string;
  /** The parameters in the address of the page. */
  readonly search?: Readonly<Record<string, string>>;
}

const task = (label: string, icon: Task['icon'], words: string, to: string, search: Task['search'] = {}): Task => ({
  ...{ label, icon, words, search },
  to: `/dashboard/${to}`,
});

/** What people often come to do. */
const TASKS: readonly Task[] = [
  task('New item', IconTags, 'add create product price', 'catalogue/items/new'),
  task('Add an employee', IconUsers, 'new hire person', 'team', { new: 'yes' }),
  task('Add a timecard', IconClock, 'new hours', 'timecards', { new: 'yes' }),
  task('Pair a device', IconDeviceTablet, 'new register', 'devices', { pair: 'yes' }),
  task('Add a location', IconBuildingStore, 'new shop', 'locations', { new: 'yes' }),
  task('Export the sales of this month', IconChartBar, 'csv download report', 'reports', { range: 'month' }),
  task('Orders to ship', IconPackage, 'online', 'orders', { state: 'OPEN' }),
  task('Refunded sales', IconReceiptRefund, 'returns', 'sales', { refunded: 'yes' }),
];

function useActions(): SpotlightActionData[] {
  const navigate = useNavigate();
  const signOut = useSignOut();
  const { setColorScheme } = useMantineColorScheme();
  return [
    ...TASKS.map(({ icon: Icon, label, words, to, search }) => ({
      id: label,
      label,
      keywords: words.split(' '),
      leftSection: <Icon size={20} stroke={1.7} />,
      onClick: () => navigate({ to, search: search as never }),
    })),
    { id: 'light', label: 'Light colours', leftSection: <IconSun size={20} />, onClick: () => setColorScheme('light') },
    { id: 'dark', label: 'Dark colours', leftSection: <IconMoon size={20} />, onClick: () => setColorScheme('dark') },
    { id: 'sign-out', label: 'Sign out', leftSection: <IconLogout size={20} />, onClick: signOut },
  ];
}

export function Search() {
  const navigate = useNavigate();
  const [query, setQuery] = useState('');
  const people = usePeople().all;
  const pages: SpotlightActionData[] = PLACES.map(({ to, label, description, icon: Icon }) => ({
    id: to,
    label,
    description,
    leftSection: <Icon size={20} stroke={1.7} />,
    onClick: () => navigate({ to }),
  }));
  const team: SpotlightActionData[] = people.map((employee) => ({
    id: employee.id,
    label: employeeName(employee),
    description: 'On the team',
    leftSection: <IconUser size={20} stroke={1.7} />,
    onClick: () => navigate({ to: `/dashboard/team/${employee.id}` }),
  }));
  return (
    <Spotlight
      query={query}
      onQueryChange={setQuery}
      actions={[
        { group: 'Sales', actions: useSales(query) },
        { group: 'Pages', actions: pages },
        { group: 'Items', actions: useItems(query) },
        { group: 'People', actions: team },
        { group: 'Actions', actions: useActions() },
      ]}
      shortcut="mod + K"
      limit={12}
      nothingFound="Nothing found"
      searchProps={{
        placeholder: 'Search or jump to',
        'aria-label': 'Search or jump to',
        leftSection: <IconSearch size={20} />,
      }}
    />
  );
}
