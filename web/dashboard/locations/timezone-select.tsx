/** Chooses a time zone of the IANA database by its name. */
import { Select } from '@mantine/core';

const ZONES = Intl.supportedValuesOf('timeZone');

interface TimezoneSelectProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly description: string;
  readonly isFixed?: boolean;
  readonly error?: string | undefined;
}

export function TimezoneSelect({ value, onChange, description, isFixed = false, error }: TimezoneSelectProps) {
  return (
    <Select
      label="Time zone"
      description={description}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      searchable
      required
      allowDeselect={false}
      nothingFoundMessage="No such time zone"
      limit={100}
      data={ZONES.includes(value) ? ZONES : [value, ...ZONES]}
      value={value}
      disabled={isFixed}
      onChange={(chosen) => chosen && onChange(chosen)}
      error={error}
    />
  );
}
