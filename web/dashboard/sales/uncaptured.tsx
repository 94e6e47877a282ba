/** Card payments that took no money: authorized and not captured yet, voided, or declined. */

import { cardName } from '../../../src/business/tenders/words.js';
import { usePagedList } from '../../client/list.js';
import { dashboard, type ResponseOf } from '../../client/operations.js';
import { useAddress } from '../../ui/address.js';
import { CopyId } from '../../ui/copy-id.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { explainDecline } from '../../ui/decline-words.js';
import { IconReceipt } from '../../ui/icons.js';
import { moneyColumn } from '../../ui/money-column.js';
import { Empty } from '../../ui/states.js';
import { Tag } from '../../ui/tag.js';
import { Moment } from '../../ui/time.js';
import { useBusiness } from '../business.js';
import { ChoiceFilter, LocationFilter } from '../filters.js';

type Payment = ResponseOf<typeof dashboard.listUncapturedPayments>['payments'][number];

const STATES = {
  APPROVED: { label: 'Authorized', tone: 'warning' },
  CANCELED: { label: 'Voided', tone: 'quiet' },
  FAILED: { label: 'Declined', tone: 'bad' },
} as const;

function explain({ status, error_code: code }: Payment): string | undefined {
  return status === 'FAILED' ? explainDecline(code) : undefined;
}

function useColumns(): Column<Payment>[] {
  const { timezoneOf, locationName } = useBusiness();
  const place = ({ location_id }: Payment) => locationName(location_id);
  return [
    {
      key: 'time',
      header: 'Time',
      cell: ({ created_at, location_id }) => <Moment at={created_at} timezone={timezoneOf(location_id)} />,
      value: ({ created_at }) => created_at,
    },
    {
      key: 'state',
      header: 'State',
      cell: ({ status }) => <Tag tone={STATES[status].tone}>{STATES[status].label}</Tag>,
      value: ({ status }) => STATES[status].label,
    },
    { key: 'card', header: 'Card', cell: cardName, value: cardName, wide: true },
    {
      key: 'details',
      header: 'Details',
      cell: (payment) =>
        explain(payment) ??
        (payment.expires_at && (
          <>
            {payment.expiry_action === 'COMPLETE' ? 'Captured' : 'Expires'}{' '}
            <Moment at={payment.expires_at} timezone={timezoneOf(payment.location_id)} />
          </>
        )),
      value: explain,
      wide: true,
    },
    {
      key: 'expires',
      header: 'Expires',
      cell: ({ expires_at }) => expires_at,
      value: ({ expires_at }) => expires_at,
      csvOnly: true,
    },
    { key: 'location', header: 'Location', cell: place, value: place, wide: 'desktop' },
    {
      key: 'reference',
      header: 'Reference',
      cell: ({ reference_id = '' }) => reference_id,
      value: ({ reference_id }) => reference_id,
      csvOnly: true,
    },
    {
      key: 'id',
      header: 'Payment',
      cell: ({ id }) => <CopyId id={id} label="payment id" />,
      value: ({ id }) => id,
      wide: 'desktop',
      brief: true,
    },
    moneyColumn({ key: 'amount', header: 'Amount', of: ({ amount_money }) => amount_money }),
  ];
}

export function UncapturedPayments() {
  const [[status], [location]] = [useAddress('status'), useAddress('location')];
  const list = usePagedList(
    dashboard.listUncapturedPayments,
    { status: status as Payment['status'] | undefined, location_id: location },
    ({ payments }) => payments,
  );
  const isFiltered = status !== undefined || location !== undefined;
  return (
    <DataTable
      name="Payments that took no money"
      list={list}
      columns={useColumns()}
      sortable={false}
      rowKey={({ id }) => id}
      filters={
        <>
          <ChoiceFilter
            name="status"
            label="State"
            options={Object.entries(STATES).map(([value, { label }]) => ({ value, label }))}
          />
          <LocationFilter />
        </>
      }
      empty={
        isFiltered ? (
          <Empty icon={IconReceipt} title="No payment matches">
            Change or clear the filters above to see the others.
          </Empty>
        ) : (
          <Empty icon={IconReceipt} title="Nothing is waiting, and nothing was declined">
            A card payment that is authorized but not captured appears here, and so do declined and voided ones.
          </Empty>
        )
      }
    />
  );
}
