/** The two v2 operations on transactions: sales with their tenders, read-only and beyond the contract (decision 0103). */
import { lastYearByDefault } from '../../api/defaults.js';
import { listOperation, operation } from '../../api/operation.js';
import { parseRange } from '../../api/ranges.js';
import { about, choice, model, optional, type Static, Time, Type } from '../../api/wire.js';
import { notFound } from '../../base/errors.js';
import type { Sql } from '../../database/database.js';
import type { CallerMerchant } from '../../identity/caller.js';
import { requireLocation } from '../../identity/locations.js';
import type { PaidSale } from './model.js';
import { findPaidSale, listPaidSales } from './queries.js';
import { listTenderDetails } from './transaction-queries.js';
import { Transaction, toTransaction } from './v2.view.js';

const PATH = '/v2/locations/{location_id}/transactions';

async function toTransactions(
  sql: Sql,
  { id, currency }: CallerMerchant,
  sales: readonly PaidSale[],
): Promise<Static<typeof Transaction>[]> {
  const ids = sales.flatMap((sale) => sale.tenders.map((tender) => tender.id));
  const tenders = await listTenderDetails(sql, id, ids);
  return sales.map((sale) => toTransaction(sale, { currency, tenders }));
}

export const v2TransactionOperations = [
  listOperation({
    surface: 'v2',
    name: 'listTransactions',
    method: 'GET',
    path: PATH,
    permission: 'PAYMENTS_READ',
    beyondContract: true,
    summary: 'Lists the sales of a location with their tenders and refunds, newest first by default.',
    page: { token: 'cursor', limit: { default: 50, max: 50, over: 'cap' }, keys: ['transactions'] },
    query: Type.Object({
      begin_time: about('Only transactions at this time or later.', optional(Time)),
      end_time: about('Only transactions before this time.', optional(Time)),
      sort_order: about('The order of the transactions by time.', optional(choice(['ASC', 'DESC']))),
    }),
    item: Transaction,
    resolve: ({ now }, query) => lastYearByDefault(query, now),
    async handle({ database, merchant }, { params: { location_id }, query, page }) {
      requireLocation(merchant, location_id);
      const { items, next } = await listPaidSales(database.sql, {
        merchantId: merchant.id,
        locationId: location_id,
        includePartial: false,
        created: parseRange(query, 'begin_time', 'end_time'),
        bounds: 'ASC',
        order: query.sort_order ?? 'DESC',
        page,
      });
      return { items: await toTransactions(database.sql, merchant, items), next };
    },
  }),

  operation({
    surface: 'v2',
    name: 'retrieveTransaction',
    method: 'GET',
    path: `${PATH}/{transaction_id}`,
    permission: 'PAYMENTS_READ',
    beyondContract: true,
    summary: 'Returns one sale by its id or by the id of one of its tenders.',
    response: model('TransactionResponse', { transaction: about('The transaction.', Transaction) }),
    async handle({ database, merchant }, { params: { location_id, transaction_id } }) {
      requireLocation(merchant, location_id);
      const key = { merchantId: merchant.id, locationId: location_id, id: transaction_id };
      const sale = await findPaidSale(database.sql, key);
      const [transaction] = sale && !sale.isPartial ? await toTransactions(database.sql, merchant, [sale]) : [];
      if (!transaction) throw notFound('transaction', transaction_id);
      return { transaction };
    },
  }),
];
