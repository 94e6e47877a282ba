/** Filters by day above a table. Days are those of the location, or of the first one if all are shown. */
import { Group, TextInput } from '@mantine/core';
import { DAY_MS, instant, parseTime, printSeconds } from '../../src/base/time.js';
import { startOfDay } from '../../src/base/time-zones.js';
import { useAddress } from '../ui/address.js';
import { useBusiness } from './business.js';

function DayFilter({ name, label }: { readonly name: string; readonly label: string }) {
  const [value = '', setValue] = useAddress(name);
  return (
    <TextInput
      type="date"
      size="xs"
      aria-label={label}
      title={label}
      value={value}
      onChange={({ currentTarget }) => setValue(currentTarget.value || undefined)}
    />
  );
}

/** Both days are included. */
export function DaysFilter() {
  return (
    <Group gap={6} wrap="nowrap">
      <DayFilter name="from" label="From" />
      <DayFilter name="to" label="To" />
    </Group>
  );
}

/** The instants of the days in the address bar, for an operation. */
export function useDays(locationId: string | undefined): { readonly begin_time?: string; readonly end_time?: string } {
  const { timezoneOf } = useBusiness();
  const [[from], [to]] = [useAddress('from'), useAddress('to')];
  const zone = timezoneOf(locationId);
  const [first, last] = [from, to].map((day) => (day === undefined ? undefined : parseTime(day)));
  return {
    ...(first !== undefined && { begin_time: printSeconds(startOfDay(zone, first)) }),
    ...(last !== undefined && { end_time: printSeconds(startOfDay(zone, instant(last + DAY_MS))) }),
  };
}
