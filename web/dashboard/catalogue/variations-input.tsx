/** The variations of an item as rows that can be edited, added and removed. */
import { ActionIcon, Button, Group, Stack, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '../../ui/icons.js';
import { PriceInput, parsePrice } from '../../ui/price-input.js';
import { newVariation, type VariationDraft } from './item-draft.js';
import classes from './variations-input.module.css';

interface VariationsInputProps {
  readonly currency: string;
  readonly value: readonly VariationDraft[];
  readonly onChange: (variations: readonly VariationDraft[]) => void;
}

/** The server's limit. */
const MOST = 50;

export function VariationsInput({ currency, value, onChange }: VariationsInputProps) {
  const change = (key: number, fields: Partial<VariationDraft>): void =>
    onChange(value.map((each) => (each.key === key ? { ...each, ...fields } : each)));
  return (
    <Stack gap="sm">
      {value.map((variation, index) => (
        <div className={classes['row']} key={variation.key}>
          <TextInput
            label="Variation"
            required
            maxLength={255}
            value={variation.name}
            onChange={(event) => change(variation.key, { name: event.currentTarget.value })}
          />
          <TextInput
            label="SKU"
            maxLength={255}
            value={variation.sku}
            onChange={(event) => change(variation.key, { sku: event.currentTarget.value })}
          />
          <PriceInput
            label="Price"
            required
            currency={currency}
            value={variation.price}
            onChange={(price) => change(variation.key, { price })}
            error={variation.price !== '' && parsePrice(variation.price, currency) === undefined && 'Not a price'}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size={36}
            className={classes['remove'] ?? ''}
            aria-label={`Remove variation ${variation.name || index + 1}`}
            disabled={value.length === 1}
            onClick={() => onChange(value.filter(({ key }) => key !== variation.key))}
          >
            <IconTrash size={18} />
          </ActionIcon>
        </div>
      ))}
      <Group>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={16} />}
          disabled={value.length >= MOST}
          onClick={() => onChange([...value, newVariation()])}
        >
          Add a variation
        </Button>
      </Group>
    </Stack>
  );
}
