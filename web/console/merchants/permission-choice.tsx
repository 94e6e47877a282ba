/** Chooses permissions. Nothing chosen means all. */
import { MultiSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Permission } from '../../../src/identity/permissions.js';
import { call } from '../../client/call.js';
import { sandbox } from '../../client/sandbox-operations.js';

interface PermissionChoiceProps {
  readonly merchantId: string;
  readonly value: readonly Permission[];
  readonly onChange: (value: Permission[]) => void;
  readonly error: string | undefined;
}

/** Offers the permissions of the merchant's tokens, because its first token has all that exist. */
export function PermissionChoice({ merchantId, value, onChange, error }: PermissionChoiceProps) {
  const { data } = useQuery({
    queryKey: ['listTokens', { merchant_id: merchantId }],
    queryFn: () => call(sandbox.listTokens, { merchant_id: merchantId }),
  });
  const offered = [...new Set((data?.tokens ?? []).flatMap(({ permissions }) => permissions))].sort();
  return (
    <MultiSelect
      label="Permissions"
      description="If you choose none, the token gets all permissions."
      placeholder={value.length === 0 ? 'All' : ''}
      data={offered}
      value={[...value]}
      onChange={(chosen) => onChange(chosen as Permission[])}
      searchable
      clearable
      error={error}
    />
  );
}
