/** Today against the same weekday last week: figures, the course of the day, and each location. */
import { Group, Stack, Text, Title } from '@mantine/core';
import { Chart } from '../../ui/chart.js';
import { Figures } from '../../ui/figures.js';
import { IconChartBar } from '../../ui/icons.js';
import { Link } from '../../ui/link.js';
import { QueryView } from '../../ui/query-view.js';
import { Card, Empty, LoadingBlock } from '../../ui/states.js';
import { Change } from '../reports/change.js';
import { printWeekday } from '../reports/terms.js';
import { printCount, useAmounts } from '../reports/use-amounts.js';
import { type TodayReport, useToday } from './now.js';
import classes from './panel.module.css';

export function Today() {
  const query = useToday();
  return (
    <QueryView
      query={query}
      loading={
        <>
          <LoadingBlock height={112} />
          <LoadingBlock height={360} />
        </>
      }
    >
      {(today) => (
        <>
          <TodayFigures today={today} />
          {isQuiet(today) ? <NothingYet /> : <CourseOfDay today={today} />}
        </>
      )}
    </QueryView>
  );
}

const isQuiet = ({ by_hour, by_hour_before }: TodayReport): boolean =>
  [...by_hour, ...by_hour_before].every(({ sales_count, refunds_count }) => sales_count + refunds_count === 0);

function NothingYet() {
  return (
    <Card>
      <Empty icon={IconChartBar} title="No sales today">
        Sales of registers, online stores and applications appear here as soon as they are complete. To begin, pair a
        register under Devices.
      </Empty>
    </Card>
  );
}

function TodayFigures({ today: { total, total_before: before, currency } }: { readonly today: TodayReport }) {
  const { print } = useAmounts(currency);
  const money = (name: string, key: 'gross_sales' | 'net_sales' | 'tips' | 'refunds', more?: string) => ({
    name,
    value: print(total[key]),
    note: (
      <Stack gap={0}>
        <Change value={total[key]} before={before[key]} print={print} />
        {more && <span>{more}</span>}
      </Stack>
    ),
  });
  return (
    <Figures
      figures={[
        money('Gross sales', 'gross_sales'),
        money('Net sales', 'net_sales', `fees ${print(total.fees)}`),
        {
          name: 'Sales',
          value: printCount(total.sales_count),
          note: (
            <Stack gap={0}>
              <Change value={total.sales_count} before={before.sales_count} print={printCount} />
              <span>average {print(total.average_sale)}</span>
            </Stack>
          ),
        },
        money('Tips', 'tips'),
        money('Refunds', 'refunds'),
      ]}
    />
  );
}

function CourseOfDay({ today }: { readonly today: TodayReport }) {
  const { print, printShort } = useAmounts(today.currency);
  const { by_hour, by_hour_before, hour } = today;
  const isBusy = (index: number) =>
    [by_hour[index], by_hour_before[index]].some((row) => row !== undefined && row.net_sales !== 0) || index === hour;
  const hours = by_hour.map((_, index) => index).filter(isBusy);
  const [first, last] = [Math.max(0, Math.min(...hours) - 1), Math.min(23, Math.max(...hours) + 1)];
  const points = by_hour.slice(first, last + 1).map((row, index) => ({
    label: `${String(first + index).padStart(2, '0')}:00`,
    value: first + index > hour ? undefined : row.net_sales,
    before: by_hour_before[first + index]?.net_sales ?? 0,
  }));
  return (
    <Card padded>
      <Group justify="space-between" mb="md">
        <Title order={2} size="h5">
          Net sales by hour
        </Title>
        <Link to="/dashboard/reports" className={classes['link'] ?? ''}>
          All reports
        </Link>
      </Group>
      <Chart
        label="Chart: net sales by hour, today and the same weekday last week"
        points={points}
        names={[printWeekday(today.date), printWeekday(today.date_before)]}
        kind="lines"
        print={print}
        printShort={printShort}
        height={280}
      />
      <Text size="sm" c="dimmed" mt="xs">
        Figures above are compared with {printWeekday(today.date_before)} until the end of the same hour.
      </Text>
    </Card>
  );
}
