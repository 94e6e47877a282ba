/** All timecards as a list, newest first. */
import { useState } from 'react';
import { usePagedList } from '../../client/list.js';
import { dashboard } from '../../client/operations.js';
import { useAddress } from '../../ui/address.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { IconClock } from '../../ui/icons.js';
import { Empty } from '../../ui/states.js';
import { Tag } from '../../ui/tag.js';
import { Moment, printHours, printTime } from '../../ui/time.js';
import { useBusiness, usePeople } from '../business.js';
import { DaysFilter, useDays } from '../date-filters.js';
import { ChoiceFilter, EmployeeFilter, LocationFilter } from '../filters.js';
import { todayIn } from './days.js';
import { isOpen, secondsWorked, type Timecard } from './timecard.js';
import { TimecardModal, type TimecardTask } from './timecard-modal.js';

export function TimecardState({ card }: { readonly card: Timecard }) {
  if (card.deleted) return <Tag tone="quiet">Deleted</Tag>;
  return isOpen(card) ? <Tag tone="good">Clocked in</Tag> : <Tag tone="quiet">Finished</Tag>;
}

function useColumns(): Column<Timecard>[] {
  const business = useBusiness();
  const { nameOf } = usePeople();
  const zone = (card: Timecard) => business.timezoneOf(card.clockin_location_id);
  const year = todayIn(business.timezoneOf(undefined), business.now()).slice(0, 4);
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
      // Short, so that it fits into one line of a phone.
      cell: (card) => (
        <Moment
          at={card.clockin_time}
          style={card.clockin_time.startsWith(year) ? 'weekday' : 'date'}
          timezone={zone(card)}
        />
      ),
      value: ({ clockin_time }) => clockin_time,
      csv: (card) => printTime(card.clockin_time, 'day', zone(card)),
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
      cell: (card) => <TimecardState card={card} />,
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

export function TimecardList() {
  const [[employee], [location], [deleted]] = [useAddress('employee'), useAddress('location'), useAddress('deleted')];
  const days = useDays(location);
  const list = usePagedList(
    dashboard.listTimecards,
    { employee_id: employee, location_id: location, ...days, deleted: deleted === 'yes' },
    (page) => page.timecards,
  );
  const [task, setTask] = useState<TimecardTask>();
  const { nameOf } = usePeople();
  const isKept = ({ deleted: isDeleted }: Timecard) => !isDeleted;
  return (
    <>
      <DataTable
        name="Timecards"
        list={list}
        columns={useColumns()}
        rowKey={({ id }) => id}
        rowName={({ employee_id }) => nameOf(employee_id)}
        rowLink={({ id }) => `/dashboard/timecards/${id}`}
        actions={[
          { label: 'Edit times', isOffered: isKept, run: (card) => setTask({ kind: 'edit', card }) },
          { label: 'Clock out', isOffered: isOpen, run: (card) => setTask({ kind: 'close', card }) },
          { label: 'Delete', danger: true, isOffered: isKept, run: (card) => setTask({ kind: 'delete', card }) },
        ]}
        filters={
          <>
            <EmployeeFilter />
            <LocationFilter />
            <DaysFilter />
            <ChoiceFilter name="deleted" label="Kept" options={[{ value: 'yes', label: 'Deleted' }]} />
          </>
        }
        empty={
          <Empty icon={IconClock} title="No timecards">
            A timecard begins when an employee clocks in at a register, or when you add one here.
          </Empty>
        }
      />
      {task && <TimecardModal task={task} onClose={() => setTask(undefined)} />}
    </>
  );
}
