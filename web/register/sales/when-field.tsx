/** Chooses when a sale was made: buyers remember the day, and about what time it was. */
import { printLocal } from '../../../src/base/time-zones.js';
import { useStore } from '../../client/store.js';
import { now } from '../core/clock.js';
import { device } from '../core/device.js';
import { Choices } from '../parts/choices.js';
import { TextField } from '../parts/text-field.js';
import { WHENS, type When } from './when.js';
import classes from './when-field.module.css';

const LABELS: Readonly<Record<When['when'], string>> = {
  ANY: 'Any time',
  HOUR: 'Last hour',
  TODAY: 'Today',
  YESTERDAY: 'Yesterday',
  DAY: 'Another day',
};

const OPTIONS = WHENS.map((value) => ({ value, label: LABELS[value] }));

export function WhenField({ value, onChange }: { readonly value: When; readonly onChange: (value: When) => void }) {
  const timezone = useStore(device)?.location.timezone ?? 'UTC';
  const { when, day, time } = value;
  return (
    <div className={classes['root']}>
      <Choices label="When" options={OPTIONS} chosen={when} onChoose={(next) => onChange({ ...value, when: next })} />
      {when !== 'ANY' && when !== 'HOUR' && (
        <div className={classes['fields']}>
          {when === 'DAY' && (
            <TextField
              label="Day"
              type="date"
              value={day}
              max={printLocal(timezone, now()).slice(0, 10)}
              onChange={(next) => onChange({ ...value, day: next })}
            />
          )}
          <TextField
            label="About what time"
            type="time"
            value={time}
            onChange={(next) => onChange({ ...value, time: next })}
          />
        </div>
      )}
    </div>
  );
}
