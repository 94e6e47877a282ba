/** Fields that several forms of the catalogue have. */
import { ActionIcon, Button, Group, MultiSelect, Stack, Switch, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { IconPlus, IconTrash } from '../../ui/icons.js';
import { useBusiness } from '../business.js';

interface TextProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error: string | undefined;
  readonly description?: string;
}

export function NameInput({ onChange, ...props }: TextProps) {
  return (
    <TextInput
      label="Name"
      required
      maxLength={255}
      data-autofocus
      onChange={(event) => onChange(event.currentTarget.value)}
      {...props}
    />
  );
}

export function PercentInput({ onChange, ...props }: TextProps) {
  return (
    <TextInput
      label="Percentage"
      required
      inputMode="decimal"
      rightSection="%"
      onChange={(event) => onChange(event.currentTarget.value)}
      {...props}
    />
  );
}

/** Where something holds: everywhere, or at some locations. */
export interface Places {
  readonly isEverywhere: boolean;
  readonly locationIds: readonly string[];
}

interface PlacesInputProps {
  readonly label: string;
  readonly value: Places;
  readonly onChange: (places: Partial<Places>) => void;
  readonly error: string | undefined;
}

export function PlacesInput({ label, value: { isEverywhere, locationIds }, onChange, error }: PlacesInputProps) {
  const { locations } = useBusiness();
  return (
    <>
      <Switch
        label={label}
        checked={isEverywhere}
        onChange={(event) => onChange({ isEverywhere: event.currentTarget.checked })}
      />
      {!isEverywhere && (
        <MultiSelect
          label="Locations"
          required={locationIds.length === 0}
          placeholder="Choose at least one"
          data={locations.map(({ id, name }) => ({ value: id, label: name }))}
          value={[...locationIds]}
          onChange={(ids) => onChange({ locationIds: ids })}
          error={error}
        />
      )}
    </>
  );
}

interface Row {
  /** For React: the id, or anything unique for a new row. */
  readonly key: string;
  readonly name: string;
}

interface RowsInputProps<Each extends Row> {
  /** The word for one row, such as option. */
  readonly noun: string;
  readonly most: number;
  readonly value: readonly Each[];
  readonly onChange: (rows: readonly Each[]) => void;
  readonly newRow: () => Each;
  /** The fields of a row, and a button that removes it. */
  readonly row: (row: Each, index: number, change: (fields: Partial<Each>) => void, remove: ReactNode) => ReactNode;
}

/** Rows that can be edited, added and removed. One always stays. */
export function RowsInput<Each extends Row>({ noun, most, value, onChange, newRow, row }: RowsInputProps<Each>) {
  return (
    <Stack gap="sm">
      {value.map((each, index) =>
        row(
          each,
          index,
          (fields) => onChange(value.map((other) => (other.key === each.key ? { ...other, ...fields } : other))),
          <ActionIcon
            variant="subtle"
            color="gray"
            size={36}
            aria-label={`Remove ${noun} ${each.name || index + 1}`}
            disabled={value.length === 1}
            onClick={() => onChange(value.filter(({ key }) => key !== each.key))}
          >
            <IconTrash size={18} />
          </ActionIcon>,
        ),
      )}
      <Group>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={16} />}
          disabled={value.length >= most}
          onClick={() => onChange([...value, newRow()])}
        >
          Add {/^[aeiou]/.test(noun) ? 'an' : 'a'} {noun}
        </Button>
      </Group>
    </Stack>
  );
}
