/** What registers did and the owner should look at: sales, drawers and timecards. */
import { ActionIcon } from '@mantine/core';
import { call } from '../../client/call.js';
import { usePagedList } from '../../client/list.js';
import { dashboard } from '../../client/operations.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { IconCheck, IconReceipt } from '../../ui/icons.js';
import { Page as Frame } from '../../ui/page.js';
import { useAct } from '../../ui/save.js';
import { Empty } from '../../ui/states.js';
import { TextLink } from '../../ui/text-link.js';
import { Moment } from '../../ui/time.js';
import { useBusiness, usePeople } from '../business.js';
import { type FlaggedWrite, operationName, reasonsOf, toReviewed } from './write.js';

export function Page() {
  return (
    <Frame
      title="Needs review"
      description="What registers did offline and might not have been allowed, and what you may want to know. It is recorded as it happened."
    >
      <FlaggedWrites />
    </Frame>
  );
}

function useColumns(): Column<FlaggedWrite>[] {
  const { timezoneOf } = useBusiness();
  const { nameOf } = usePeople();
  const act = useAct();
  return [
    {
      key: 'time',
      header: 'Time',
      cell: ({ occurred_at }) => <Moment at={occurred_at} timezone={timezoneOf(undefined)} />,
      value: ({ occurred_at }) => occurred_at,
    },
    {
      key: 'what',
      header: 'What',
      cell: (write) =>
        write.sale_id === undefined ? (
          operationName(write)
        ) : (
          <TextLink to={`/dashboard/sales/${write.sale_id}`}>{operationName(write)}</TextLink>
        ),
      value: operationName,
    },
    {
      key: 'employee',
      header: 'Employee',
      cell: ({ employee_id }) => nameOf(employee_id),
      value: ({ employee_id }) => nameOf(employee_id),
      wide: true,
    },
    { key: 'why', header: 'Why', cell: reasonsOf, value: reasonsOf, wide: true },
    {
      key: 'review',
      header: 'Done',
      cell: (write) => (
        <ActionIcon
          size="lg"
          variant="default"
          aria-label={`Mark reviewed: ${operationName(write)} of ${nameOf(write.employee_id)}`}
          onClick={() => act(() => call(dashboard.markReviewed, toReviewed([write])), 'Marked as reviewed')}
        >
          <IconCheck size={18} />
        </ActionIcon>
      ),
      value: () => '',
    },
  ];
}

function FlaggedWrites() {
  const list = usePagedList(dashboard.listFlaggedWrites, {}, ({ writes }) => writes);
  return (
    <DataTable
      name="Flagged"
      list={list}
      columns={useColumns()}
      sortable={false}
      rowKey={({ device_id, write_id }) => `${device_id} ${write_id}`}
      empty={
        <Empty icon={IconReceipt} title="Nothing needs review">
          When a register sells offline, and a price, a permission or a person has changed meanwhile, it appears here.
          So do custom amounts, if discounts need a permission.
        </Empty>
      }
    />
  );
}
