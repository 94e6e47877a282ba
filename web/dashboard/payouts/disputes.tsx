/** Disputed payments: money that is kept back from settlement until the buyer's bank has decided. */
import { usePagedList } from '../../client/list.js';
import { dashboard, type ResponseOf } from '../../client/operations.js';
import { useAddress } from '../../ui/address.js';
import { CopyId } from '../../ui/copy-id.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { IconShieldLock } from '../../ui/icons.js';
import { moneyColumn } from '../../ui/money-column.js';
import { Empty } from '../../ui/states.js';
import { Tag } from '../../ui/tag.js';
import { Moment } from '../../ui/time.js';
import { useBusiness } from '../business.js';
import { ChoiceFilter } from '../filters.js';

type Dispute = ResponseOf<typeof dashboard.listDisputes>['disputes'][number];

function DisputeState({ dispute: { state } }: { readonly dispute: Dispute }) {
  return state === 'HELD' ? <Tag tone="warning">Held back</Tag> : <Tag tone="good">Released</Tag>;
}

function useColumns(): Column<Dispute>[] {
  const { timezoneOf, locationName } = useBusiness();
  const card = ({ card_brand = '', last_4 = '' }: Dispute) => `${card_brand.replaceAll('_', ' ')} ${last_4}`.trim();
  return [
    {
      key: 'placed',
      header: 'Since',
      cell: ({ placed_at, location_id }) => <Moment at={placed_at} timezone={timezoneOf(location_id)} />,
      value: ({ placed_at }) => placed_at,
    },
    {
      key: 'state',
      header: 'State',
      cell: (dispute) => <DisputeState dispute={dispute} />,
      value: ({ state }) => state,
    },
    { key: 'card', header: 'Card', cell: card, value: card, wide: true },
    {
      key: 'location',
      header: 'Location',
      cell: ({ location_id }) => locationName(location_id),
      value: ({ location_id }) => locationName(location_id),
      wide: true,
    },
    {
      key: 'released',
      header: 'Released',
      cell: ({ released_at, location_id }) =>
        released_at && <Moment at={released_at} timezone={timezoneOf(location_id)} />,
      value: ({ released_at }) => released_at,
      wide: true,
    },
    {
      key: 'sale',
      header: 'Sale',
      cell: ({ sale_id }) => <CopyId id={sale_id} label="sale id" />,
      value: ({ sale_id }) => sale_id,
      wide: true,
    },
    moneyColumn({ key: 'amount', header: 'Amount', of: ({ amount_money }) => amount_money }),
  ];
}

export function Disputes() {
  const [state] = useAddress('state');
  const list = usePagedList(
    dashboard.listDisputes,
    { state: state as Dispute['state'] | undefined },
    (page) => page.disputes,
  );
  return (
    <DataTable
      name="Disputes"
      list={list}
      columns={useColumns()}
      rowKey={({ id }) => id}
      rowLink={({ sale_id }) => `/dashboard/sales/${sale_id}`}
      filters={
        <ChoiceFilter
          name="state"
          label="State"
          options={[
            { value: 'HELD', label: 'Held back' },
            { value: 'RELEASED', label: 'Released' },
          ]}
        />
      }
      empty={
        <Empty icon={IconShieldLock} title="No disputes">
          When a buyer disputes a card payment, its money is kept back here until the bank has decided.
        </Empty>
      }
    />
  );
}
