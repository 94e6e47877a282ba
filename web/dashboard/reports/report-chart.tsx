/** The chart of a report: a figure over time, or of the largest groups. */
import { Group as Row, Select, Title } from '@mantine/core';
import { useAddress } from '../../ui/address.js';
import { Chart } from '../../ui/chart.js';
import { Card } from '../../ui/states.js';
import { figuresIn, GROUPS, type Group, isTime, mainFigureOf, nameOf, printRange, type SalesReport } from './terms.js';
import { printCount, useAmounts } from './use-amounts.js';

const MAX_BARS = 12;
const BAR_HEIGHT = 34;

export function ReportChart({ report, group }: { readonly report: SalesReport; readonly group: Group }) {
  const [chosen, setChosen] = useAddress('figure');
  const figures = figuresIn(group);
  const main = mainFigureOf(group);
  const { key: figure, label } = figures.find(({ key }) => key === chosen) ?? {
    key: main,
    label: figures.find(({ key }) => key === main)?.label ?? '',
  };
  const { print, printShort } = useAmounts(report.currency);
  const isCount = figure === 'sales_count';
  const { before } = report;
  const byKey = new Map(before?.rows.map((row) => [row.key, row]));
  const rows = isTime(group) ? report.rows : report.rows.slice(0, MAX_BARS);
  const points = rows.map((row, index) => ({
    label: nameOf(row, group),
    value: row[figure],
    // Days are compared by their position, other groups by their key.
    ...(before && { before: (isTime(group) ? before.rows[index] : byKey.get(row.key))?.[figure] ?? 0 }),
  }));
  const word = GROUPS.find(({ value }) => value === group)?.label.toLowerCase() ?? '';
  const names = [
    printRange({ begin: report.begin_date, end: report.end_date }),
    before && printRange({ begin: before.begin_date, end: before.end_date }),
  ] as [string, string?];
  return (
    <Card padded>
      <Row justify="space-between" mb="md">
        <Title order={2} size="h5">
          {label} by {word}
        </Title>
        <Select
          size="xs"
          w={140}
          aria-label="Figure in the chart"
          data={figures.map(({ key: value, label: name }) => ({ value, label: name }))}
          value={figure}
          allowDeselect={false}
          onChange={(value) => setChosen(value ?? undefined)}
        />
      </Row>
      <Chart
        label={`Chart: ${label} by ${word}, ${names[0]}. The table below has the same figures.`}
        points={points}
        names={names}
        kind={isTime(group) && points.length > 1 ? 'lines' : 'bars'}
        print={isCount ? printCount : print}
        printShort={isCount ? printCount : printShort}
        height={isTime(group) ? 320 : Math.max(160, rows.length * BAR_HEIGHT * (before ? 1.4 : 1) + 60)}
      />
    </Card>
  );
}
