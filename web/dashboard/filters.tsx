/** Filters above a table. Their values are in the address bar. */
import { Select, Text, TextInput } from '@mantine/core';
import { useAddress } from '../ui/address.js';
import { employeeName, useBusiness, usePeople } from './business.js';

interface Option {
  readonly value: string;
  readonly label: string;
}

interface ChoiceFilterProps {
  readonly name: string;
  readonly label: string;
  readonly options: readonly Option[];
  /** With its label above it, beside other fields of a form. */
  readonly size?: 'sm';
}

/** Nothing chosen means all. */
export function ChoiceFilter({ name, label, options, size }: ChoiceFilterProps) {
  const [value, setValue] = useAddress(name);
  return (
    <Select
      size={size ?? 'xs'}
      style={{ flex: '1 1 110px', maxWidth: 170 }}
      placeholder={size ? 'All' : label}
      {...(size ? { label } : { 'aria-label': label })}
      data={[...options]}
      value={value ?? null}
      onChange={(chosen) => setValue(chosen ?? undefined)}
      clearable
      searchable={options.length > 8}
    />
  );
}

/** A calendar day of the location. */
export function DayFilter({ name, label }: { readonly name: string; readonly label: string }) {
  const [value, setValue] = useAddress(name);
  return (
    <TextInput
      size="xs"
      type="date"
      style={{ flex: '1 1 140px', maxWidth: 170 }}
      aria-label={label}
      leftSection={
        <Text span size="xs" c="dimmed">
          {label}
        </Text>
      }
      leftSectionWidth={44}
      value={value ?? ''}
      onChange={(event) => setValue(event.currentTarget.value || undefined)}
    />
  );
}

export function EmployeeFilter() {
  const { all } = usePeople();
  const options = all.map((employee) => ({ value: employee.id, label: employeeName(employee) }));
  return <ChoiceFilter name="employee" label="Employee" options={options} />;
}

export function LocationFilter({ size }: Pick<ChoiceFilterProps, 'size'>) {
  const { locations } = useBusiness();
  if (locations.length < 2) return null;
  return (
    <ChoiceFilter
      name="location"
      label="Location"
      options={locations.map(({ id, name }) => ({ value: id, label: name }))}
      {...(size && { size })}
    />
  );
}
