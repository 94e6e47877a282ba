/**
 * The records that an incremental check reads again: those of sales of which a row has changed, and of sales that exchanges connect with them
 * (decision 0259).
 */
import type { Tx } from '../database/database.js';
import type { Changes } from './changes.js';
import { IdSet, Parameters } from './parameters.js';

/** So many sales are named to every law, or read of suspected merchants. With more, reading everything takes as long. */
const MAX_SALES = 200_000;

export interface Touched {
  /** All of whose records are read. Their ids are not among the others. */
  readonly merchants: readonly string[];
  /** Also of sales that do not exist. */
  readonly sales: IdSet;
  readonly payments: IdSet;
  readonly refunds: IdSet;
  readonly movements: IdSet;
  /** What changed events and keys are about, whatever it is. */
  readonly others: IdSet;
}

interface Row {
  readonly merchantId: string;
  readonly id: string;
}

/** Undefined: so many that everything is read. `open` are records that broke a law at the last check. */
export async function findTouched(tx: Tx, changes: Changes, open: readonly Row[]): Promise<Touched | undefined> {
  const merchants = new Set(changes.suspects);
  for (const { merchantId } of await findUnknown(tx, open)) merchants.add(merchantId);
  const isOther = ({ merchantId }: { readonly merchantId: string }) => !merchants.has(merchantId);
  const changed = (table: keyof Changes['rows']) => (changes.rows[table] ?? []).filter(isOther);

  const named = new IdSet();
  named.addAll(open.filter(isOther));
  for (const table of Object.keys(changes.rows) as (keyof Changes['rows'])[])
    for (const { merchantId, ids } of changed(table)) for (const id of ids) named.add(merchantId, id);
  const sales = new IdSet();
  sales.addAll(await findSales(tx, named));
  // The sale of a payment may not exist.
  sales.addAll([...changed('sales'), ...changed('payments')].map(toLast));
  addConnected(sales, await findConnections(tx));
  if (sales.size + (await countPayments(tx, merchants)) > MAX_SALES) return undefined;

  const [payments, refunds, movements] = [new IdSet(), new IdSet(), new IdSet()];
  payments.addAll(await findPayments(tx, sales));
  refunds.addAll([...changed('refunds').map(toFirst), ...(await findRefunds(tx, payments))]);
  movements.addAll([...changed('movements').map(toFirst), ...(await findMovements(tx, payments, refunds))]);
  const others = new IdSet();
  others.addAll([...changed('cash_drawer_events'), ...changed('idempotency_keys')].map(toFirst));
  return { merchants: [...merchants], sales, payments, refunds, movements, others };
}

type Named = { readonly merchantId: string; readonly ids: readonly string[] };
const toFirst = ({ merchantId, ids }: Named): Row => ({ merchantId, id: ids[0] ?? '' });
const toLast = ({ merchantId, ids }: Named): Row => ({ merchantId, id: ids.at(-1) ?? '' });

const SALE_OF = `
  cross join lateral (
    select sale_id from sales where merchant_id = k.merchant_id and sale_id = k.id
    union all
    select sale_id from payments where merchant_id = k.merchant_id and payment_id = k.id
    union all
    select p.sale_id
    from refunds r
    join payments p using (merchant_id, payment_id)
    where r.merchant_id = k.merchant_id and r.refund_id = k.id
    union all
    select p.sale_id
    from movements m
    join payments p using (merchant_id, payment_id)
    where m.merchant_id = k.merchant_id and m.movement_id = k.id
  ) as found`;

/** The sales of the records with these ids, whatever they are. */
async function findSales(tx: Tx, ids: IdSet): Promise<readonly Row[]> {
  const parameters = new Parameters();
  const statement = `select distinct k.merchant_id, found.sale_id as id from ${parameters.rows(ids)} ${SALE_OF}`;
  return tx.unsafe<Row[]>(statement, parameters.values);
}

/** Those of the records that belong to no sale. Their law may be about anything of their merchant. */
async function findUnknown(tx: Tx, records: readonly Row[]): Promise<readonly Row[]> {
  const [parameters, ids] = [new Parameters(), new IdSet()];
  ids.addAll(records);
  const statement = `
    select merchant_id, id from ${parameters.rows(ids)}
    except
    select k.merchant_id, k.id from ${parameters.rows(ids)} ${SALE_OF}`;
  return tx.unsafe<Row[]>(statement, parameters.values);
}

