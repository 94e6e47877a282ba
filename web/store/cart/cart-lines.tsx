/** The lines of the cart, with buttons that change how many there are. */
import { Group, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { printMoney } from '../../ui/money.js';
import { Notice } from '../../ui/notice.js';
import { type Item, type PricedLine, priceLine } from '../goods.js';
import { Picture } from '../picture.js';
import { Quantity } from '../quantity.js';
import { changeCart, keyOf, setQuantity, useCart } from './cart.js';

/** The lines that the store still sells. It removes the others from the cart and tells the shopper. */
export function usePricedLines(items: readonly Item[]): {
  readonly lines: readonly PricedLine[];
  readonly isSomethingGone: boolean;
} {
  const cart = useCart();
  const [isSomethingGone, setGone] = useState(false);
  const lines = cart.lines.flatMap((line) => priceLine(line, items) ?? []);
  useEffect(() => {
    if (lines.length === cart.lines.length || cart.attempt) return;
    changeCart({ lines: lines.map(({ line }) => line) });
    setGone(true);
  }, [lines, cart]);
  return { lines, isSomethingGone };
}

export function CartLines({ items }: { readonly items: readonly Item[] }) {
  const { lines, isSomethingGone } = usePricedLines(items);
  return (
    <Stack gap="md">
      {isSomethingGone && (
        <Notice tone="warning" title="Something is no longer sold">
          It was taken out of your cart.
        </Notice>
      )}
      {lines.map((priced) => (
        <Row key={keyOf(priced.line)} priced={priced} />
      ))}
    </Stack>
  );
}

function Row({ priced: { line, item, choices, price } }: { readonly priced: PricedLine }) {
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
      <Picture item={item} size="row" />
      <Stack gap={6} style={{ flex: 1, minWidth: 0 }}>
        <Group justify="space-between" wrap="nowrap" align="flex-start" gap="sm">
          <div>
            <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
              {item.name}
            </Text>
            {choices.length > 0 && (
              <Text size="sm" c="dimmed">
                {choices.join(', ')}
              </Text>
            )}
          </div>
          <Text fw={600} style={{ whiteSpace: 'nowrap' }}>
            {printMoney(price)}
          </Text>
        </Group>
        <Quantity name={item.name} value={line.quantity} least={0} onChange={(value) => setQuantity(line, value)} />
      </Stack>
    </Group>
  );
}
