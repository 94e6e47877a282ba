/** The register operation that finds the sale of a buyer who returns something. */
import { operation } from '../../api/operation.js';
import { parseRange } from '../../api/ranges.js';
import { about, optional, Time, Type, text } from '../../api/wire.js';
import { yearBefore } from '../../base/time.js';
import { listPayers } from '../refunds/through-exchanges.js';
import { listSoldItems } from './detail-queries.js';
import { listOwnerSales } from './owner-queries.js';
import { RegisterFoundSale, toFoundSale } from './register.view.js';
import { parseSaleSearch } from './search.js';

/** Enough, because the sale of the buyer is usually among the newest ones that are found. */
const MAX_FOUND = 50;

export const registerFoundSaleOperations = [
  operation({
    surface: 'register',
    name: 'findSales',
    method: 'GET',
    path: '/api/register/sale-search',
    permission: { anyOf: ['REGISTER_ACCESS_SALES_HISTORY', 'REGISTER_ISSUE_REFUNDS'] },
    summary:
      "Finds sales of the device's location by `query`: a receipt number, the last four digits of a card, an amount, an id or the address of a receipt; or by time. Newest first, at most 50.",
    query: Type.Object({
      query: about(
        'A receipt number, the last four digits of a card, an amount, an id or the address of a receipt.',
        optional(text()),
      ),
      begin_time: about('Only sales at this time or later.', optional(Time)),
      end_time: about('Only sales before this time.', optional(Time)),
    }),
    example: { query: { query: '10.00' } },
    response: Type.Object({ sales: about('The sales that were found, newest first.', Type.Array(RegisterFoundSale)) }),
    async handle({ database, merchant, device, now, givenUrl: publicUrl }, { query }) {
      const { sql } = database;
      const typed = query.query?.trim();
      const { items: sales } = await listOwnerSales(sql, {
        ...{ merchantId: merchant.id, locationId: device.locationId, days: [] },
        created: parseRange(query, 'begin_time', 'end_time'),
        ...{ kind: undefined, state: undefined, tenderType: undefined, cardBrand: undefined },
        ...{ employeeId: undefined, refunded: undefined },
        search: typed ? parseSaleSearch(typed, merchant.currency) : undefined,
        receiptsSince: yearBefore(now),
        order: 'DESC',
        page: { limit: MAX_FOUND, after: undefined },
      });
      const saleIds = sales.map(({ id }) => id);
      const sold = saleIds.length === 0 ? new Map() : await listSoldItems(sql, merchant.id, saleIds);
      const nothing = { receipt: null, refunds: [] };
      const byGoods = sales
        .flatMap(({ tenders }) => tenders.filter(({ isExchange }) => isExchange))
        .map(({ id }) => id);
      const payers =
        byGoods.length === 0 ? new Map() : await database.change(merchant.id, (change) => listPayers(change, byGoods));
      const site = { currency: merchant.currency, payers, merchantId: merchant.id, publicUrl };
      return { sales: sales.map((sale) => toFoundSale(sale, sold.get(sale.id) ?? nothing, site)) };
    },
  }),
];
