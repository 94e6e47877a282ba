/** What is not settled yet, when it will be, and what is on its way to the bank. */
import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../client/call.js';
import { dashboard, type ResponseOf } from '../../client/operations.js';
import { Figures } from '../../ui/figures.js';
import { Money } from '../../ui/money.js';
import { Notice } from '../../ui/notice.js';
import { QueryView } from '../../ui/query-view.js';
import { Card, LoadingBlock } from '../../ui/states.js';
import { Moment, printTime } from '../../ui/time.js';
import { useBusiness } from '../business.js';
import classes from './balance.module.css';

export type Balance = ResponseOf<typeof dashboard.retrieveBalance>['balance'];
export type LocationBalance = Balance['locations'][number];

const REFRESH_MS = 60_000;

export function useBalance() {
  return useQuery({
    queryKey: ['retrieveBalance'],
    queryFn: () => call(dashboard.retrieveBalance),
    select: ({ balance }) => balance,
    refetchInterval: REFRESH_MS,
  });
}

export function BalancePart() {
  return (
    <QueryView query={useBalance()} loading={<LoadingBlock height={200} />}>
      {(balance) => <Shown balance={balance} />}
    </QueryView>
  );
}

/** The location whose day closes first. */
export function nextOf({ locations }: Balance): LocationBalance | undefined {
  const closing = locations.filter(({ next_close_at }) => next_close_at !== undefined);
  return closing.toSorted((one, other) => (one.next_close_at ?? '').localeCompare(other.next_close_at ?? ''))[0];
}

function Shown({ balance }: { readonly balance: Balance }) {
  const { timezoneOf, locationName, locations } = useBusiness();
  const next = nextOf(balance);
  const { on_its_way: onItsWay } = balance;
  // The day is the figure and the time is its note, so that both fit on a phone.
  const figureOf = (name: string, at: string | undefined, place: string) => {
    if (at === undefined) return { name, value: 'None' };
    const zone = timezoneOf(next?.location_id);
    const note = [printTime(at, 'time', zone), place].filter((part) => part !== '').join(', ');
    return { name, value: printTime(at, 'weekday', zone), note };
  };
  return (
    <Stack gap="md">
      {!balance.has_bank_account && balance.unsettled_money.amount !== 0 && (
        <Notice tone="warning" title="Nothing can be paid out">
          Link a bank account below. Until then the money waits, and the next close after that pays all of it.
        </Notice>
      )}
      <Figures
        figures={[
          {
            name: 'Not settled yet',
            value: <Money value={balance.unsettled_money} />,
            note: entriesOf(balance.locations.reduce((sum, { entries }) => sum + entries, 0)),
          },
          figureOf('Next close', next?.next_close_at, locations.length > 1 ? locationName(next?.location_id) : ''),
          figureOf('Settlement visible from', next?.visible_at, ''),
        ]}
      />
      {onItsWay.map(({ location_id, total_money, initiated_at, visible_at }) => (
        <Card key={`${location_id} ${initiated_at}`} padded>
          <Group justify="space-between" gap="sm">
            <Text>
              On its way from {locationName(location_id)}: closed{' '}
              <Moment at={initiated_at} timezone={timezoneOf(location_id)} />, visible as a settlement from{' '}
              <Moment at={visible_at} timezone={timezoneOf(location_id)} />
            </Text>
            <Money value={total_money} fw={600} />
          </Group>
        </Card>
      ))}
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        {balance.locations
          .filter(({ entries }) => entries > 0)
          .map((location) => (
            <AtLocation key={location.location_id} balance={location} />
          ))}
      </SimpleGrid>
    </Stack>
  );
}

function entriesOf(count: number): string {
  return `${count} ${count === 1 ? 'entry' : 'entries'}`;
}

function AtLocation({ balance }: { readonly balance: LocationBalance }) {
  const { timezoneOf, locationName } = useBusiness();
  const zone = timezoneOf(balance.location_id);
  const parts = [
    { name: 'Sales', money: balance.charges_money },
    { name: 'Fees', money: balance.fees_money },
    { name: 'Refunds', money: balance.refunds_money },
    { name: 'Disputes', money: balance.disputes_money },
    { name: 'Adjustments and returned payouts', money: balance.other_money },
  ];
  return (
    <Card padded>
      <Group justify="space-between" mb="xs" wrap="nowrap" align="flex-start">
        <Text fw={600} lineClamp={2}>
          {locationName(balance.location_id)}
        </Text>
        <Money value={balance.unsettled_money} fw={600} />
      </Group>
      <dl className={classes['parts']}>
        {parts
          .filter(({ money }) => money.amount !== 0)
          .map(({ name, money }) => (
            <div key={name} className={classes['part']}>
              <dt>{name}</dt>
              <dd>
                <Money value={money} />
              </dd>
            </div>
          ))}
      </dl>
      {balance.next_close_at && (
        <Text size="sm" c="dimmed" mt="xs">
          Closes <Moment at={balance.next_close_at} timezone={zone} />
        </Text>
      )}
    </Card>
  );
}
