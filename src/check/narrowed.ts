/**
 * Lets a law read only the touched records: a common table expression with the name of each table hides the table itself, so the statement of
 * the law stays as it is (decision 0259).
 */
import { isNewer } from './horizon.js';
import type { Law } from './law.js';
import type { IdSet, Parameters } from './parameters.js';
import type { Touched } from './touched.js';

interface Place {
  readonly parameters: Parameters;
  readonly touched: Touched;
  /** The id of a transaction. */
  readonly horizon: string;
}

/** Each row is found by its key. `offset 0` tells PostgreSQL that it is one row: it would expect far fewer of them in all. */
const byKey =
  (column: string, idsOf: (touched: Touched) => IdSet) =>
  (table: string, { parameters, touched }: Place): string =>
    `
    select found.*
    from ${parameters.rows(idsOf(touched))}
    cross join lateral (
      select *, xmin from ${table} where merchant_id = k.merchant_id and ${column} = k.id offset 0
    ) as found
    union all
    select *, xmin from ${table} where merchant_id = any (${parameters.array(touched.merchants)})`;

/** Of tables without an index for the record: all rows are compared, and new ones are read in any case. */
const byReference =
  (column: string, idsOf: (touched: Touched) => readonly IdSet[]) =>
  (table: string, { parameters, touched, horizon }: Place): string =>
    `
    select *, xmin
    from ${table}
    where ${isNewer(table, parameters.text(horizon))} or merchant_id = any (${parameters.array(touched.merchants)})
      or (merchant_id, ${column}) in (
        ${idsOf(touched)
          .map((ids) => `select k.merchant_id, k.id from ${parameters.rows(ids)}`)
          .join(' union all ')}
      )`;

const NARROWED: Readonly<Record<string, (table: string, place: Place) => string>> = {
  sales: byKey('sale_id', ({ sales }) => sales),
  payments: byKey('payment_id', ({ payments }) => payments),
  refunds: byKey('refund_id', ({ refunds }) => refunds),
  movements: byKey('movement_id', ({ movements }) => movements),
  sale_copies: byKey('sale_id', ({ sales }) => sales),
  orders: byReference('sale_id', ({ sales }) => [sales]),
  holds: byReference('payment_id', ({ payments }) => [payments]),
  cash_drawer_events: byReference('subject_id', ({ payments, refunds, others }) => [payments, refunds, others]),
  idempotency_keys: byReference('made_id', ({ payments, refunds, others }) => [payments, refunds, others]),
};

/** What stands before the statement of the law. */
export function narrow({ statement, readsAllOf = [] }: Law, place: Place): string {
  const tables = Object.keys(NARROWED).filter(
    (table) => new RegExp(`\\b${table}\\b`).test(statement) && !readsAllOf.includes(table),
  );
  return `with ${tables.map((table) => `${table} as (${NARROWED[table]?.(table, place)})`).join(', ')}`;
}
