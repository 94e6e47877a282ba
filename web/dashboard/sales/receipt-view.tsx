/** What was sold, line by line, with discounts, taxes and surcharges. */
import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Money, type WireMoney } from '../../ui/money.js';
import { Tag } from '../../ui/tag.js';
import classes from './receipt-view.module.css';
import type { SaleDetail } from './sale.js';

export type Receipt = NonNullable<SaleDetail['receipt']>;
type Item = Receipt['items'][number];

export function ReceiptView({ sale }: { readonly sale: SaleDetail }) {
  const { receipt, tip_money: tip, total_money: total } = sale;
  return (
    <>
      <Title order={2} size="h5" mb="sm">
        Receipt
      </Title>
      {receipt ? (
        <ReceiptLines receipt={receipt} />
      ) : (
        <Line name="Custom amount" value={{ ...total, amount: total.amount - tip.amount }} />
      )}
      {tip.amount > 0 && <Line name="Tip" value={tip} />}
      <Line name="Total paid" value={total} isSum />
    </>
  );
}

export function ReceiptLines({ receipt }: { readonly receipt: Receipt }) {
  return (
    <>
      {receipt.items.map((item) => (
        <ItemLine key={item.line} item={item} />
      ))}
      {receipt.discounts.map(({ name, applied_money }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two lines can have the same name, and the order never changes
        <Line key={index} name={name} value={applied_money} isQuiet />
      ))}
      {receipt.taxes.map(({ name, applied_money, is_inclusive }, index) => (
        <Line
          // biome-ignore lint/suspicious/noArrayIndexKey: as above
          key={index}
          name={is_inclusive ? `${name} (included)` : name}
          value={applied_money}
          isQuiet
        />
      ))}
      {receipt.surcharges.map(({ name, applied_money }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <Line key={index} name={name} value={applied_money} isQuiet />
      ))}
    </>
  );
}

/** With inclusive taxes, but before discounts, as a customer reads it. */
function ItemLine({ item }: { readonly item: Item }) {
  const details = [
    item.variation_name === 'Regular' ? undefined : item.variation_name,
    ...item.modifiers.map(({ name }) => name),
    item.notes,
  ].filter(Boolean);
  const price = { ...item.gross_money, amount: item.total_money.amount - item.discount_money.amount - taxAdded(item) };
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
      value={price}
    />
  );
}

/** The taxes on top of the price. */
function taxAdded({ total_money, gross_money, discount_money, tax_money }: Item): number {
  const inclusive = gross_money.amount + discount_money.amount + tax_money.amount - total_money.amount;
  return tax_money.amount - inclusive;
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
