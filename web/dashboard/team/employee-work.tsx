/** The work of one employee: hours of this week, and the latest timecards. */
import { Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import { Figures } from '../../ui/figures.js';
import { Link } from '../../ui/link.js';
import { QueryView } from '../../ui/query-view.js';
import { Card } from '../../ui/states.js';
import { Tag } from '../../ui/tag.js';
import { printHours, printTime } from '../../ui/time.js';
import { useBusiness } from '../business.js';
import { addDays, mondayOf, todayIn } from '../timecards/days.js';
import { isOpen, secondsWorked, type Timecard } from '../timecards/timecard.js';
import classes from './employee-work.module.css';

const LATEST = 8;

function useHours(employeeId: string, begin: string, end: string) {
  const input = { employee_id: employeeId, begin_date: begin, end_date: end };
  return useQuery({ queryKey: ['listHours', input], queryFn: () => call(dashboard.listHours, input) });
}

export function WorkFigures({ employeeId }: { readonly employeeId: string }) {
  const { now, timezoneOf } = useBusiness();
  const today = todayIn(timezoneOf(undefined), now());
  const monday = mondayOf(today);
  const [week, before] = [
    useHours(employeeId, monday, addDays(monday, 6)).data,
    useHours(employeeId, addDays(monday, -7), addDays(monday, -1)).data,
  ];
  const soon = <Skeleton height={20} width={70} my={6} />;
  const days = week?.employees[0]?.days ?? [];
  return (
    <Figures
      figures={[
        {
          name: 'Hours this week',
          value: week ? printHours(week.seconds) : soon,
          note: week?.employees[0]?.clocked_in ? 'clocked in now' : undefined,
        },
        { name: 'Today', value: week ? printHours(days.find(({ date }) => date === today)?.seconds ?? 0) : soon },
        { name: 'Days this week', value: week ? days.length : soon },
        { name: 'Hours last week', value: before ? printHours(before.seconds) : soon },
      ]}
    />
  );
}

export function LatestWork({ employeeId }: { readonly employeeId: string }) {
  const query = useQuery({
    queryKey: ['listTimecards', 'latest', employeeId],
    queryFn: () => call(dashboard.listTimecards, { employee_id: employeeId, deleted: false, limit: LATEST }),
  });
  return (
    <Card padded>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          Latest timecards
        </Title>
        <Link
          to="/dashboard/timecards"
          search={{ tab: 'list', employee: employeeId }}
          className={classes['link'] ?? ''}
        >
          All timecards
        </Link>
      </Group>
      <QueryView
        query={query}
        isEmpty={({ timecards }) => timecards.length === 0}
        empty={
          <Text c="dimmed" py="md">
            None yet. A timecard begins when the employee clocks in at a register, or when you add one.
          </Text>
        }
      >
        {({ timecards }) => (
          <ul className={classes['cards']}>
            {timecards.map((card) => (
              <CardLine key={card.id} card={card} />
            ))}
          </ul>
        )}
      </QueryView>
    </Card>
  );
}

function CardLine({ card }: { readonly card: Timecard }) {
  const business = useBusiness();
  const zone = business.timezoneOf(card.clockin_location_id);
  const [begin, end] = [card.clockin_time, card.clockout_time].map((time) => time && printTime(time, 'time', zone));
  const place = business.locationName(card.clockin_location_id);
  return (
    <li className={classes['card']}>
      <Stack gap={0} miw={0}>
        <Link to={`/dashboard/timecards/${card.id}`} className={classes['link'] ?? ''}>
          {printTime(card.clockin_time, 'day', zone)}
        </Link>
        <Text span size="sm" c="dimmed">
          {begin} to {end ?? 'now'}
          {place !== '' && `, ${place}`}
        </Text>
      </Stack>
      {isOpen(card) ? (
        <Tag tone="good">Clocked in</Tag>
      ) : (
        <Text span style={{ whiteSpace: 'nowrap' }}>
          {printHours(secondsWorked(card, business))}
        </Text>
      )}
    </li>
  );
}
