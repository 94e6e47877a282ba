/** The figures of a table as columns, in its order and with its names. */
import { type Figures, figuresOf, type NameIn } from '../../src/business/figures/model.js';
import type { Column } from './data-table.js';
import type { WireMoney } from './money.js';
import { moneyColumn } from './money-column.js';

interface FigureColumns<Table extends Figures, Row> {
  readonly table: Table;
  readonly of: (row: Row) => Readonly<Partial<Record<NameIn<Table>, WireMoney>>>;
  /** What differs from a column of amounts. */
  readonly looks?: Readonly<Partial<Record<NameIn<Table>, Partial<Column<Row>>>>>;
}

export function figureColumns<Table extends Figures, Row>({
  table,
  of,
  looks,
}: FigureColumns<Table, Row>): Column<Row>[] {
  return figuresOf(table).map(({ name, label }) => ({
    ...moneyColumn<Row>({ key: name, header: label, of: (row) => of(row)[name] }),
    ...looks?.[name],
  }));
}
