/** One timecard with its history. */
import { Button, Grid, Text, Timeline, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../client/call.js';
import { dashboard, type ResponseOf } from '../../client/operations.js';
import { CopyId } from '../../ui/copy-id.js';
import { Facts } from '../../ui/facts.js';
import { Figures } from '../../ui/figures.js';
import { Page as Frame } from '../../ui/page.js';
import { QueryView } from '../../ui/query-view.js';
import { Card, LoadingBlock } from '../../ui/states.js';
import { TextLink } from '../../ui/text-link.js';
import { Moment, printHours, printTime } from '../../ui/time.js';
import { useBusiness, usePeople } from '../business.js';
import { BackLink } from '../shell/shell.js';
import { isOpen, secondsWorked } from './timecard.js';
import { TimecardState } from './timecard-list.js';
import { TimecardModal, type TimecardTask } from './timecard-modal.js';

type Found = ResponseOf<typeof dashboard.retrieveTimecard>;
type TimecardEvent = Found['events'][number];

const EVENTS: Readonly<Record<TimecardEvent['event_type'], string>> = {
  API_CREATE: 'Created by an application',
  API_EDIT: 'Changed by an application',
  API_DELETE: 'Deleted by an application',
  REGISTER_CLOCKIN: 'Clocked in at a register',
  REGISTER_CLOCKOUT: 'Clocked out at a register',
  DASHBOARD_SUPERVISOR_CLOSE: 'Clocked out in the dashboard',
  DASHBOARD_EDIT: 'Changed in the dashboard',
  DASHBOARD_DELETE: 'Deleted in the dashboard',
};

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const query = useQuery({
    queryKey: ['retrieveTimecard', id],
    queryFn: () => call(dashboard.retrieveTimecard, { timecard_id: id }),
  });
  return (
    <QueryView query={query} loading={<LoadingBlock height={320} />}>
      {(found) => <TimecardPage found={found} />}
    </QueryView>
  );
}

function TimecardPage({ found: { timecard: card, events } }: { readonly found: Found }) {
  const business = useBusiness();
  const name = usePeople().nameOf(card.employee_id);
  const [task, setTask] = useState<TimecardTask['kind']>();
  const zone = business.timezoneOf(card.clockin_location_id);
  return (
    <Frame
      title={`${name}, ${printTime(card.clockin_time, 'day', zone)}`}
      above={<BackLink to="/dashboard/timecards">Timecards</BackLink>}
      actions={
        card.deleted ? (
          <TimecardState card={card} />
        ) : (
          <>
            <Button variant="default" onClick={() => setTask('delete')}>
              Delete
            </Button>
            {isOpen(card) && (
              <Button variant="default" onClick={() => setTask('close')}>
                Clock out
              </Button>
            )}
            <Button onClick={() => setTask('edit')}>Edit times</Button>
          </>
        )
      }
    >
      <Figures
        figures={[
          {
            name: 'Hours',
            value: printHours(secondsWorked(card, business)),
            note: isOpen(card) ? 'so far' : undefined,
          },
          { name: 'Clocked in', value: printTime(card.clockin_time, 'time', zone) },
          {
            name: 'Clocked out',
            value: card.clockout_time ? printTime(card.clockout_time, 'time', zone) : 'not yet',
          },
        ]}
      />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Card padded>
            <Facts
              facts={[
                { name: 'Employee', value: <TextLink to={`/dashboard/team/${card.employee_id}`}>{name}</TextLink> },
                { name: 'State', value: <TimecardState card={card} /> },
                { name: 'Location', value: business.locationName(card.clockin_location_id) || 'None' },
                { name: 'Clocked in', value: <Moment at={card.clockin_time} timezone={zone} /> },
                ...(card.clockout_time
                  ? [{ name: 'Clocked out', value: <Moment at={card.clockout_time} timezone={zone} /> }]
                  : []),
                { name: 'Time zone', value: zone },
                { name: 'Id', value: <CopyId id={card.id} label="timecard id" /> },
              ]}
            />
          </Card>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Card padded>
            <Title order={2} size="h5" mb="md">
              History
            </Title>
            <History events={events} timezone={zone} />
          </Card>
        </Grid.Col>
      </Grid>
      {task && <TimecardModal task={{ kind: task, card }} onClose={() => setTask(undefined)} />}
    </Frame>
  );
}

/** The first event of a card that was made in the dashboard is an edit (decision 0149). */
function titleOf({ event_type }: TimecardEvent, isFirst: boolean): string {
  return isFirst && event_type === 'DASHBOARD_EDIT' ? 'Added in the dashboard' : EVENTS[event_type];
}

interface HistoryProps {
  readonly events: readonly TimecardEvent[];
  readonly timezone: string;
}

function History({ events, timezone }: HistoryProps) {
  return (
    <Timeline bulletSize={12} lineWidth={2} active={events.length}>
      {events.map((event, index) => (
        <Timeline.Item key={event.id} title={titleOf(event, index === 0)}>
          <Times event={event} before={events[index - 1]} timezone={timezone} />
          <Text size="sm" c="dimmed">
            <Moment at={event.created_at} timezone={timezone} />
          </Text>
        </Timeline.Item>
      ))}
    </Timeline>
  );
}

interface TimesProps {
  readonly event: TimecardEvent;
  readonly before: TimecardEvent | undefined;
  readonly timezone: string;
}

/** What the event set; after the first one, only what it changed. */
function Times({ event, before, timezone }: TimesProps) {
  const parts = (
    [
      ['In', 'clockin_time'],
      ['Out', 'clockout_time'],
    ] as const
  ).flatMap(([label, field]) => {
    const [now, then] = [event[field], before?.[field]];
    if (now === undefined || now === then) return [];
    return [`${label} ${then ? `${printTime(then, 'both', timezone)} → ` : ''}${printTime(now, 'both', timezone)}`];
  });
  return parts.length === 0 ? null : <Text size="sm">{parts.join(', ')}</Text>;
}
