/** What was sold, line by line, with discounts, taxes and surcharges. */
import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Money, type WireMoney } from '../../ui/money.js';
import { Tag } from '../../ui/tag.js';
import classes from './receipt-view.module.css';
import type { SaleDetail } from './sale.js';

export type Receipt = NonNullable<SaleDetail['receipt']>;
type Item = Receipt['items'][number];

export function ReceiptView({ sale: { receipt, receipt_lines } }: { readonly sale: SaleDetail }) {
  return (
    <>
      <Title order={2} size="h5" mb="sm">
        Receipt
      </Title>
      <ReceiptLines receipt={receipt} lines={receipt_lines} />
    </>
  );
}

interface ReceiptLinesProps {
  readonly receipt: Receipt | undefined;
  readonly lines: SaleDetail['receipt_lines'];
}

export function ReceiptLines({ receipt, lines }: ReceiptLinesProps) {
  return (
    <>
      {!receipt && lines[0] && <Line name="Custom amount" value={lines[0].amount_money} />}
      {receipt?.items.map((item) => (
        <ItemLine key={item.line} item={item} />
      ))}
      {lines.map(({ figure, name, amount_money, is_sum }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two lines can have the same name, and the order never changes
        <Line key={index} name={name} value={amount_money} isSum={is_sum} isQuiet={!is_sum && figure !== 'subtotal'} />
      ))}
    </>
  );
}

function ItemLine({ item }: { readonly item: Item }) {
  const details = [
    item.variation_name === 'Regular' ? undefined : item.variation_name,
    ...item.modifiers.map(({ name }) => name),
    item.notes,
  ].filter(Boolean);
  return (
    <Line
      name={
        <>
          {item.quantity !== 1 && `${item.quantity} × `}
          {item.name}{' '}
          {item.returned_quantity > 0 && (
            <Tag tone="warning">
              {item.returned_quantity === item.quantity ? 'Refunded' : `${item.returned_quantity} refunded`}
            </Tag>
          )}
        </>
      }
      note={details.join(', ')}
      value={item.list_money}
    />
  );
}

interface LineProps {
  readonly name: ReactNode;
  readonly note?: string;
  readonly value: WireMoney;
  readonly isSum?: boolean;
  readonly isQuiet?: boolean;
}

export function Line({ name, note, value, isSum = false, isQuiet = false }: LineProps) {
  return (
    <div className={classes['line']} data-line data-sum={isSum || undefined} data-quiet={isQuiet || undefined}>
      <div className={classes['name']}>
        {name}
        {note && (
          <Text span size="sm" c="dimmed" display="block">
            {note}
          </Text>
        )}
      </div>
      <Money value={value} />
    </div>
  );
}
