/** An item with its choices: the size or kind, and what the shopper may add. */
import { Button, Checkbox, Group, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../../ui/dialog.js';
import { printMoney } from '../../ui/money.js';
import { addLine } from '../cart/cart.js';
import { type Item, priceLine } from '../goods.js';
import { Quantity } from '../quantity.js';

type ModifierList = Item['modifier_lists'][number];

export function ItemDialog({ item, onClose }: { readonly item: Item; readonly onClose: () => void }) {
  const [variationId, setVariation] = useState(item.variations[0]?.id ?? '');
  const [optionIds, setOptions] = useState<readonly string[]>([]);
  const [quantity, setQuantity] = useState(1);
  const missing = item.modifier_lists.find((list) => chosenOf(list, optionIds).length < list.min_selected);
  const line = { itemId: item.id, variationId, optionIds, quantity };
  const priced = priceLine(line, [item]);
  return (
    <Dialog title={item.name} onClose={onClose}>
      <Stack gap="lg">
        {item.description !== undefined && <Text c="dimmed">{item.description}</Text>}
        {item.variations.length > 1 && (
          <Radio.Group label="Kind" value={variationId} onChange={setVariation}>
            <Stack gap="xs" mt="xs">
              {item.variations.map(({ id, name, price_money }) => (
                <Radio key={id} value={id} label={`${name}, ${printMoney(price_money)}`} />
              ))}
            </Stack>
          </Radio.Group>
        )}
        {item.modifier_lists.map((list) => (
          <Options key={list.id} list={list} chosen={optionIds} onChange={setOptions} />
        ))}
        <Group justify="space-between">
          <Quantity name={item.name} value={quantity} least={1} onChange={setQuantity} />
          <Button
            size="md"
            disabled={missing !== undefined}
            onClick={() => {
              addLine(line);
              onClose();
            }}
          >
            Add to the cart{priced && ` · ${printMoney(priced.price)}`}
          </Button>
        </Group>
        {missing && (
          <Text size="sm" c="dimmed">
            Choose {missing.min_selected} of {missing.name} first.
          </Text>
        )}
      </Stack>
    </Dialog>
  );
}

function chosenOf({ options }: ModifierList, optionIds: readonly string[]): string[] {
  return options.map(({ id }) => id).filter((id) => optionIds.includes(id));
}

interface OptionsProps {
  readonly list: ModifierList;
  /** The chosen options of all lists. */
  readonly chosen: readonly string[];
  readonly onChange: (optionIds: readonly string[]) => void;
}

function Options({ list, chosen, onChange }: OptionsProps) {
  const own = chosenOf(list, chosen);
  const most = list.max_selected;
  const isFull = most !== undefined && own.length >= most;
  const others = chosen.filter((id) => !own.includes(id));
  return (
    <Checkbox.Group
      label={list.name}
      description={most !== undefined && `Choose ${list.min_selected === most ? most : `up to ${most}`}`}
      value={own}
      // In a list with one choice, the new option replaces the other.
      onChange={(ids) => onChange([...others, ...(most === 1 ? ids.slice(-1) : ids)])}
    >
      <Stack gap="xs" mt="xs">
        {list.options.map(({ id, name, price_money }) => (
          <Checkbox
            key={id}
            value={id}
            label={price_money.amount === 0 ? name : `${name}, + ${printMoney(price_money)}`}
            disabled={isFull && most !== 1 && !own.includes(id)}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
