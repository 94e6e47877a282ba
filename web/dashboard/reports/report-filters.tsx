/** What a report shows: range, grouping, location and comparison. All of it is in the address. */
import { Group, Select, Switch, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { LocationFilter } from '../filters.js';
import { GROUPS, type Group as Grouping, RANGES, type Range } from './terms.js';

export interface Choice {
  readonly range: Range;
  /** A preset, or `custom`. */
  readonly preset: string;
  readonly today: string;
  readonly group: Grouping;
  readonly location: string | undefined;
  readonly compares: boolean;
}

type Search = Readonly<Record<string, string | undefined>>;

/** Changes several parameters at once, so that there is one entry in the history, and one request. */
function useAddresses(): (changed: Search) => void {
  const navigate = useNavigate();
  return (changed) => {
    const change = (before: Search) => ({ ...before, ...changed });
    void navigate({ to: '.', search: change as never, replace: true });
  };
}

export function ReportFilters({ choice }: { readonly choice: Choice }) {
  const { range, preset, group, compares, today } = choice;
  const set = useAddresses();
  const setDay = (name: 'begin' | 'end', day: string): void => {
    if (day === '') return;
    const days = { ...range, [name]: day };
    // The other end moves along, so that the range never ends before it begins.
    const other = days.begin > days.end ? { begin: day, end: day } : days;
    set({ range: 'custom', ...other });
  };
  return (
    <Group gap="sm" align="flex-end">
      <Select
        label="Range"
        w={160}
        data={[...RANGES.map(({ value, label }) => ({ value, label })), { value: 'custom', label: 'Custom days' }]}
        value={preset}
        allowDeselect={false}
        onChange={(value) =>
          value === 'custom'
            ? set({ range: 'custom', ...range })
            : set({ range: value ?? undefined, begin: undefined, end: undefined })
        }
      />
      {preset === 'custom' && (
        <>
          <TextInput
            label="From"
            type="date"
            max={today}
            value={range.begin}
            onChange={({ currentTarget }) => setDay('begin', currentTarget.value)}
          />
          <TextInput
            label="To"
            type="date"
            value={range.end}
            onChange={({ currentTarget }) => setDay('end', currentTarget.value)}
          />
        </>
      )}
      <Select
        label="Group by"
        w={150}
        data={[...GROUPS]}
        value={group}
        allowDeselect={false}
        maxDropdownHeight={460}
        onChange={(value) => set({ group: value ?? undefined, sort: undefined, figure: undefined })}
      />
      <LocationFilter size="sm" />
      <Switch
        label="Compare with the period before"
        checked={compares}
        onChange={({ currentTarget }) => set({ compare: currentTarget.checked ? undefined : 'no' })}
        mb={8}
      />
    </Group>
  );
}
