/** Creates a personal token with chosen permissions. */
import { Button, Checkbox, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Permission } from '../../../src/identity/permissions.js';
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import { FormModal } from '../../ui/form-modal.js';
import { useSaved } from '../../ui/save.js';

const LIFETIMES = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'A year' },
  { value: '', label: 'Does not expire' },
];
const DAY_MS = 86_400_000;

interface NewTokenModalProps {
  readonly onClose: () => void;
  readonly onCreated: (token: string) => void;
}

export function NewTokenModal({ onClose, onCreated }: NewTokenModalProps) {
  const [label, setLabel] = useState('');
  const [permissions, setPermissions] = useState<string[]>([]);
  const [days, setDays] = useState('90');
  const saved = useSaved();
  const create = async () => {
    const { access_token } = await call(dashboard.createToken, {
      label,
      permissions: permissions as Permission[],
      ...(days !== '' && { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
    });
    onCreated(access_token);
    await saved('The token is created');
  };
  return (
    <FormModal title="Create a personal token" submitLabel="Create" onClose={onClose} onSubmit={create}>
      {(errorOf) => (
        <>
          <TextInput
            label="Label"
            description="What the token is for, such as “Bookkeeping”."
            required
            maxLength={255}
            value={label}
            onChange={(event) => setLabel(event.currentTarget.value)}
            error={errorOf('label')}
            data-autofocus
          />
          <Select
            label="Valid for"
            data={LIFETIMES}
            value={days}
            allowDeselect={false}
            onChange={(chosen) => setDays(chosen ?? '')}
            error={errorOf('expires_at')}
          />
          <Permissions value={permissions} onChange={setPermissions} error={errorOf('permissions')} />
        </>
      )}
    </FormModal>
  );
}

interface PermissionsProps {
  readonly value: string[];
  readonly onChange: (value: string[]) => void;
  readonly error: string | undefined;
}

/** In the words of the page on which applications are authorized. */
function Permissions({ value, onChange, error }: PermissionsProps) {
  const { data } = useQuery({ queryKey: ['listTokens', {}], queryFn: () => call(dashboard.listTokens) });
  const offered = data?.permissions ?? [];
  const readOnly = offered.map(({ permission }) => permission).filter((name) => name.endsWith('_READ'));
  return (
    <Checkbox.Group label="It may" required value={value} onChange={onChange} error={error}>
      <Group gap="xs" my={6}>
        <Button size="compact-xs" variant="default" onClick={() => onChange(readOnly)}>
          See everything
        </Button>
        <Button size="compact-xs" variant="default" onClick={() => onChange([])}>
          Nothing
        </Button>
      </Group>
      <Stack
        gap="xs"
        py={4}
        mah={260}
        style={{ overflowY: 'auto' }}
        tabIndex={0}
        role="region"
        aria-label="Permissions"
      >
        {offered.map(({ permission, description }) => (
          <Checkbox
            key={permission}
            value={permission}
            label={description}
            description={
              <Text span size="xs" ff="monospace">
                {permission}
              </Text>
            }
          />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
