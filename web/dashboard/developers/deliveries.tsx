/** The webhook deliveries about the business. */
import { usePagedList } from '../../client/list.js';
import { dashboard, type ResponseOf } from '../../client/operations.js';
import { useAddress } from '../../ui/address.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { IconWebhook } from '../../ui/icons.js';
import { Empty } from '../../ui/states.js';
import { Tag, type Tone } from '../../ui/tag.js';
import { Moment } from '../../ui/time.js';
import { ChoiceFilter } from '../filters.js';

export type Delivery = ResponseOf<typeof dashboard.listWebhookDeliveries>['deliveries'][number];

const STATES: Readonly<Record<Delivery['state'], { readonly label: string; readonly tone: Tone }>> = {
  WAITING: { label: 'Waiting', tone: 'warning' },
  DELIVERED: { label: 'Delivered', tone: 'good' },
  GIVEN_UP: { label: 'Given up', tone: 'bad' },
};

export function DeliveryState({ delivery: { state } }: { readonly delivery: Pick<Delivery, 'state'> }) {
  return <Tag tone={STATES[state].tone}>{STATES[state].label}</Tag>;
}

const COLUMNS: readonly Column<Delivery>[] = [
  { key: 'event', header: 'Event', cell: ({ event_type }) => event_type, value: ({ event_type }) => event_type },
  {
    key: 'state',
    header: 'State',
    cell: (delivery) => <DeliveryState delivery={delivery} />,
    value: ({ state }) => state,
  },
  {
    key: 'about',
    header: 'About',
    cell: ({ entity_id }) => entity_id,
    value: ({ entity_id }) => entity_id,
    wide: true,
  },
  {
    key: 'attempts',
    header: 'Attempts',
    align: 'right',
    cell: ({ attempt_count }) => attempt_count,
    value: ({ attempt_count }) => attempt_count,
    wide: true,
  },
  {
    key: 'created',
    header: 'Recorded',
    cell: ({ created_at }) => <Moment at={created_at} />,
    value: ({ created_at }) => created_at,
  },
];

export function Deliveries() {
  const [state] = useAddress('state');
  const list = usePagedList(
    dashboard.listWebhookDeliveries,
    { state: state as Delivery['state'] | undefined },
    (page) => page.deliveries,
  );
  return (
    <DataTable
      name="Webhook deliveries"
      list={list}
      columns={COLUMNS}
      rowKey={({ id }) => id}
      rowLink={({ id }) => `/dashboard/developers/deliveries/${id}`}
      filters={
        <ChoiceFilter
          name="state"
          label="State"
          options={Object.entries(STATES).map(([value, { label }]) => ({ value, label }))}
        />
      }
      empty={
        <Empty icon={IconWebhook} title="No deliveries">
          Each event that an application subscribed to appears here with every attempt to deliver it, for 30 days by
          default.
        </Empty>
      }
    />
  );
}
