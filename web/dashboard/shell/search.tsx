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
import { employeeName, useBusiness, usePeople } from '../business.js';
import { useCatalogue } from '../catalogue/catalogue-data.js';
import { saleTitle, tenderNames } from '../sales/sale.js';
import { useSignOut } from '../session/session.js';
import { PLACES } from './places.js';

/** The value after a pause in typing. */
function usePaused(value: string, pauseMs: number): string {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return paused;
}

const PAUSE_MS = 250;
/** Shorter texts would find too much. */
const MIN_LENGTH = 3;

/** Sales that the server finds by what was typed: ids, amounts, last four digits, references. */
function useSales(query: string): SpotlightActionData[] {
  const navigate = useNavigate();
  const { timezoneOf } = useBusiness();
  const search = usePaused(query.trim(), PAUSE_MS);
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

/** What people come to do, with words that they may type for it. */
const TASKS = [
  { label: 'New item', to: '/dashboard/catalogue/items/new', icon: IconTags, words: 'add create product price' },
  {
    label: 'Add an employee',
    to: '/dashboard/team',
    search: { new: 'yes' },
    icon: IconUsers,
    words: 'new hire person',
  },
  { label: 'Add a timecard', to: '/dashboard/timecards', search: { new: 'yes' }, icon: IconClock, words: 'new hours' },
  {
    label: 'Pair a device',
    to: '/dashboard/devices',
    search: { pair: 'yes' },
    icon: IconDeviceTablet,
    words: 'new register',
  },
  {
    label: 'Add a location',
    to: '/dashboard/locations',
    search: { new: 'yes' },
    icon: IconBuildingStore,
    words: 'new shop',
  },
  {
    label: 'Export the sales of this month',
    to: '/dashboard/reports',
    search: { range: 'month' },
    icon: IconChartBar,
    words: 'csv download report',
  },
  { label: 'Orders to ship', to: '/dashboard/orders', search: { state: 'OPEN' }, icon: IconPackage, words: 'online' },
  {
    label: 'Refunded sales',
    to: '/dashboard/sales',
    search: { refunded: 'yes' },
    icon: IconReceiptRefund,
    words: 'returns',
  },
] as const;

function useActions(): SpotlightActionData[] {
  const navigate = useNavigate();
  const signOut = useSignOut();
  const { setColorScheme } = useMantineColorScheme();
  return [
    ...TASKS.map(({ icon: Icon, ...task }) => ({
      id: task.label,
      label: task.label,
      keywords: task.words.split(' '),
      leftSection: <Icon size={20} stroke={1.7} />,
      onClick: () => navigate({ to: task.to, search: ('search' in task ? task.search : {}) as never }),
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
