/** Changes the owner's password. */
import { PasswordInput, Text } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import { FormModal } from '../../ui/form-modal.js';
import { useSaved } from '../../ui/save.js';

export function PasswordModal({ onClose }: { readonly onClose: () => void }) {
  const [[old, setOld], [next, setNext]] = [useState(''), useState('')];
  const saved = useSaved();
  const save = async () => {
    await call(dashboard.changePassword, { old_password: old, new_password: next });
    await saved('The password is changed');
  };
  return (
    <FormModal title="Change password" submitLabel="Change password" onClose={onClose} onSubmit={save}>
      {(errorOf) => (
        <>
          <Text c="dimmed">Every other session ends.</Text>
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            required
            value={old}
            onChange={(event) => setOld(event.currentTarget.value)}
            error={errorOf('old_password')}
            data-autofocus
          />
          <PasswordInput
            label="New password"
            autoComplete="new-password"
            required
            value={next}
            onChange={(event) => setNext(event.currentTarget.value)}
            error={errorOf('new_password')}
          />
        </>
      )}
    </FormModal>
  );
}
