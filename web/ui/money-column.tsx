/** A column of amounts: right-aligned, sorted by value, and exact in the CSV. */
import type { ReactNode } from 'react';
import type { Column } from './data-table.js';
import { Money, plainMoney, type WireMoney } from './money.js';

interface MoneyColumn<Row> {
  readonly key: string;
  readonly header: string;
  readonly of: (row: Row) => WireMoney | undefined;
  /** Default: the amount. */
  readonly cell?: (row: Row) => ReactNode;
  readonly wide?: true;
}

export function moneyColumn<Row>({ key, header, of, cell, wide }: MoneyColumn<Row>): Column<Row> {
  const show = (row: Row): ReactNode => {
    const money = of(row);
    return money && <Money value={money} />;
  };
  return {
    key,
    header,
    align: 'right',
    cell: cell ?? show,
    value: (row) => of(row)?.amount,
    csv(row) {
      const money = of(row);
      return money ? plainMoney(money) : '';
    },
    ...(wide && { wide }),
  };
}
