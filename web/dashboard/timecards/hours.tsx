/** The hours of each employee in a range of days. */
import { Group, Select, Stack, TextInput } from '@mantine/core';
import { useWholeList } from '../../client/list.js';
import { dashboard, type ResponseOf } from '../../client/operations.js';
import { useAddress, useChangeAddress } from '../../ui/address.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { Figures } from '../../ui/figures.js';
import { IconClock } from '../../ui/icons.js';
import { Empty } from '../../ui/states.js';
import { printHours } from '../../ui/time.js';
import { useBusiness, usePeople } from '../business.js';
import { EmployeeFilter, LocationFilter } from '../filters.js';
import { addDays, firstOfMonth, isDay, mondayOf, todayIn } from './days.js';
import { decimalHours } from './timecard.js';

type Worked = ResponseOf<typeof dashboard.listHours>['employees'][number];

interface Range {
  readonly from: string;
  readonly to: string;
}

function rangesOf(today: string): Readonly<Record<string, Range>> {
  const monday = mondayOf(today);
  const first = firstOfMonth(today);
  const endOfLast = addDays(first, -1);
  return {
    'This week': { from: monday, to: addDays(monday, 6) },
    'Last week': { from: addDays(monday, -7), to: addDays(monday, -1) },
    'This month': { from: first, to: today },
    'Last month': { from: firstOfMonth(endOfLast), to: endOfLast },
  };
}

function useColumns(): Column<Worked>[] {
  const { nameOf, all } = usePeople();
  const external = ({ employee_id }: Worked) => all.find(({ id }) => id === employee_id)?.external_id ?? '';
  return [
    {
      key: 'employee',
      header: 'Employee',
      cell: ({ employee_id }) => nameOf(employee_id),
      value: ({ employee_id }) => nameOf(employee_id),
    },
    { key: 'external', header: 'External id', cell: external, value: external, wide: true },
    {
      key: 'days',
      header: 'Days',
      align: 'right',
      cell: ({ days }) => days.length,
      value: ({ days }) => days.length,
    },
    {
      key: 'hours',
      header: 'Hours',
      align: 'right',
      cell: ({ seconds, clocked_in }) => `${printHours(seconds)}${clocked_in ? ' so far' : ''}`,
      value: ({ seconds }) => seconds,
      csv: ({ seconds }) => decimalHours(seconds),
    },
    {
      key: 'minutes',
      header: 'Minutes',
      align: 'right',
      cell: ({ seconds }) => Math.floor(seconds / 60),
      value: ({ seconds }) => Math.floor(seconds / 60),
      wide: true,
    },
  ];
}

/** A range in the address bar; else this month. */
function useRange(): {
  readonly range: Range;
  readonly ranges: Readonly<Record<string, Range>>;
  readonly set: (range: Range) => void;
} {
  const { now, timezoneOf } = useBusiness();
  const [[from], [to], [location]] = [useAddress('from'), useAddress('to'), useAddress('location')];
  const change = useChangeAddress();
  const ranges = rangesOf(todayIn(timezoneOf(location), now()));
  const first = { from: '', to: '', ...ranges['This month'] };
  return {
    ranges,
    range: { from: isDay(from) ? from : first.from, to: isDay(to) ? to : first.to },
    set: (next) => change({ ...next }),
  };
}

function RangeFilter() {
  const { range, ranges, set } = useRange();
  const name = Object.entries(ranges).find(([, each]) => each.from === range.from && each.to === range.to)?.[0];
  return (
    <Group gap={6} wrap="wrap">
      <Select
        size="xs"
        w={130}
        aria-label="Range"
        placeholder="Other"
        data={Object.keys(ranges)}
        value={name ?? null}
        allowDeselect={false}
        onChange={(chosen) => chosen && ranges[chosen] && set(ranges[chosen])}
      />
      {(['from', 'to'] as const).map((end) => (
        <TextInput
          key={end}
          type="date"
          size="xs"
          aria-label={end === 'from' ? 'From' : 'To'}
          value={range[end]}
          onChange={({ currentTarget: { value } }) => isDay(value) && set({ ...range, [end]: value })}
        />
      ))}
    </Group>
  );
}

export function Hours() {
  const [[employee], [location]] = [useAddress('employee'), useAddress('location')];
  const { range } = useRange();
  const input = { begin_date: range.from, end_date: range.to, employee_id: employee, location_id: location };
  const list = useWholeList(dashboard.listHours, input, ({ employees }) => employees);
  const total = list.rows?.reduce((sum, { seconds }) => sum + seconds, 0) ?? 0;
  const count = list.rows?.length ?? 0;
  return (
    <Stack gap="lg">
      {count > 0 && (
        <Figures
          figures={[
            { name: 'Hours', value: printHours(total) },
            { name: 'Employees', value: count },
            { name: 'Average', value: printHours(total / count) },
          ]}
        />
      )}
      <DataTable
        name="Hours"
        list={list}
        columns={useColumns()}
        rowKey={({ employee_id }) => employee_id}
        rowLink={({ employee_id }) => `/dashboard/team/${employee_id}`}
        filters={
          <>
            <RangeFilter />
            <EmployeeFilter />
            <LocationFilter />
          </>
        }
        empty={
          <Empty icon={IconClock} title="No hours in this range">
            Hours come from timecards: employees clock in at a register, or you add a timecard. Choose another range
            above to look further back.
          </Empty>
        }
      />
    </Stack>
  );
}