interface Connection {
  readonly merchantId: string;
  readonly one: string;
  readonly other: string;
}

/** Pairs of sales whose records name each other, as those of exchanges do. A law may compare both. */
async function findConnections(tx: Tx): Promise<readonly Connection[]> {
  return tx.unsafe<Connection[]>(`
    select distinct p.merchant_id, p.sale_id as one, q.sale_id as other
    from (
      select merchant_id, payment_id as one, returned_to as other
      from refunds
      where returned_to is not null
      union all
      select r.merchant_id, r.payment_id, e.payment_id
      from refunds r
      cross join lateral unnest(r.exchange_ids || r.leader_id) as id
      join refunds e on e.merchant_id = r.merchant_id and e.refund_id = id
      where (r.exchange_ids is not null or r.leader_id is not null) and e.payment_id <> r.payment_id
      union all
      select t.merchant_id, t.payment_id, e.payment_id
      from payments t
      join refunds e on e.merchant_id = t.merchant_id and coalesce(e.leader_id, e.refund_id) = t.register_tender_id
      where t.is_exchange and e.origin = 'EXCHANGE'
      union all
      select m.merchant_id, m.payment_id, r.payment_id
      from movements m
      join refunds r using (merchant_id, refund_id)
      where m.payment_id <> r.payment_id
    ) as pair
    join payments p on p.merchant_id = pair.merchant_id and p.payment_id = pair.one
    join payments q on q.merchant_id = pair.merchant_id and q.payment_id = pair.other
    where p.sale_id <> q.sale_id`);
}

function addConnected(sales: IdSet, connections: readonly Connection[]): void {
  const isIn = new Set([...sales].map(toKey));
  const neighbours = new Map<string, Row[]>();
  for (const { merchantId, one, other } of connections)
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      const key = toKey([merchantId, from]);
      neighbours.set(key, [...(neighbours.get(key) ?? []), { merchantId, id: to }]);
    }
  const remaining = [...neighbours.keys()].filter((key) => isIn.has(key));
  for (let key = remaining.pop(); key !== undefined; key = remaining.pop())
    for (const { merchantId, id } of neighbours.get(key) ?? [])
      if (sales.add(merchantId, id)) remaining.push(toKey([merchantId, id]));
}

const toKey = ([merchantId, id]: readonly [string, string]): string => `${merchantId} ${id}`;

/** Of merchants all of whose records are read; no further than it matters. */
async function countPayments(tx: Tx, merchants: Iterable<string>): Promise<number> {
  const parameters = new Parameters();
  const found = await tx.unsafe<{ count: number }[]>(
    `select count(*) as count
    from (select from payments where merchant_id = any (${parameters.array(merchants)}) limit ${MAX_SALES + 1}) as counted`,
    parameters.values,
  );
  return found[0]?.count ?? 0;
}

async function findPayments(tx: Tx, sales: IdSet): Promise<readonly Row[]> {
  const parameters = new Parameters();
  const statement = `
    select p.merchant_id, p.payment_id as id
    from ${parameters.rows(sales)}
    join payments p on p.merchant_id = k.merchant_id and p.sale_id = k.id`;
  return tx.unsafe<Row[]>(statement, parameters.values);
}

async function findRefunds(tx: Tx, payments: IdSet): Promise<readonly Row[]> {
  const parameters = new Parameters();
  const statement = `
    with k as materialized (select * from ${parameters.rows(payments)})
    select r.merchant_id, r.refund_id as id
    from k
    join refunds r on r.merchant_id = k.merchant_id and r.payment_id = k.id
    union
    select r.merchant_id, r.refund_id
    from k
    join refunds r on r.merchant_id = k.merchant_id and r.returned_to = k.id`;
  return tx.unsafe<Row[]>(statement, parameters.values);
}

async function findMovements(tx: Tx, payments: IdSet, refunds: IdSet): Promise<readonly Row[]> {
  const parameters = new Parameters();
  const statement = `
    select m.merchant_id, m.movement_id as id
    from ${parameters.rows(payments)}
    join movements m on m.merchant_id = k.merchant_id and m.payment_id = k.id
    union
    select m.merchant_id, m.movement_id
    from ${parameters.rows(refunds)}
    join movements m on m.merchant_id = k.merchant_id and m.refund_id = k.id`;
  return tx.unsafe<Row[]>(statement, parameters.values);
}
