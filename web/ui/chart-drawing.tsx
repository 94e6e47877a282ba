/** Draws charts. Loaded only when a page shows one, because the library is large. */
import { BarChart, LineChart } from '@mantine/charts';
import '@mantine/charts/styles.css';
import classes from './chart.module.css';

interface ChartPoint {
  readonly label: string;
  /** In minor units or as a count. Undefined: not yet. */
  readonly value: number | undefined;
  readonly before?: number | undefined;
}

export interface ChartProps {
  readonly points: readonly ChartPoint[];
  /** The names of the figure and of its earlier period. They must differ. */
  readonly names: readonly [name: string, before?: string];
  /** Lines for a figure over time, bars to compare groups. */
  readonly kind: 'lines' | 'bars';
  readonly print: (value: number) => string;
  /** For the axis. */
  readonly printShort: (value: number) => string;
  readonly height: number;
}

/** An Okabe-Ito colour; another one in the dark. The compared period is a dashed line of the same colour. */
const COLOR = 'var(--chart-1)';

export function ChartDrawing({ points, names, kind, print, printShort, height }: ChartProps) {
  const [name, before] = names;
  const hasBefore = before !== undefined && points.some((point) => point.before !== undefined);
  const data = points.map((point) => toDatum(point, names));
  const shared = {
    h: height,
    data,
    dataKey: 'label',
    valueFormatter: print,
    tickLine: 'none' as const,
    gridAxis: 'x' as const,
    textColor: 'var(--mantine-color-dimmed)',
    gridColor: 'var(--line)',
  };
  if (kind === 'bars') {
    return (
      <BarChart
        {...shared}
        className={classes['chart'] ?? ''}
        orientation="vertical"
        gridAxis="y"
        xAxisProps={{ tickFormatter: printShort }}
        yAxisProps={{ width: 120, interval: 0, tickFormatter: shorten }}
        barProps={{ isAnimationActive: false, radius: 3 }}
        accessibilityLayer={false}
        series={[{ name, color: COLOR }, ...(hasBefore ? [{ name: before, color: 'var(--chart-before)' }] : [])]}
      />
    );
  }
  return (
    <LineChart
      {...shared}
      className={classes['chart'] ?? ''}
      curveType="linear"
      connectNulls={false}
      withDots={points.length <= 62}
      dotProps={{ r: 2.5, strokeWidth: 1 }}
      xAxisProps={{ minTickGap: 32, interval: 'preserveStartEnd' }}
      yAxisProps={{ tickFormatter: printShort, width: 64 }}
      lineProps={{ isAnimationActive: false }}
      accessibilityLayer={false}
      series={[...(hasBefore ? [{ name: before, color: COLOR, strokeDasharray: '5 5' }] : []), { name, color: COLOR }]}
    />
  );
}

function toDatum({ label, value, before }: ChartPoint, [name, nameBefore]: ChartProps['names']) {
  return { label, [name]: value ?? null, ...(nameBefore !== undefined && { [nameBefore]: before ?? null }) };
}

const MAX_LABEL = 16;
const shorten = (label: string): string => (label.length > MAX_LABEL ? `${label.slice(0, MAX_LABEL - 1)}…` : label);
