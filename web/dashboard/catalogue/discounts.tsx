/** The discounts of the catalogue. */
import { SegmentedControl, Stack, Switch } from '@mantine/core';
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import type { Column } from '../../ui/data-table.js';
import { printMoney } from '../../ui/money.js';
import { PriceInput, parsePrice, printPrice } from '../../ui/price-input.js';
import { Tag } from '../../ui/tag.js';
import { useBusiness } from '../business.js';
import type { Discount } from './catalogue-data.js';
import { NameInput, PercentInput } from './part-fields.js';
import { PartTable } from './part-table.js';
import { parsePercent, printPercent } from './words.js';

interface Draft {
  readonly name: string;
  readonly kind: 'rate' | 'amount';
  readonly percent: string;
  readonly amount: string;
  readonly restricted: boolean;
}

const LABELS: Readonly<Record<keyof Draft, string>> = {
  name: 'Name',
  kind: 'Kind',
  percent: 'Percentage',
  amount: 'Amount',
  restricted: 'Restricted',
};

function printMeasure({ rate, amount_money }: Discount): string {
  if (amount_money) return printMoney(amount_money);
  return rate === undefined ? '' : printPercent(rate);
}

const COLUMNS: readonly Column<Discount>[] = [
  { key: 'name', header: 'Name', cell: ({ name }) => name, value: ({ name }) => name },
  { key: 'measure', header: 'Takes off', align: 'right', cell: printMeasure, value: printMeasure },
  {
    key: 'restricted',
    header: 'Who may give it',
    cell: ({ restricted }) => (restricted ? <Tag tone="warning">Restricted</Tag> : <Tag tone="quiet">Everybody</Tag>),
    value: ({ restricted }) => (restricted ? 'restricted' : 'everybody'),
  },
];

function toDraft(row: Discount | undefined): Draft {
  return {
    name: row?.name ?? '',
    kind: row?.amount_money ? 'amount' : 'rate',
    percent: row?.rate === undefined ? '' : printPercent(row.rate).replace(' %', ''),
    amount: row?.amount_money ? printPrice(row.amount_money) : '',
    restricted: row?.restricted ?? false,
  };
}

function readDraft({ name, kind, percent, amount, restricted }: Draft, currency: string) {
  if (kind === 'rate') {
    const rate = parsePercent(percent);
    if (rate === undefined) throw new Error('Type a percentage from 0 to 100.');
    return { name, rate, restricted };
  }
  const minor = parsePrice(amount, currency);
  if (minor === undefined) throw new Error('Type an amount such as 2.00.');
  return { name, amount_money: { amount: minor }, restricted };
}

export function Discounts() {
  const { currency } = useBusiness();
  return (
    <PartTable<Discount, Draft>
      name="Discounts"
      noun="discount"
      pick={({ discounts }) => discounts}
      columns={COLUMNS}
      explanation="Discounts appear at every register. A restricted one can only be given by employees whose role allows it."
      onDeletion="Registers no longer offer it. Past sales keep it."
      toDraft={toDraft}
      labels={LABELS}
      fields={(draft, change, errorOf) => (
        <Stack gap="md">
          <NameInput value={draft.name} onChange={(name) => change({ name })} error={errorOf('name')} />
          <SegmentedControl
            aria-label="Kind of discount"
            data={[
              { value: 'rate', label: 'Percentage' },
              { value: 'amount', label: 'Amount' },
            ]}
            value={draft.kind}
            onChange={(kind) => change({ kind: kind as Draft['kind'] })}
          />
          {draft.kind === 'rate' ? (
            <PercentInput value={draft.percent} onChange={(percent) => change({ percent })} error={errorOf('rate')} />
          ) : (
            <PriceInput
              label="Amount"
              required
              currency={currency}
              value={draft.amount}
              onChange={(amount) => change({ amount })}
              error={errorOf('amount_money.amount')}
            />
          )}
          <Switch
            label="Restricted"
            description="Only employees whose role may apply restricted discounts can give it."
            checked={draft.restricted}
            onChange={(event) => change({ restricted: event.currentTarget.checked })}
          />
        </Stack>
      )}
      create={async (draft) => call(dashboard.createDiscount, readDraft(draft, currency))}
      update={async (draft, { id, version }) =>
        call(dashboard.updateDiscount, { ...readDraft(draft, currency), discount_id: id, version })
      }
      remove={(id) => call(dashboard.deleteDiscount, { discount_id: id })}
    />
  );
}
