/** The modifier lists of the catalogue, each with its options. */
import { Group, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import type { Column } from '../../ui/data-table.js';
import { PriceInput, parsePrice, printPrice } from '../../ui/price-input.js';
import { useBusiness } from '../business.js';
import type { ModifierList } from './catalogue-data.js';
import { NameInput, RowsInput } from './part-fields.js';
import { PartTable } from './part-table.js';

interface OptionDraft {
  readonly key: string;
  readonly id?: string;
  readonly name: string;
  readonly price: string;
}

interface Draft {
  readonly name: string;
  readonly least: number;
  /** Empty: any number. */
  readonly most: number | '';
  readonly options: readonly OptionDraft[];
}

const LABELS: Readonly<Record<keyof Draft, string>> = {
  name: 'Name',
  least: 'At least',
  most: 'At most',
  options: 'Options',
};

let created = 0;

const newOption = (): OptionDraft => ({ key: `new ${++created}`, name: '', price: '0' });

const printOptions = ({ options }: ModifierList): string => options.map(({ name }) => name).join(', ');

function printChoice({ min_selected: least, max_selected: most }: ModifierList): string {
  if (most === undefined) return least === 0 ? 'Any number' : `At least ${least}`;
  return least === most ? `Exactly ${most}` : `${least} to ${most}`;
}

const COLUMNS: readonly Column<ModifierList>[] = [
  { key: 'name', header: 'Name', cell: ({ name }) => name, value: ({ name }) => name },
  {
    key: 'options',
    header: 'Options',
    cell: (list) => (
      <Text span inherit truncate display="block" maw={420}>
        {printOptions(list)}
      </Text>
    ),
    value: printOptions,
    wide: true,
  },
  { key: 'choice', header: 'Choose', cell: printChoice, value: printChoice },
];

function toDraft(row: ModifierList | undefined): Draft {
  if (!row) return { name: '', least: 0, most: '', options: [newOption()] };
  return {
    name: row.name,
    least: row.min_selected,
    most: row.max_selected ?? '',
    options: row.options.map(({ id, name, price_money }) => ({
      key: id,
      id,
      name,
      price: printPrice(price_money),
    })),
  };
}

function readDraft({ name, least, most, options }: Draft, currency: string) {
  return {
    name,
    min_selected: least,
    ...(most !== '' && { max_selected: most }),
    options: options.map(({ id, name: option, price }) => {
      const amount = parsePrice(price, currency);
      if (amount === undefined) throw new Error(`“${price}” is not a price. Type an amount such as 0.75.`);
      return { ...(id !== undefined && { id }), name: option, price_money: { amount } };
    }),
  };
}

export function ModifierLists() {
  const { currency } = useBusiness();
  return (
    <PartTable<ModifierList, Draft>
      name="Modifiers"
      noun="modifier list"
      pick={({ modifier_lists }) => modifier_lists}
      columns={COLUMNS}
      explanation="A list of choices that a buyer can add to an item, such as kinds of milk. Items name the lists that they offer."
      onDeletion="Its items no longer offer it. Past sales keep what was chosen."
      toDraft={toDraft}
      labels={LABELS}
      print={(field, value) => {
        if (field !== 'options') return value === '' ? 'any number' : String(value);
        return (value as Draft['options']).map(({ name, price }) => `${name} ${price}`).join(', ');
      }}
      fields={(draft, change, errorOf) => (
        <Stack gap="md">
          <NameInput value={draft.name} onChange={(name) => change({ name })} error={errorOf('name')} />
          <Options currency={currency} value={draft.options} onChange={(options) => change({ options })} />
          <Group grow align="flex-start">
            <NumberInput
              label="At least"
              min={0}
              max={100}
              allowDecimal={false}
              value={draft.least}
              onChange={(least) => change({ least: Number(least) || 0 })}
              error={errorOf('min_selected')}
            />
            <NumberInput
              label="At most"
              placeholder="Any number"
              min={1}
              max={100}
              allowDecimal={false}
              value={draft.most}
              onChange={(most) => change({ most: most === '' ? '' : Number(most) })}
              error={errorOf('max_selected')}
            />
          </Group>
        </Stack>
      )}
      create={async (draft) => call(dashboard.createModifierList, readDraft(draft, currency))}
      update={async (draft, { id, version }) =>
        call(dashboard.updateModifierList, { ...readDraft(draft, currency), modifier_list_id: id, version })
      }
      remove={(id) => call(dashboard.deleteModifierList, { modifier_list_id: id })}
    />
  );
}

interface OptionsProps {
  readonly currency: string;
  readonly value: readonly OptionDraft[];
  readonly onChange: (options: readonly OptionDraft[]) => void;
}

function Options({ currency, value, onChange }: OptionsProps) {
  return (
    <RowsInput
      noun="option"
      most={100}
      value={value}
      onChange={onChange}
      newRow={newOption}
      row={({ key, name, price }, index, change, remove) => (
        <Group key={key} gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            label={index === 0 ? 'Option' : undefined}
            aria-label={`Option ${index + 1}`}
            required
            maxLength={255}
            style={{ flex: 2 }}
            value={name}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
          <PriceInput
            label={index === 0 ? 'Price' : undefined}
            aria-label={`Price of option ${index + 1}`}
            required
            style={{ flex: 1, minWidth: 108 }}
            currency={currency}
            value={price}
            onChange={(typed) => change({ price: typed })}
          />
          {remove}
        </Group>
      )}
    />
  );
}
