/** Adds a timecard: a finished one, or one that clocks the employee in. */
import { Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { printLocal } from '../../../src/base/time-zones.js';
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import { FormModal } from '../../ui/form-modal.js';
import { useSaved } from '../../ui/save.js';
import { employeeName, useBusiness, usePeople } from '../business.js';
import { toWire } from './timecard-modal.js';

export function NewTimecardModal({ onClose }: { readonly onClose: () => void }) {
  const business = useBusiness();
  const people = usePeople();
  const saved = useSaved();
  const [employee, setEmployee] = useState<string | null>(null);
  const [location, setLocation] = useState(business.locations[0]?.id ?? '');
  const zone = business.timezoneOf(location);
  const [clockin, setClockin] = useState(`${printLocal(zone, business.now()).slice(0, 10)}T09:00`);
  const [clockout, setClockout] = useState('');
  const save = async () => {
    await call(dashboard.createTimecard, {
      employee_id: employee ?? '',
      clockin_time: toWire(clockin, zone, undefined) ?? '',
      clockout_time: toWire(clockout, zone, undefined),
      clockin_location_id: location,
      clockout_location_id: clockout === '' ? undefined : location,
    });
    await saved(`The timecard of ${people.nameOf(employee ?? undefined)} is added`);
  };
  return (
    <FormModal title="Add a timecard" submitLabel="Add" onClose={onClose} onSubmit={save}>
      {(errorOf) => (
        <>
          <Select
            label="Employee"
            required
            data={people.all.map((each) => ({ value: each.id, label: employeeName(each) }))}
            value={employee}
            onChange={setEmployee}
            error={errorOf('employee_id')}
            nothingFoundMessage="Nobody by this name. Add employees on the page Team."
            searchable
            openOnFocus={false}
            data-autofocus
          />
          {business.locations.length > 1 && (
            <Select
              label="Location"
              data={business.locations.map(({ id, name }) => ({ value: id, label: name }))}
              value={location}
              onChange={(id) => id && setLocation(id)}
              error={errorOf('clockin_location_id')}
              allowDeselect={false}
            />
          )}
          <TextInput
            type="datetime-local"
            label="Clocked in"
            description={`Times in ${zone}.`}
            required
            value={clockin}
            onChange={(event) => setClockin(event.currentTarget.value)}
            error={errorOf('clockin_time')}
          />
          <TextInput
            type="datetime-local"
            label="Clocked out"
            description="Leave empty if the employee is still at work."
            value={clockout}
            onChange={(event) => setClockout(event.currentTarget.value)}
            error={errorOf('clockout_time')}
          />
        </>
      )}
    </FormModal>
  );
}
