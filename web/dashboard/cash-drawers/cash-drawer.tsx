/** One shift of a cash drawer: its sums, and everything that happened to the drawer. */
import { Button, Grid, Group, Stack, Text, Timeline, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { DRAWER_COUNT, DRAWER_SALES } from '../../../src/business/figures/drawer.js';
import { call } from '../../client/call.js';
import { dashboard, type ResponseOf } from '../../client/operations.js';
import { CopyId } from '../../ui/copy-id.js';
import { downloadCsv } from '../../ui/csv.js';
import { COUNT_NOTE, reportBlocks, reportNotes } from '../../ui/drawer-report.js';
import { Facts } from '../../ui/facts.js';
import { Figures } from '../../ui/figures.js';
import { IconDownload } from '../../ui/icons.js';
import { Money, plainMoney } from '../../ui/money.js';
import { Page as Frame } from '../../ui/page.js';
import { QueryView } from '../../ui/query-view.js';
import { Card, LoadingBlock } from '../../ui/states.js';
import { Moment, printTime } from '../../ui/time.js';
import { useBusiness, usePeople } from '../business.js';
import { Line } from '../sales/receipt-view.js';
import { BackLink } from '../shell/shell.js';
import { Difference, ShiftState } from './shift.js';

type Found = ResponseOf<typeof dashboard.retrieveCashDrawerShift>;
type ShiftEvent = Found['events'][number];

const EVENTS: Readonly<Record<ShiftEvent['event_type'], string>> = {
  NO_SALE: 'Opened without a sale',
  CASH_TENDER_PAYMENT: 'Cash payment',
  OTHER_TENDER_PAYMENT: 'Other payment',
  CASH_TENDER_CANCELLED_PAYMENT: 'Cash payment canceled',
  OTHER_TENDER_CANCELLED_PAYMENT: 'Other payment canceled',
  CASH_TENDER_REFUND: 'Cash refund',
  OTHER_TENDER_REFUND: 'Other refund',
  PAID_IN: 'Paid in',
  PAID_OUT: 'Paid out',
};

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const query = useQuery({
    queryKey: ['retrieveCashDrawerShift', id],
    queryFn: () => call(dashboard.retrieveCashDrawerShift, { shift_id: id }),
  });
  return (
    <QueryView query={query} loading={<LoadingBlock height={320} />}>
      {(found) => <Shift found={found} />}
    </QueryView>
  );
}

function Shift({ found: { shift, events, report } }: { readonly found: Found }) {
  const { timezoneOf, locationName } = useBusiness();
  const { nameOf } = usePeople();
  const zone = timezoneOf(shift.location_id);
  return (
    <Frame
      title={`Drawer of ${printTime(shift.opened_at, 'day', zone)}`}
      above={<BackLink to="/dashboard/cash-drawers">Cash drawers</BackLink>}
      actions={<ShiftState shift={shift} />}
    >
      <Figures
        figures={[
          { name: DRAWER_SALES.collected_money.label, value: <Money value={report.collected_money} /> },
          { name: DRAWER_COUNT.expected_cash_money.label, value: <Money value={report.expected_cash_money} /> },
          {
            name: DRAWER_COUNT.counted_cash_money.label,
            value: report.counted_cash_money ? <Money value={report.counted_cash_money} /> : 'not yet',
            note: <Difference shift={shift} />,
          },
        ]}
      />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="lg">
            <Report report={report} timezone={zone} />
            <Card padded>
              <Facts
                facts={[
                  { name: 'Location', value: locationName(shift.location_id) },
                  { name: 'Device', value: shift.device.name },
                  { name: 'Opened', value: <Moment at={shift.opened_at} timezone={zone} /> },
                  { name: 'Opened by', value: nameOf(shift.opening_employee_id) },
                  ...(shift.closed_at
                    ? [
                        { name: 'Counted', value: <Moment at={shift.closed_at} timezone={zone} /> },
                        { name: 'Counted by', value: nameOf(shift.closing_employee_id) },
                      ]
                    : []),
                  ...(shift.description ? [{ name: 'Note', value: shift.description }] : []),
                  { name: 'Id', value: <CopyId id={shift.id} /> },
                ]}
              />
            </Card>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Card padded>
            <Title order={2} size="h5" mb="md">
              What happened
            </Title>
            <Events events={events} timezone={zone} />
          </Card>
        </Grid.Col>
      </Grid>
    </Frame>
  );
}

/** What the register prints. */
function Report({ report, timezone }: { readonly report: Found['report']; readonly timezone: string }) {
  const blocks = reportBlocks(report, (time) => printTime(time, 'both', timezone));
  const title = `${report.kind} report`;
  const download = (): void => {
    const rows = blocks.flat().map(({ label, money }) => [label, plainMoney(money)]);
    const notes = report.closing_note === undefined ? [] : [[COUNT_NOTE, report.closing_note]];
    downloadCsv(`${report.kind.toLowerCase()}-report-${report.shift.id}`, [['Figure', 'Amount'], ...rows, ...notes]);
  };
  return (
    <Card padded>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h5">
          {title}
        </Title>
        <Button variant="default" size="xs" leftSection={<IconDownload size={16} />} onClick={download}>
          CSV
        </Button>
      </Group>
      {blocks.map((lines) => (
        <Stack key={lines[0]?.key} gap={0} mb="lg">
          {lines.map(({ key, label, money, isSum, isPart }) => (
            <Line key={key} name={label} value={money} isSum={isSum} isQuiet={isPart} />
          ))}
        </Stack>
      ))}
      {reportNotes(report).map((note) => (
        <Text key={note} size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {note}
        </Text>
      ))}
    </Card>
  );
}

function Events({ events, timezone }: { readonly events: readonly ShiftEvent[]; readonly timezone: string }) {
  const { nameOf } = usePeople();
  if (events.length === 0) return <Text c="dimmed">Nothing yet.</Text>;
  return (
    <Timeline bulletSize={12} lineWidth={2} active={events.length}>
      {events.map((event) => (
        <Timeline.Item key={event.id} title={EVENTS[event.event_type]}>
          <Text size="sm">
            <Money value={event.event_money} fw={600} />
            {event.description && ` · ${event.description}`}
          </Text>
          <Text size="sm" c="dimmed">
            <Moment at={event.created_at} timezone={timezone} /> · {nameOf(event.employee_id)}
          </Text>
        </Timeline.Item>
      ))}
    </Timeline>
  );
}
