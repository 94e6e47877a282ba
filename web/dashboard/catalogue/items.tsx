/** The items of the catalogue as a table, with search and filters in the address. */
import { Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import { useAddress } from '../../ui/address.js';
import { ConfirmModal } from '../../ui/confirm-modal.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { IconPhoto, IconSearch, IconTags } from '../../ui/icons.js';
import { plainMoney } from '../../ui/money.js';
import { useAct, useSaved } from '../../ui/save.js';
import { Empty } from '../../ui/states.js';
import { Tag } from '../../ui/tag.js';
import { useBusiness } from '../business.js';
import { ChoiceFilter, LocationFilter } from '../filters.js';
import { type Item, printPrices, useCatalogue, useCatalogueList } from './catalogue-data.js';
import { toItemBody } from './item-draft.js';
import classes from './items.module.css';
import { NewItemButton } from './new-item-button.js';

const STATES = [
  { value: 'online', label: 'Online' },
  { value: 'archived', label: 'Archived' },
];

function Name({ item }: { readonly item: Item }) {
  return (
    <Group gap="sm" wrap="nowrap">
      <span className={classes['thumb']}>
        {item.picture_url ? <img src={item.picture_url} alt="" loading="lazy" /> : <IconPhoto size={18} stroke={1.4} />}
      </span>
      <Text span inherit fw={550} className={classes['name'] ?? ''}>
        {item.name}
      </Text>
      {item.archived && <Tag tone="quiet">Archived</Tag>}
    </Group>
  );
}

function useColumns(): Column<Item>[] {
  const { locationName } = useBusiness();
  const { data } = useCatalogue();
  const names = new Map(data?.categories.map(({ id, name }) => [id, name]));
  const category = ({ category_id }: Item) => names.get(category_id ?? '') ?? '';
  const places = ({ location_ids }: Item) => location_ids?.map(locationName).join(', ') ?? 'All';
  const skus = ({ variations }: Item) => variations.flatMap(({ sku }) => sku ?? []).join(', ');
  const prices = ({ variations }: Item) => variations.map(({ price_money }) => price_money);
  return [
    { key: 'name', header: 'Name', cell: (item) => <Name item={item} />, value: ({ name }) => name },
    { key: 'category', header: 'Category', cell: category, value: category, wide: true },
    {
      key: 'price',
      header: 'Price',
      align: 'right',
      cell: (item) => printPrices(prices(item)),
      value: (item) => Math.min(...prices(item).map(({ amount }) => amount)),
      csv: (item) => prices(item).map(plainMoney).join(' / '),
    },
    { key: 'sku', header: 'SKU', cell: (item) => <Clipped text={skus(item)} />, value: skus, wide: 'desktop' },
    {
      key: 'locations',
      header: 'Locations',
      cell: (item) => <Clipped text={places(item)} />,
      value: places,
      wide: 'desktop',
    },
    {
      key: 'online',
      header: 'Online',
      cell: ({ online }) => (online ? <Tag tone="good">Online</Tag> : ''),
      value: ({ online }) => (online ? 'yes' : 'no'),
      wide: true,
    },
  ];
}

function Clipped({ text }: { readonly text: string }) {
  return (
    <Text span inherit truncate display="block" maw={150} title={text}>
      {text}
    </Text>
  );
}

/** Searches names, SKUs and ids. */
function useFilter(): (item: Item) => boolean {
  const [typed = ''] = useAddress('q');
  const [category] = useAddress('category');
  const [location] = useAddress('location');
  const [state] = useAddress('state');
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return (item) => {
    const text = [item.name, item.id, ...item.variations.flatMap(({ id, name, sku }) => [id, name, sku])]
      .join(' ')
      .toLowerCase();
    if (!words.every((word) => text.includes(word))) return false;
    if (category !== undefined && item.category_id !== category) return false;
    if (location !== undefined && item.location_ids && !item.location_ids.includes(location)) return false;
    if (state === 'online' && !item.online) return false;
    return item.archived === (state === 'archived');
  };
}

export function Items() {
  const filter = useFilter();
  const { data } = useCatalogue();
  const list = useCatalogueList(({ items }) => items.filter(filter));
  const columns = useColumns();
  const [deleting, setDeleting] = useState<Item>();
  const act = useAct();
  const archive = (item: Item, archived: boolean) =>
    act(
      () => call(dashboard.updateItem, { item_id: item.id, ...toItemBody(item), archived, version: item.version }),
      archived ? `${item.name} is archived` : `${item.name} is sold again`,
    );
  return (
    <>
      <DataTable
        name="Items"
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ name }) => name}
        rowLink={({ id }) => `/dashboard/catalogue/items/${id}`}
        actions={[
          { label: 'Archive', isOffered: ({ archived }) => !archived, run: (item) => archive(item, true) },
          { label: 'Sell again', isOffered: ({ archived }) => archived, run: (item) => archive(item, false) },
          { label: 'Delete', danger: true, run: setDeleting },
        ]}
        filters={data && data.items.length > 0 && <Filters />}
        empty={data?.items.length === 0 ? <NothingYet /> : <NoMatch />}
      />
      {deleting && <DeleteModal item={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  );
}

function Filters() {
  const [typed, setTyped] = useAddress('q');
  const { data } = useCatalogue();
  return (
    <>
      <TextInput
        size="xs"
        style={{ flex: '2 1 180px', maxWidth: 260 }}
        leftSection={<IconSearch size={16} />}
        aria-label="Search items"
        placeholder="Name, SKU or id"
        type="search"
        value={typed ?? ''}
        onChange={(event) => setTyped(event.currentTarget.value || undefined)}
      />
      <ChoiceFilter
        name="category"
        label="Category"
        options={(data?.categories ?? []).map(({ id, name }) => ({ value: id, label: name }))}
      />
      <LocationFilter />
      <ChoiceFilter name="state" label="State" options={STATES} />
    </>
  );
}

function NothingYet() {
  return (
    <Empty icon={IconTags} title="Nothing to sell yet" action={<NewItemButton label="Create the first item" />}>
      Set up a tax and a category in the tabs above if you need them. Then create items: they appear at your registers
      at once, and in your online store if you say so.
    </Empty>
  );
}

function NoMatch() {
  return (
    <Empty icon={IconSearch} title="No item matches">
      Remove a filter, or search for a part of a name, a SKU or an id.
    </Empty>
  );
}

interface DeleteModalProps {
  readonly item: Item;
  readonly onClose: () => void;
}

function DeleteModal({ item, onClose }: DeleteModalProps) {
  const saved = useSaved();
  const remove = async () => {
    await call(dashboard.deleteItem, { item_id: item.id });
    await saved(`${item.name} is deleted`);
  };
  return (
    <ConfirmModal title={`Delete ${item.name}?`} submitLabel="Delete" danger onClose={onClose} onConfirm={remove}>
      It disappears from registers and stores. Past sales and reports keep it. Archive it to keep its id.
    </ConfirmModal>
  );
}
