/** The fields of the API for the figures of a table. */
import { Money, toMoney } from '../../api/money.js';
import { about } from '../../api/wire.js';
import type { Amount } from '../../base/money.js';
import type { Schema, Static } from '../../base/schema.js';
import { type Figures, figuresOf, type NameIn } from './model.js';

type Fields<Table extends Figures, Field> = { [Name in NameIn<Table>]: Field };

/** A field for each figure, described as the figure is. */
export function schemaFields<Table extends Figures, Field extends Schema>(
  table: Table,
  field: Field,
): Fields<Table, Field> {
  return Object.fromEntries(figuresOf(table).map(({ name, about: words }) => [name, about(words, field)])) as Fields<
    Table,
    Field
  >;
}

export const moneyFields = <Table extends Figures>(table: Table) => schemaFields(table, Money);

export function toMoneyFields<Name extends string>(
  values: Readonly<Record<Name, Amount>>,
  currency: string,
): Record<Name, Static<typeof Money>> {
  const fields = Object.entries<Amount>(values).map(([name, value]) => [name, toMoney(value, currency)]);
  return Object.fromEntries(fields) as Record<Name, Static<typeof Money>>;
}
