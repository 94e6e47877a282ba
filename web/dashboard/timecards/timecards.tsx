/** Timecards: who worked when, with what the owner may correct. */
import { useState } from 'react';
import { usePagedList } from '../../client/list.js';
import { dashboard } from '../../client/operations.js';
import { useAddress } from '../../ui/address.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { IconClock } from '../../ui/icons.js';
import { Page as Frame } from '../../ui/page.js';
import { Empty } from '../../ui/states.js';
import { Tag } from '../../ui/tag.js';
import { Moment, printHours, printTime } from '../../ui/time.js';
import { useBusiness, usePeople } from '../business.js';
import { ChoiceFilter, EmployeeFilter } from '../filters.js';
import { NotApproved } from '../not-approved.js';
import { isOpen, secondsWorked, type Timecard } from './timecard.js';
import { TimecardModal, type TimecardTask } from './timecard-modal.js';

export function Page() {
  const { isApproved } = useBusiness();
  return (
    <Frame title="Timecards" description="Who worked when, newest first. Times are those of the location.">
      {isApproved ? <Timecards /> : <NotApproved />}
    </Frame>
  );
}

function State({ card }: { readonly card: Timecard }) {
  if (card.deleted) return <Tag tone="quiet">Deleted</Tag>;
  return isOpen(card) ? <Tag tone="good">Clocked in</Tag> : <Tag tone="quiet">Finished</Tag>;
}

function useColumns(): Column<Timecard>[] {
  const business = useBusiness();
  const { nameOf } = usePeople();
  const zone = (card: Timecard) => business.timezoneOf(card.clockin_location_id);
  return [
    {
      key: 'employee',
      header: 'Employee',
      cell: ({ employee_id }) => nameOf(employee_id),
      value: ({ employee_id }) => nameOf(employee_id),
    },
    {
      key: 'day',
      header: 'Day',
      cell: (card) => printTime(card.clockin_time, 'day', zone(card)),
      value: ({ clockin_time }) => clockin_time,
    },
    {
      key: 'in',
      header: 'In',
      cell: (card) => <Moment at={card.clockin_time} style="time" timezone={zone(card)} />,
      value: (card) => printTime(card.clockin_time, 'time', zone(card)),
      wide: true,
    },
    {
      key: 'out',
      header: 'Out',
      cell: (card) => card.clockout_time && <Moment at={card.clockout_time} style="time" timezone={zone(card)} />,
      value: (card) => card.clockout_time && printTime(card.clockout_time, 'time', zone(card)),
      wide: true,
    },
    {
      key: 'location',
      header: 'Location',
      cell: ({ clockin_location_id }) => business.locationName(clockin_location_id),
      value: ({ clockin_location_id }) => business.locationName(clockin_location_id),
      wide: true,
    },
    {
      key: 'state',
      header: 'State',
      cell: (card) => <State card={card} />,
      value: (card) => (isOpen(card) ? 'open' : 'finished'),
      wide: true,
    },
    {
      key: 'hours',
      header: 'Hours',
      align: 'right',
      cell: (card) => printHours(secondsWorked(card, business)),
      value: (card) => Math.round(secondsWorked(card, business) / 36) / 100,
    },
  ];
}

function Timecards() {
  const [[employee], [deleted]] = [useAddress('employee'), useAddress('deleted')];
  const list = usePagedList(
    dashboard.listTimecards,
    { employee_id: employee, deleted: deleted === 'yes' },
    (page) => page.timecards,
  );
  const [task, setTask] = useState<TimecardTask>();
  const { nameOf } = usePeople();
  const columns = useColumns();
  return (
    <>
      <DataTable
        name="Timecards"
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ employee_id }) => nameOf(employee_id)}
        actions={[
          {
            label: 'Edit times',
            isOffered: ({ deleted: gone }) => !gone,
            run: (card) => setTask({ kind: 'edit', card }),
          },
          { label: 'Clock out', isOffered: isOpen, run: (card) => setTask({ kind: 'close', card }) },
          {
            label: 'Delete',
            danger: true,
            isOffered: ({ deleted: gone }) => !gone,
            run: (card) => setTask({ kind: 'delete', card }),
          },
        ]}
        filters={
          <>
            <EmployeeFilter />
            <ChoiceFilter name="deleted" label="Kept" options={[{ value: 'yes', label: 'Deleted' }]} />
          </>
        }
        empty={
          <Empty icon={IconClock} title="No timecards">
            A timecard begins when an employee clocks in at a register, or when an application creates one.
          </Empty>
        }
      />
      {task && <TimecardModal task={task} onClose={() => setTask(undefined)} />}
    </>
  );
}
