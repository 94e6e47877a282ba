/** The fields of an item: what it is and costs, and where and how it is sold. */
import { MultiSelect, Select, Stack, Switch, Text, Textarea, TextInput, Title } from '@mantine/core';
import { PictureInput } from '../../ui/picture-input.js';
import { Card } from '../../ui/states.js';
import { useBusiness } from '../business.js';
import type { Catalogue } from './catalogue-data.js';
import type { ItemDraft } from './item-draft.js';
import { PlacesInput } from './part-fields.js';
import { VariationsInput } from './variations-input.js';
import { printPercent } from './words.js';

interface FieldsProps {
  readonly draft: ItemDraft;
  readonly change: (fields: Partial<ItemDraft>) => void;
  readonly catalogue: Catalogue;
  readonly errorOf: (field: string) => string | undefined;
}

export function ItemFields({ draft, change, catalogue, errorOf }: FieldsProps) {
  const { currency } = useBusiness();
  return (
    <Stack gap="lg">
      <Card padded>
        <Stack gap="md">
          <TextInput
            label="Name"
            required
            maxLength={255}
            value={draft.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
            error={errorOf('name')}
          />
          <Textarea
            label="Description"
            description="Shoppers see it in the online store."
            autosize
            minRows={2}
            maxRows={8}
            maxLength={1000}
            value={draft.description}
            onChange={(event) => change({ description: event.currentTarget.value })}
            error={errorOf('description')}
          />
          <Select
            label="Category"
            placeholder="None"
            clearable
            searchable
            nothingFoundMessage="Create it in the tab Categories first"
            data={toOptions(catalogue.categories)}
            value={draft.categoryId}
            onChange={(categoryId) => change({ categoryId })}
            error={errorOf('category_id')}
          />
        </Stack>
      </Card>
      <Card padded>
        <Title order={2} size="h5" mb="xs">
          Variations and prices
        </Title>
        <Text size="sm" c="dimmed" mb="md">
          The sizes or kinds of this item, each with its own price. Every item has at least one.
        </Text>
        <VariationsInput
          currency={currency}
          value={draft.variations}
          onChange={(variations) => change({ variations })}
        />
      </Card>
    </Stack>
  );
}

function toOptions(list: readonly { readonly id: string; readonly name: string }[]) {
  return list.map(({ id, name }) => ({ value: id, label: name }));
}

export function ItemSettings({ draft, change, catalogue, errorOf }: FieldsProps) {
  return (
    <Stack gap="lg">
      <Card padded>
        <PictureInput
          label="Picture"
          description="PNG, JPEG or WebP."
          value={draft.picture}
          onChange={(picture) => change({ picture })}
          error={errorOf('picture_id')}
        />
      </Card>
      <Card padded>
        <Selling draft={draft} change={change} errorOf={errorOf} />
      </Card>
      <Card padded>
        <Additions draft={draft} change={change} catalogue={catalogue} errorOf={errorOf} />
      </Card>
    </Stack>
  );
}

function Selling({ draft, change, errorOf }: Omit<FieldsProps, 'catalogue'>) {
  return (
    <Stack gap="md">
      <Switch
        label="Sold online"
        description="In the online stores of these locations."
        checked={draft.online}
        onChange={(event) => change({ online: event.currentTarget.checked })}
      />
      <PlacesInput label="Sold at all locations" value={draft} onChange={change} error={errorOf('location_ids')} />
      <Switch
        label="Archived"
        description="Kept for reports, and not sold any more."
        checked={draft.archived}
        onChange={(event) => change({ archived: event.currentTarget.checked })}
      />
    </Stack>
  );
}

function Additions({ draft, change, catalogue, errorOf }: FieldsProps) {
  const general = catalogue.taxes.filter((tax) => tax.applies_to_all);
  const chosen = catalogue.taxes.filter((tax) => !tax.applies_to_all);
  return (
    <Stack gap="md">
      <MultiSelect
        label="Taxes"
        description={
          general.length === 0
            ? 'Besides taxes that apply to all items.'
            : `Besides ${general.map(({ name }) => name).join(', ')}, which ${general.length === 1 ? 'applies' : 'apply'} to all items.`
        }
        placeholder={draft.taxIds.length === 0 ? 'None' : ''}
        data={chosen.map(({ id, name, rate }) => ({ value: id, label: `${name} ${printPercent(rate)}` }))}
        value={draft.taxIds.filter((id) => chosen.some((tax) => tax.id === id))}
        onChange={(ids) =>
          change({ taxIds: [...draft.taxIds.filter((id) => general.some((tax) => tax.id === id)), ...ids] })
        }
        error={errorOf('tax_ids')}
      />
      <MultiSelect
        label="Modifiers"
        description="Choices that a buyer can add."
        placeholder={draft.modifierListIds.length === 0 ? 'None' : ''}
        data={toOptions(catalogue.modifier_lists)}
        value={[...draft.modifierListIds]}
        onChange={(modifierListIds) => change({ modifierListIds })}
        error={errorOf('modifier_list_ids')}
      />
    </Stack>
  );
}
