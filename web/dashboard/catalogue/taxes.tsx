/** The taxes of the catalogue. */
import { Radio, Select, Stack } from '@mantine/core';
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import type { Column } from '../../ui/data-table.js';
import { type Business, useBusiness } from '../business.js';
import type { Tax } from './catalogue-data.js';
import { NameInput, PercentInput, type Places, PlacesInput } from './part-fields.js';
import { PartTable } from './part-table.js';
import { parsePercent, printPercent } from './words.js';

interface Draft extends Places {
  readonly name: string;
  readonly percent: string;
  readonly inclusion: Tax['inclusion_type'];
  readonly appliesToAll: boolean;
}

const LABELS: Readonly<Record<keyof Draft, string>> = {
  name: 'Name',
  percent: 'Percentage',
  inclusion: 'Kind',
  isEverywhere: 'At all locations',
  locationIds: 'Locations',
  appliesToAll: 'Applies to all items',
};

const INCLUSIONS = [
  { value: 'ADDITIVE', label: 'Added to the price' },
  { value: 'INCLUSIVE', label: 'Included in the price' },
];

const printInclusion = ({ inclusion_type }: Tax): string =>
  inclusion_type === 'ADDITIVE' ? 'Added to the price' : 'Included in the price';
const printScope = ({ applies_to_all }: Tax): string => (applies_to_all ? 'All items' : 'Chosen items');
const printPlaces = ({ location_ids }: Tax, { locationName }: Business): string =>
  location_ids?.map(locationName).join(', ') ?? 'All';

function useColumns(): Column<Tax>[] {
  const business = useBusiness();
  return [
    { key: 'name', header: 'Name', cell: ({ name }) => name, value: ({ name }) => name },
    {
      key: 'rate',
      header: 'Rate',
      align: 'right',
      cell: ({ rate }) => printPercent(rate),
      value: ({ rate }) => Number(rate),
      csv: ({ rate }) => rate,
    },
    { key: 'inclusion', header: 'Kind', cell: printInclusion, value: printInclusion, wide: true },
    { key: 'scope', header: 'Applies to', cell: printScope, value: printScope, wide: true },
    {
      key: 'locations',
      header: 'Locations',
      cell: (tax) => printPlaces(tax, business),
      value: (tax) => printPlaces(tax, business),
      wide: true,
    },
  ];
}

function toDraft(row: Tax | undefined): Draft {
  return {
    name: row?.name ?? '',
    percent: row ? printPercent(row.rate).replace(' %', '') : '',
    inclusion: row?.inclusion_type ?? 'ADDITIVE',
    isEverywhere: row?.location_ids === undefined,
    locationIds: row?.location_ids ?? [],
    appliesToAll: row?.applies_to_all ?? true,
  };
}

function readDraft(draft: Draft) {
  const rate = parsePercent(draft.percent);
  if (rate === undefined) throw new Error('Type a percentage from 0 to 100.');
  return {
    name: draft.name,
    rate,
    inclusion_type: draft.inclusion,
    location_ids: draft.isEverywhere ? undefined : [...draft.locationIds],
    applies_to_all: draft.appliesToAll,
  };
}

export function Taxes() {
  const { locationName } = useBusiness();
  return (
    <PartTable<Tax, Draft>
      name="Taxes"
      noun="tax"
      pick={({ taxes }) => taxes}
      columns={useColumns()}
      explanation="Set up the sales tax of each location first. It can apply to everything that you sell, or to items that you choose."
      onDeletion="New sales are no longer taxed with it. Past sales keep it."
      toDraft={toDraft}
      labels={LABELS}
      print={(field, value) => {
        if (field === 'locationIds') return (value as Draft['locationIds']).map(locationName).join(', ');
        if (field === 'inclusion') return INCLUSIONS.find((each) => each.value === value)?.label ?? '';
        return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
      }}
      fields={(draft, change, errorOf) => <Fields draft={draft} change={change} errorOf={errorOf} />}
      create={async (draft) => call(dashboard.createTax, readDraft(draft))}
      update={async (draft, { id, version }) => call(dashboard.updateTax, { ...readDraft(draft), tax_id: id, version })}
      remove={(id) => call(dashboard.deleteTax, { tax_id: id })}
    />
  );
}

interface FieldsProps {
  readonly draft: Draft;
  readonly change: (fields: Partial<Draft>) => void;
  readonly errorOf: (field: string) => string | undefined;
}

function Fields({ draft, change, errorOf }: FieldsProps) {
  return (
    <Stack gap="md">
      <NameInput
        description="Buyers read it on receipts."
        value={draft.name}
        onChange={(name) => change({ name })}
        error={errorOf('name')}
      />
      <PercentInput value={draft.percent} onChange={(percent) => change({ percent })} error={errorOf('rate')} />
      <Select
        label="Kind"
        data={INCLUSIONS}
        allowDeselect={false}
        value={draft.inclusion}
        onChange={(inclusion) => inclusion && change({ inclusion: inclusion as Draft['inclusion'] })}
      />
      <Radio.Group
        label="Applies to"
        value={draft.appliesToAll ? 'all' : 'chosen'}
        onChange={(value) => change({ appliesToAll: value === 'all' })}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="all" label="All items" />
          <Radio value="chosen" label="Items that name it" />
        </Stack>
      </Radio.Group>
      <PlacesInput label="At all locations" value={draft} onChange={change} error={errorOf('location_ids')} />
    </Stack>
  );
}
