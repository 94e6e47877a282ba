/** Creates an access token of a merchant with chosen permissions. */
import { Select } from '@mantine/core';
import { useState } from 'react';
import type { Permission } from '../../../src/identity/permissions.js';
import { call } from '../../client/call.js';
import { sandbox } from '../../client/sandbox-operations.js';
import { FormModal } from '../../ui/form-modal.js';
import { useSaved } from '../../ui/save.js';
import { PermissionChoice } from './permission-choice.js';

const MINUTE_MS = 60_000;
const LIFETIMES = [
  { value: '', label: 'Does not expire' },
  { value: '1', label: 'A minute' },
  { value: '60', label: 'An hour' },
  { value: '43200', label: '30 days' },
];

interface NewTokenModalProps {
  readonly merchantId: string;
  readonly onClose: () => void;
  readonly onCreated: (token: string) => void;
}

export function NewTokenModal({ merchantId, onClose, onCreated }: NewTokenModalProps) {
  const [permissions, setPermissions] = useState<readonly Permission[]>([]);
  const [minutes, setMinutes] = useState('');
  const saved = useSaved();
  const create = async () => {
    const { access_token } = await call(sandbox.createToken, {
      merchant_id: merchantId,
      ...(permissions.length > 0 && { permissions: [...permissions] }),
      ...(minutes !== '' && { expires_at: new Date(Date.now() + Number(minutes) * MINUTE_MS).toISOString() }),
    });
    onCreated(access_token);
    await saved('The token is created');
  };
  return (
    <FormModal title="Create an access token" submitLabel="Create" onClose={onClose} onSubmit={create}>
      {(errorOf) => (
        <>
          <PermissionChoice
            merchantId={merchantId}
            value={permissions}
            onChange={setPermissions}
            error={errorOf('permissions')}
          />
          <Select
            label="Valid for"
            data={LIFETIMES}
            value={minutes}
            allowDeselect={false}
            onChange={(chosen) => setMinutes(chosen ?? '')}
          />
        </>
      )}
    </FormModal>
  );
}
