/** Opening hours, day by day. A day can have several periods, or none. */
import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '../../ui/icons.js';
import { DAYS, type Day, type Period } from './draft.js';
import classes from './location.module.css';

const NAMES: Readonly<Record<Day, string>> = {
  MON: 'Monday',
  TUE: 'Tuesday',
  WED: 'Wednesday',
  THU: 'Thursday',
  FRI: 'Friday',
  SAT: 'Saturday',
  SUN: 'Sunday',
};

interface HoursInputProps {
  readonly value: readonly Period[];
  readonly onChange: (value: readonly Period[]) => void;
  readonly error: string | undefined;
}

export function HoursInput({ value, onChange, error }: HoursInputProps) {
  const replace = (old: Period, changed?: Period): void =>
    onChange(value.flatMap((each) => (each === old ? (changed ? [changed] : []) : [each])));
  const monday = value.filter(({ day }) => day === 'MON');
  return (
    <Stack gap="xs">
      {DAYS.map((day) => {
        const periods = value.filter((period) => period.day === day);
        return (
          <div key={day} className={classes['day']}>
            <Text className={classes['dayName'] ?? ''}>{NAMES[day]}</Text>
            <Stack gap={6} className={classes['periods'] ?? ''}>
              {periods.length === 0 && (
                <Text c="dimmed" className={classes['closed'] ?? ''}>
                  Closed
                </Text>
              )}
              {periods.map((period, index) => (
                <Group key={`${day}-${String(index)}`} gap={6} wrap="nowrap">
                  <TextInput
                    type="time"
                    className={classes['time'] ?? ''}
                    required
                    aria-label={`${NAMES[day]} from`}
                    value={period.start}
                    onChange={(event) => replace(period, { ...period, start: event.currentTarget.value })}
                  />
                  <Text span>–</Text>
                  <TextInput
                    type="time"
                    className={classes['time'] ?? ''}
                    required
                    aria-label={`${NAMES[day]} until`}
                    value={period.end}
                    onChange={(event) => replace(period, { ...period, end: event.currentTarget.value })}
                  />
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={`Remove hours of ${NAMES[day]}`}
                    onClick={() => replace(period)}
                  >
                    <IconX size={17} />
                  </ActionIcon>
                </Group>
              ))}
            </Stack>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Add hours on ${NAMES[day]}`}
              onClick={() =>
                onChange([
                  ...value,
                  { day, start: periods.length > 0 ? '18:00' : '09:00', end: periods.length > 0 ? '22:00' : '17:00' },
                ])
              }
            >
              <IconPlus size={17} />
            </ActionIcon>
          </div>
        );
      })}
      {monday.length > 0 && (
        <Group>
          <Button
            size="compact-sm"
            variant="subtle"
            onClick={() => onChange(DAYS.flatMap((day) => monday.map((period) => ({ ...period, day }))))}
          >
            Same hours every day
          </Button>
        </Group>
      )}
      {error !== undefined && (
        <Text size="sm" c="var(--danger-text)" role="alert">
          {error}
        </Text>
      )}
    </Stack>
  );
}
