/** A week as a grid: who worked how long on which day. */
import { ActionIcon, Button, Group, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../client/call.js';
import { dashboard, type ResponseOf } from '../../client/operations.js';
import { useAddress } from '../../ui/address.js';
import { downloadCsv } from '../../ui/csv.js';
import { IconArrowLeft, IconArrowRight, IconDownload, IconUsers } from '../../ui/icons.js';
import { Link } from '../../ui/link.js';
import { QueryView } from '../../ui/query-view.js';
import { Card, Empty } from '../../ui/states.js';
import { TextLink } from '../../ui/text-link.js';
import { type Employee, employeeName, useBusiness, usePeople } from '../business.js';
import { LocationFilter } from '../filters.js';
import { addDays, isDay, mondayOf, printDay, todayIn, weekOf } from './days.js';
import { decimalHours, decimalParts, printClock } from './timecard.js';
import classes from './week.module.css';

type Worked = ResponseOf<typeof dashboard.listHours>;
type WorkedDay = Worked['employees'][number]['days'][number];

const LONG: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', year: 'numeric' };

export function Week() {
  const { now, timezoneOf } = useBusiness();
  const [[chosen, choose], [location]] = [useAddress('week'), useAddress('location')];
  const today = todayIn(timezoneOf(location), now());
  const monday = mondayOf(isDay(chosen) ? chosen : today);
  const input = { begin_date: monday, end_date: addDays(monday, 6), location_id: location };
  const query = useQuery({
    queryKey: ['listHours', input],
    queryFn: () => call(dashboard.listHours, input),
    refetchInterval: 60_000,
  });
  const move = (weeks: number) => choose(addDays(monday, 7 * weeks));
  return (
    <Card>
      <Group px="md" py="sm" gap="sm" className={classes['bar'] ?? ''}>
        <Group gap={4} wrap="nowrap">
          <ActionIcon variant="default" size="md" aria-label="The week before" onClick={() => move(-1)}>
            <IconArrowLeft size={16} />
          </ActionIcon>
          <ActionIcon variant="default" size="md" aria-label="The week after" onClick={() => move(1)}>
            <IconArrowRight size={16} />
          </ActionIcon>
        </Group>
        <Text fw={600} aria-live="polite">
          {printDay(monday, LONG)} to {printDay(addDays(monday, 6), LONG)}
        </Text>
        {monday !== mondayOf(today) && (
          <Button size="xs" variant="subtle" onClick={() => choose(undefined)}>
            This week
          </Button>
        )}
        <Group gap="sm" ml="auto">
          <LocationFilter />
          {query.data && <WeekCsv worked={query.data} monday={monday} />}
        </Group>
      </Group>
      <QueryView query={query}>{(worked) => <Grid worked={worked} monday={monday} today={today} />}</QueryView>
    </Card>
  );
}

/** Everybody who worked, and the active ones who did not, by name. */
function useRows({ employees }: Worked) {
  const { all, nameOf } = usePeople();
  const [location] = useAddress('location');
  const byId = new Map(employees.map((each) => [each.employee_id, each]));
  const isHere = ({ location_ids }: Employee) =>
    location === undefined || location_ids.length === 0 || location_ids.includes(location);
  const idle = all.filter((each) => each.status === 'ACTIVE' && !byId.has(each.id) && isHere(each));
  return [
    ...employees.map((each) => ({ ...each, name: nameOf(each.employee_id) })),
    ...idle.map((each) => ({
      employee_id: each.id,
      name: employeeName(each),
      seconds: 0,
      clocked_in: false,
      days: [] as readonly WorkedDay[],
    })),
  ].toSorted((one, other) => one.name.localeCompare(other.name));
}

function WeekCsv({ worked, monday }: { readonly worked: Worked; readonly monday: string }) {
  const rows = useRows(worked);
  const days = weekOf(monday);
  const download = () =>
    downloadCsv(`hours-${monday}`, [
      ['Employee', ...days, 'Total'],
      ...rows.map(({ name, days: done, seconds }) => [
        name,
        ...decimalParts(
          seconds,
          days.map((day) => done.find(({ date }) => date === day)?.seconds ?? 0),
        ),
        decimalHours(seconds),
      ]),
    ]);
  return (
    <Button variant="default" size="xs" leftSection={<IconDownload size={16} />} onClick={download}>
      CSV
    </Button>
  );
}

interface GridProps {
  readonly worked: Worked;
  readonly monday: string;
  readonly today: string;
}

function Grid({ worked, monday, today }: GridProps) {
  const rows = useRows(worked);
  const days = weekOf(monday);
  if (rows.length === 0) {
    return (
      <Empty
        icon={IconUsers}
        title="Nobody to show yet"
        action={<TextLink to="/dashboard/team">Add an employee</TextLink>}
      >
        Add your team first. Employees clock in at a register, or you add their timecards here.
      </Empty>
    );
  }
  const totalOf = (day: string) =>
    rows.reduce((sum, { days: done }) => sum + (done.find(({ date }) => date === day)?.seconds ?? 0), 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways on phones, also by the keyboard
    <section className={classes['scroll']} tabIndex={0} aria-label="Hours of the week">
      <Table className={classes['table'] ?? ''} data-state="full">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Employee</Table.Th>
            {days.map((day) => (
              <Table.Th key={day} scope="col" data-today={day === today || undefined}>
                <span>{printDay(day, { weekday: 'short' })}</span> <span>{printDay(day, { day: 'numeric' })}</span>
              </Table.Th>
            ))}
            <Table.Th scope="col">Total</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ employee_id, name, days: done, seconds }) => (
            <Table.Tr key={employee_id}>
              <Table.Th scope="row">
                <Link to={`/dashboard/team/${employee_id}`} className={classes['name'] ?? ''}>
                  {name}
                </Link>
              </Table.Th>
              {days.map((day) => (
                <Table.Td key={day} data-today={day === today || undefined}>
                  <Cell worked={done.find(({ date }) => date === day)} employeeId={employee_id} day={day} />
                </Table.Td>
              ))}
              <Table.Td>
                <b>{seconds === 0 ? '' : printClock(seconds)}</b>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
        <Table.Tfoot>
          <Table.Tr>
            <Table.Th scope="row">All</Table.Th>
            {days.map((day) => (
              <Table.Td key={day}>{totalOf(day) === 0 ? '' : printClock(totalOf(day))}</Table.Td>
            ))}
            <Table.Td>
              <b>{printClock(worked.seconds)}</b>
            </Table.Td>
          </Table.Tr>
        </Table.Tfoot>
      </Table>
    </section>
  );
}

interface CellProps {
  readonly worked: WorkedDay | undefined;
  readonly employeeId: string;
  readonly day: string;
}

/** Links to the timecards that began on this day or on the day before: one that began before midnight counts too. */
function Cell({ worked, employeeId, day }: CellProps) {
  if (!worked) return null;
  const search = { tab: 'list', employee: employeeId, from: addDays(day, -1), to: day };
  return (
    <Link to="/dashboard/timecards" search={search} className={classes['hours'] ?? ''}>
      {printClock(worked.seconds)}
      {worked.clocked_in && <span className={classes['now']}> now</span>}
    </Link>
  );
}
