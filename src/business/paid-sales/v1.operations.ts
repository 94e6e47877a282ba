/** The two v1 operations on sales, which v1 calls payments. */
import { oneYearAtMost } from '../../api/defaults.js';
import { listOperation, type MerchantContext, operation } from '../../api/operation.js';
import { Printed } from '../../api/printed.js';
import { parseRange } from '../../api/ranges.js';
import { about, Bool, optional, Time, Type, V1SortOrder } from '../../api/wire.js';
import { notFound } from '../../base/errors.js';
import { requireLocationOrMe } from '../../identity/locations.js';
import { findPaidSale } from './queries.js';
import { listV1Payments } from './v1.list.js';
import { printV1Payment, toV1Site, V1Payment, type V1Site } from './v1.view.js';

function siteOf({ merchant, publicUrl }: Pick<MerchantContext, 'merchant' | 'publicUrl'>): V1Site {
  return toV1Site({ currency: merchant.currency, merchantId: merchant.id, publicUrl });
}

export const v1SaleOperations = [
  listOperation({
    surface: 'v1',
    name: 'listPayments',
    method: 'GET',
    path: '/v1/{location_id}/payments',
    permission: 'PAYMENTS_READ',
    summary: 'Lists the payments of a location, or with `me` of all locations.',
    page: { token: 'batch_token', limit: { default: 100, max: 200, over: 'refuse' } },
    query: Type.Object({
      order: about('The order of the sales by time.', V1SortOrder),
      begin_time: about('Only sales since this time. Ascending lists include the time itself.', optional(Time)),
      end_time: about('Only sales until this time. Descending lists include the time itself.', optional(Time)),
      include_partial: about('Whether sales that are not paid in full are listed too.', optional(Bool)),
    }),
    item: V1Payment,
    resolve: ({ now }, query) => oneYearAtMost(query, now),
    async handle({ database, merchant, publicUrl }, { params: { location_id }, query, page }) {
      const filter = {
        merchantId: merchant.id,
        locationId: requireLocationOrMe(merchant, location_id),
        includePartial: query.include_partial ?? false,
        created: parseRange(query, 'begin_time', 'end_time'),
        order: query.order ?? 'ASC',
        page,
      };
      return await listV1Payments(database, filter, siteOf({ merchant, publicUrl }));
    },
  }),

  operation({
    surface: 'v1',
    name: 'retrievePayment',
    method: 'GET',
    path: '/v1/{location_id}/payments/{payment_id}',
    permission: 'PAYMENTS_READ',
    summary: 'Returns one payment by its id or by the id of one of its tenders.',
    response: V1Payment,
    async handle({ database, merchant, publicUrl }, { params: { location_id, payment_id } }) {
      const locationId = requireLocationOrMe(merchant, location_id);
      const sale = await findPaidSale(database.sql, { merchantId: merchant.id, locationId, id: payment_id });
      if (!sale) throw notFound('payment', payment_id);
      return new Printed(printV1Payment(sale, siteOf({ merchant, publicUrl })));
    },
  }),
];
