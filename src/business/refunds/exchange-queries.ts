/** SQL statements that find the exchanges by which returned goods paid for a sale. */
import { type Amount, add, subtract } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Change, Versioned } from '../../database/change.js';
import type { DisputablePayment } from '../payments/model.js';
import { selectDispute } from '../payments/queries.js';
import { dependOnPayment } from '../payments/rows.js';
import { PAYMENT_COLUMNS } from '../payments/table.js';

/** A part of the value of returned goods: it was taken from a payment of their sale, and paid for another sale. */
export interface Exchange {
  readonly id: string;
  readonly payment: DisputablePayment;
  readonly exchangedAt: Instant;
  /** What of it has not gone back as money. */
  readonly left: Amount;
}

type ExchangeRow = DisputablePayment &
  Versioned & {
    readonly exchangeId: string;
    readonly leadId: string;
    readonly value: Amount;
    readonly exchangedAt: Instant;
  };

/**
 * The exchanges that paid these tenders, and those that paid for the goods of each of them, and so on: by the id of the tender that they
 * paid, which has the id of its first exchange. The change depends on the payments.
 */
export async function readExchanges(
  change: Change,
  tenders: readonly DisputablePayment[],
): Promise<ReadonlyMap<string, readonly Exchange[]>> {
  const found = new Map<string, readonly ExchangeRow[]>();
  for (let level = tenders; level.length > 0; ) {
    const rows = await listExchanges(change, level);
    for (const { id, registerTenderId } of level) {
      const own = rows.filter(({ leadId }) => leadId === registerTenderId);
      found.set(id, own);
    }
    level = rows.filter(({ id, isExchange }) => isExchange && !found.has(id));
  }
  const rows = [...found.values()].flat();
  for (const row of rows) dependOnPayment(change, row);
  const back = await listRefundsThrough(
    change,
    rows.map(({ id }) => id),
  );
  return new Map([...found].map(([id, own]) => [id, own.map((row) => toExchange(row, back))]));
}

function toExchange(
  { exchangeId, leadId: _, value, exchangedAt, ...payment }: ExchangeRow,
  back: readonly RefundThrough[],
): Exchange {
  const through = back.filter(({ exchangeIds }) => exchangeIds.includes(exchangeId));
  return { id: exchangeId, payment, exchangedAt, left: subtract(value, add(...through.map(({ amount }) => amount))) };
}

async function listExchanges(
  { sql, merchantId }: Change,
  tenders: readonly DisputablePayment[],
): Promise<ExchangeRow[]> {
  const ids = tenders.flatMap(({ registerTenderId }) => registerTenderId ?? []);
  return sql<ExchangeRow[]>`
    select
      ${PAYMENT_COLUMNS.select(sql)}, ${selectDispute(sql, merchantId)}, payments.xmin::text as version, exchange.exchange_id,
      exchange.lead_id, exchange.value, exchange.exchanged_at
    from (
      select refund_id as exchange_id, coalesce(leader_id, refund_id) as lead_id, amount as value, created_at as exchanged_at,
        payment_id as exchanged_id
      from refunds
      where merchant_id = ${merchantId} and (refund_id = any (${ids}::text[]) or leader_id = any (${ids}::text[]))
        and origin = 'EXCHANGE' and status = 'COMPLETED'
    ) exchange
    join payments on payments.merchant_id = ${merchantId} and payments.payment_id = exchange.exchanged_id
    order by exchange.exchange_id <> exchange.lead_id, payments.created_at, payments.payment_id`;
}

interface RefundThrough {
  readonly amount: Amount;
  readonly exchangeIds: readonly string[];
}

/** What has gone back through exchanges, to these payments. */
async function listRefundsThrough({ sql, merchantId }: Change, ids: readonly string[]): Promise<RefundThrough[]> {
  return sql<RefundThrough[]>`
    select amount, exchange_ids
    from refunds
    where merchant_id = ${merchantId} and returned_to = any (${ids as string[]}::text[])
      and status in ('PENDING', 'COMPLETED')`;
}
