/** Corrects, closes or deletes a timecard. Times are typed in the time zone of the location. */
import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { instant, parseTime, printSeconds } from '../../../src/base/time.js';
import { parseLocal, printLocal } from '../../../src/base/time-zones.js';
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import { useEdit } from '../../ui/edit.js';
import { EditChanges } from '../../ui/edit-changes.js';
import { FormModal } from '../../ui/form-modal.js';
import { useSaved } from '../../ui/save.js';
import { printHours, printTime } from '../../ui/time.js';
import { useBusiness, usePeople } from '../business.js';
import { secondsWorked, type Timecard } from './timecard.js';

export interface TimecardTask {
  readonly kind: 'edit' | 'close' | 'delete';
  readonly card: Timecard;
}

interface TaskProps {
  readonly card: Timecard;
  readonly onClose: () => void;
}

export function TimecardModal({
  task: { kind, card },
  onClose,
}: {
  readonly task: TimecardTask;
  readonly onClose: () => void;
}) {
  const Task = { edit: Edit, close: Close, delete: Delete }[kind];
  return <Task card={card} onClose={onClose} />;
}

/** Seconds are kept as they were unless the minute changes. */
function toLocal(time: string | undefined, timezone: string): string {
  const at = time === undefined ? undefined : parseTime(time);
  return at === undefined ? '' : printLocal(timezone, at).slice(0, 16);
}

export function toWire(local: string, timezone: string, before: string | undefined): string | undefined {
  if (local === '') return undefined;
  if (local === toLocal(before, timezone)) return before;
  const at = parseLocal(timezone, local);
  return at === undefined ? undefined : printSeconds(at);
}

const LABELS = { clockin: 'Clocked in', clockout: 'Clocked out' } as const;

function Edit({ card, onClose }: TaskProps) {
  const { timezoneOf } = useBusiness();
  const zone = timezoneOf(card.clockin_location_id);
  const valuesOf = ({ clockin_time, clockout_time }: Timecard) => ({
    clockin: toLocal(clockin_time, zone),
    clockout: toLocal(clockout_time, zone),
  });
  // What was seen last: a time whose minute stays the same keeps its seconds.
  const [seen, setSeen] = useState(card);
  const edit = useEdit({ values: valuesOf(card), version: card.version });
  const { typed, set } = edit;
  const saved = useSaved();
  const name = usePeople().nameOf(card.employee_id);
  const save = async () => {
    await edit.save(
      ({ clockin, clockout }, version) =>
        call(dashboard.updateTimecard, {
          timecard_id: card.id,
          clockin_time: toWire(clockin, zone, seen.clockin_time),
          clockout_time: toWire(clockout, zone, seen.clockout_time),
          version,
        }),
      async () => {
        const { timecard } = await call(dashboard.retrieveTimecard, { timecard_id: card.id });
        setSeen(timecard);
        return { values: valuesOf(timecard), version: timecard.version };
      },
    );
    await saved('The timecard is changed');
  };
  return (
    <FormModal title={`Timecard of ${name}`} submitLabel="Save" onClose={onClose} onSubmit={save}>
      {(errorOf) => (
        <>
          <EditChanges edit={edit} labels={LABELS} print={(_, value) => String(value).replace('T', ' ')} />
          <Text c="dimmed">Times in {zone}.</Text>
          <TextInput
            type="datetime-local"
            label={LABELS.clockin}
            required
            value={typed.clockin}
            onChange={(event) => set('clockin', event.currentTarget.value)}
            error={errorOf('clockin_time')}
          />
          <TextInput
            type="datetime-local"
            label={LABELS.clockout}
            required={card.clockout_time !== undefined}
            value={typed.clockout}
            onChange={(event) => set('clockout', event.currentTarget.value)}
            error={errorOf('clockout_time')}
          />
        </>
      )}
    </FormModal>
  );
}

function Close({ card, onClose }: TaskProps) {
  const business = useBusiness();
  const zone = business.timezoneOf(card.clockin_location_id);
  const [clockout, setClockout] = useState(printLocal(zone, instant(business.now())).slice(0, 16));
  const saved = useSaved();
  const name = usePeople().nameOf(card.employee_id);
  const save = async () => {
    await call(dashboard.closeTimecard, { timecard_id: card.id, clockout_time: toWire(clockout, zone, undefined) });
    await saved(`${name} is clocked out`);
  };
  return (
    <FormModal title={`Clock out ${name}`} submitLabel="Clock out" onClose={onClose} onSubmit={save}>
      {(errorOf) => (
        <>
          <Text c="dimmed">
            Clocked in {printTime(card.clockin_time, 'both', zone)}. Times in {zone}.
          </Text>
          <TextInput
            type="datetime-local"
            label="Clocked out"
            required
            value={clockout}
            onChange={(event) => setClockout(event.currentTarget.value)}
            error={errorOf('clockout_time')}
            data-autofocus
          />
        </>
      )}
    </FormModal>
  );
}

function Delete({ card, onClose }: TaskProps) {
  const business = useBusiness();
  const saved = useSaved();
  const name = usePeople().nameOf(card.employee_id);
  const remove = async () => {
    await call(dashboard.deleteTimecard, { timecard_id: card.id });
    await saved('The timecard is deleted');
  };
  const day = printTime(card.clockin_time, 'day', business.timezoneOf(card.clockin_location_id));
  return (
    <FormModal title="Delete this timecard?" submitLabel="Delete" danger onClose={onClose} onSubmit={remove}>
      {() => (
        <Text>
          {printHours(secondsWorked(card, business))} of {name} on {day} no longer count. The card can still be read
          under “Deleted”.
        </Text>
      )}
    </FormModal>
  );
}
