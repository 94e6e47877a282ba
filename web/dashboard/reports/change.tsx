/** A figure against the same figure of an earlier time: an arrow, a word and both values, never colour alone. */
import { Group, Stack } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '../../ui/icons.js';
import { printChange } from './terms.js';

interface ChangeProps {
  readonly value: number;
  readonly before: number;
  readonly print: (value: number) => string;
}

/** Refunds and fees are negative: they grow when there are more of them. */
export function Change({ value, before, print }: ChangeProps) {
  const [size, sizeBefore] = value <= 0 && before <= 0 ? [-value, -before] : [value, before];
  const change = printChange(size, sizeBefore);
  const Arrow = size > sizeBefore ? IconArrowUp : IconArrowDown;
  return (
    <Stack gap={0} component="span">
      {change !== undefined && (
        <Group gap={2} component="span" wrap="nowrap">
          {change !== 'same' && <Arrow size={14} aria-hidden />}
          {change}
        </Group>
      )}
      <span style={{ whiteSpace: 'nowrap' }}>was {print(before)}</span>
    </Stack>
  );
}
