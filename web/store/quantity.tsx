/** Buttons that change how many pieces of something there are. */
import { ActionIcon, Group, Text, VisuallyHidden } from '@mantine/core';
import { IconMinus, IconPlus } from '../ui/icons.js';
import { MAX_QUANTITY } from './cart/cart.js';

interface QuantityProps {
  /** What is counted. */
  readonly name: string;
  readonly value: number;
  /** Zero removes it from the cart. */
  readonly least: 0 | 1;
  readonly onChange: (value: number) => void;
}

export function Quantity({ name, value, least, onChange }: QuantityProps) {
  return (
    <Group gap={4} wrap="nowrap">
      <ActionIcon
        size={36}
        variant="default"
        aria-label={value === 1 && least === 0 ? `Take ${name} out` : `One ${name} less`}
        disabled={value <= least}
        onClick={() => onChange(value - 1)}
      >
        <IconMinus size={18} />
      </ActionIcon>
      <Text miw={36} ta="center" fw={600} aria-live="polite">
        {value}
        <VisuallyHidden> of {name}</VisuallyHidden>
      </Text>
      <ActionIcon
        size={36}
        variant="default"
        aria-label={`One ${name} more`}
        disabled={value >= MAX_QUANTITY}
        onClick={() => onChange(value + 1)}
      >
        <IconPlus size={18} />
      </ActionIcon>
    </Group>
  );
}
