/** Fields for the members of an object. Those that are required or have a value come first; a button shows the others. */
import { Button, Stack } from '@mantine/core';
import { useState } from 'react';
import type { DescribedApi, Schema } from './described.js';
import { ValueField } from './value-field.js';

/** If there are no more members than this, all are shown at once. */
const FEW = 4;

interface MembersProps {
  readonly schema: Schema;
  readonly models: DescribedApi['models'];
  readonly value: Readonly<Record<string, unknown>>;
  readonly onChange: (value: Readonly<Record<string, unknown>>) => void;
  readonly errors?: Readonly<Record<string, string>>;
}

export function Members({ schema, models, value, onChange, errors = {} }: MembersProps) {
  const { properties = {}, required = [] } = schema;
  const names = Object.keys(properties);
  const [first] = useState(() => names.filter((name) => required.includes(name) || value[name] !== undefined));
  const [isOpen, setOpen] = useState(names.length <= FEW);
  const shown = isOpen ? names : names.filter((name) => first.includes(name) || value[name] !== undefined);
  return (
    <Stack gap="sm">
      {shown.map((name) => (
        <ValueField
          key={name}
          name={name}
          schema={properties[name] ?? {}}
          isRequired={required.includes(name)}
          models={models}
          value={value[name]}
          onChange={(next) => onChange({ ...value, [name]: next })}
          error={errors[name]}
        />
      ))}
      {!isOpen && shown.length < names.length && (
        <Button variant="subtle" size="compact-sm" w="fit-content" onClick={() => setOpen(true)}>
          {`Show ${names.length - shown.length} more fields`}
        </Button>
      )}
    </Stack>
  );
}
