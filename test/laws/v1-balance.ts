/** Compares the sum of v1's lists of payments and refunds with what the business kept. */
import { expect } from 'vitest';
import { walkV1 } from '../support/lists.js';
import { moneyIn, type WireSale } from '../support/sales.js';
import type { TestMerchant, TestServer } from '../support/server.js';
import type { V1Refund } from '../support/v1-refunds.js';

interface Lists {
  readonly payments: readonly WireSale[];
  readonly refunds: readonly V1Refund[];
}

const sum = (numbers: readonly number[]): number => numbers.reduce((so, each) => so + each, 0);
const tendered = (sales: readonly WireSale[]) =>
  sum(sales.flatMap(({ tender }) => tender.map((each) => moneyIn(each, 'total_money'))));
const refunded = (refunds: readonly V1Refund[]) => sum(refunds.map(({ refunded_money }) => refunded_money.amount));

async function readLists(
  server: TestServer,
  { token }: TestMerchant,
  parameters: Record<string, string>,
): Promise<Lists> {
  const get = (path: string) => server.call('GET', path, { token });
  const walked = async (path: string) => (await walkV1({ get, path, parameters })).flatMap(({ body }) => body);
  return { payments: await walked('/v1/me/payments'), refunds: await walked('/v1/me/refunds') };
}

/** Computed from the rows: what is left of every tender of completed sales. */
async function keptOfCompleted({ database }: TestServer, { id }: TestMerchant): Promise<number> {
  const [row] = await database.sql<{ kept: number }[]>`
    select coalesce(sum(total - returned - exchanged), 0)::bigint as kept
    from payments
    join sales using (merchant_id, sale_id)
    where merchant_id = ${id} and captured_at is not null and state = 'COMPLETED'`;
  return row?.kept ?? 0;
}

/**
 * Decision 0055: payments and refunds of the default lists add up to what the business kept of completed sales. With
 * include_partial the lists also contain what is left of open sales, and zero for abandoned ones.
 */
export async function expectBalance(
  server: TestServer,
  merchant: TestMerchant,
  begin_time: string,
): Promise<{ readonly givenUp: number }> {
  const byDefault = await readLists(server, merchant, { begin_time });
  const kept = tendered(byDefault.payments) + refunded(byDefault.refunds);
  expect(kept).toBe(await keptOfCompleted(server, merchant));
  expect(byDefault.payments.filter(({ is_partial }) => is_partial)).toEqual([]);

  const all = await readLists(server, merchant, { begin_time, include_partial: 'true' });
  const partial = all.payments.filter(({ is_partial }) => is_partial);
  const open = partial.filter((sale) => moneyIn(sale, 'total_collected_money') !== -moneyIn(sale, 'refunded_money'));
  const left = tendered(open) + sum(open.map((sale) => moneyIn(sale, 'refunded_money')));
  expect(tendered(all.payments) + refunded(all.refunds)).toBe(kept + left);
  // Every refund belongs to a payment in the list.
  const known = new Set(byDefault.payments.flatMap((sale) => [sale.id, ...sale.tender.map(({ id }) => id)]));
  expect(byDefault.refunds.filter(({ payment_id }) => !known.has(payment_id))).toEqual([]);
  return { givenUp: partial.length - open.length };
}
