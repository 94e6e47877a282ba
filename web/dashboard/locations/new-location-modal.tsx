/** Opens another location. Its page asks for the rest. */
import { TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import { FormModal } from '../../ui/form-modal.js';
import { useSaved } from '../../ui/save.js';
import { useBusiness } from '../business.js';
import { TimezoneSelect } from './timezone-select.js';

export function NewLocationModal({ onClose }: { readonly onClose: () => void }) {
  const { timezoneOf } = useBusiness();
  const [name, setName] = useState('');
  const [timezone, setTimezone] = useState(timezoneOf(undefined));
  const [saved, navigate] = [useSaved(), useNavigate()];
  const create = async () => {
    const { location } = await call(dashboard.createLocation, { name, timezone });
    await saved(`${location.name} is added`);
    await navigate({ to: `/dashboard/locations/${location.id}` });
  };
  return (
    <FormModal title="Add a location" submitLabel="Add" onClose={onClose} onSubmit={create}>
      {(errorOf) => (
        <>
          <TextInput
            label="Name"
            description="As your team calls it, such as “Harbour”."
            required
            maxLength={255}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={errorOf('name')}
            data-autofocus
          />
          <TimezoneSelect
            value={timezone}
            onChange={setTimezone}
            description="Decides when a day begins and closes. It is fixed after the first sale."
            error={errorOf('timezone')}
          />
        </>
      )}
    </FormModal>
  );
}
