/** Sets the passcode of an employee. */
import { PasswordInput, Text } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import { FormModal } from '../../ui/form-modal.js';
import { useSaved } from '../../ui/save.js';
import { type Employee, employeeName } from '../business.js';

interface PasscodeModalProps {
  readonly employee: Employee;
  readonly onClose: () => void;
}

export function PasscodeModal({ employee, onClose }: PasscodeModalProps) {
  const [passcode, setPasscode] = useState('');
  const saved = useSaved();
  const save = async () => {
    await call(dashboard.setPasscode, { employee_id: employee.id, passcode });
    await saved(`${employeeName(employee)} has a new passcode`);
  };
  return (
    <FormModal
      title={`Passcode of ${employeeName(employee)}`}
      submitLabel="Set passcode"
      onClose={onClose}
      onSubmit={save}
    >
      {(errorOf) => (
        <>
          <Text c="dimmed">4 to 12 digits. The employee is signed out at all registers.</Text>
          <PasswordInput
            label="New passcode"
            inputMode="numeric"
            pattern="[0-9]{4,12}"
            autoComplete="off"
            required
            value={passcode}
            onChange={(event) => setPasscode(event.currentTarget.value)}
            error={errorOf('passcode')}
            data-autofocus
          />
        </>
      )}
    </FormModal>
  );
}
