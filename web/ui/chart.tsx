/** A chart of one figure, with the same figure of an earlier period. What it shows is in a table too. */
import { Box, Group, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import classes from './chart.module.css';
import type { ChartProps } from './chart-drawing.js';
import { LoadingBlock } from './states.js';

const Drawing = lazy(() => import('./chart-drawing.js').then((module) => ({ default: module.ChartDrawing })));

export function Chart({ label, ...props }: ChartProps & { readonly label: string }) {
  const [name, before] = props.names;
  return (
    <>
      {before !== undefined && (
        <Group gap="lg" mb="sm" className={classes['chart'] ?? ''}>
          <LegendEntry name={name} mark={props.kind === 'bars' ? 'bar' : 'line'} />
          <LegendEntry name={before} mark={props.kind === 'bars' ? 'pale' : 'dashed'} />
        </Group>
      )}
      <Box role="img" aria-label={label} mih={props.height}>
        <Suspense fallback={<LoadingBlock height={props.height} />}>
          <Drawing {...props} />
        </Suspense>
      </Box>
    </>
  );
}

/** The library's own legend does not tell a dashed line from a solid one. */
function LegendEntry({ name, mark }: { readonly name: string; readonly mark: 'line' | 'dashed' | 'bar' | 'pale' }) {
  return (
    <Group gap={8} wrap="nowrap">
      <span className={classes['mark'] ?? ''} data-mark={mark} />
      <Text size="sm" c="dimmed">
        {name}
      </Text>
    </Group>
  );
}
