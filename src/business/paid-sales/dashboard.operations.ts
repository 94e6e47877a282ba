/** The owner's list of sales with its search, and one sale with all that happened to it. */
import { listFlagsOfSale } from '../../access/devices/flag-queries.js';
import { listOperation, operation } from '../../api/operation.js';
import { parseDayRange, parseRange, toLocationRanges } from '../../api/ranges.js';
import { about, Bool, choice, Day, model, optional, type Static, Time, Type, text } from '../../api/wire.js';
import { notFound, Refusal } from '../../base/errors.js';
import { isUuid } from '../../base/ids.js';
import { printMilliseconds, yearBefore } from '../../base/time.js';
import type { LocationRange } from '../../database/keyset.js';
import { listDeliveriesAbout } from '../../events/delivery-queries.js';
import { DELIVERY_STATES } from '../../events/model.js';
import { findApplication } from '../../identity/application-queries.js';
import type { CallerMerchant } from '../../identity/caller.js';
import { requireLocation } from '../../identity/locations.js';
import { TENDER_TYPES } from '../tenders/model.js';
import { DashboardSale, DashboardSaleDetail, toDashboardSale, toDashboardSaleDetail } from './dashboard.view.js';
import { findOwnerSale } from './detail-queries.js';
import type { OwnerSaleDetail } from './owner-model.js';
import { listOwnerSales } from './owner-queries.js';
import { SALE_KINDS, SALE_STATES } from './sale-fields.view.js';
import { parseSaleSearch } from './search.js';

const SaleQuery = Type.Object({
  begin_time: about('Only sales at this time or later.', optional(Time)),
  end_time: about('Only sales before this time.', optional(Time)),
  begin_date: about('Only sales on this day of their location or later.', optional(Day)),
  end_date: about('Only sales on this day of their location or before.', optional(Day)),
  location_id: about('Only sales at this location.', optional(text())),
  kind: about('Only sales of this kind.', optional(choice(SALE_KINDS))),
  state: about('Only sales in this state.', optional(choice(SALE_STATES))),
  tender_type: about('Only sales with a tender of this kind.', optional(choice(TENDER_TYPES))),
  card_brand: about('Only sales with a card of this brand.', optional(text(50))),
  employee_id: about('Only sales of this employee.', optional(text(64))),
  refunded: about('Whether something went back to the buyer. Default: either.', optional(Bool)),
  flagged: about('Whether the sale has flags that the owner has not reviewed. Default: either.', optional(Bool)),
  search: about(
    'An id, a receipt number, an amount or the last four digits of a card. Every meaning that the text can have is searched.',
    optional(text(192)),
  ),
  order: about('The order of the list by time. Default: newest first.', optional(choice(['ASC', 'DESC']))),
});

type Query = Static<typeof SaleQuery>;

function toDayRanges({ locations }: CallerMerchant, query: Query): LocationRange[] {
  const { first, last } = parseDayRange(query, 'begin_date', 'end_date');
  return first === undefined && last === undefined ? [] : toLocationRanges(locations, { first, last });
}

function parseEmployeeId(id: string | undefined): string | undefined {
  if (id === undefined || isUuid(id)) return id;
  throw new Refusal('INVALID_VALUE', { field: 'employee_id', detail: 'employee_id is not the id of an employee.' });
}

const SaleDelivery = model('DashboardSaleDelivery', {
  id: about('The id of the delivery.', Type.String()),
  event_type: about('The kind of the event.', Type.String()),
  entity_id: about('The record that changed.', Type.String()),
  state: about(
    'Whether the receiver has accepted it, another attempt follows, or it was given up.',
    choice(DELIVERY_STATES),
  ),
  attempt_count: about('How often it was sent.', Type.Integer()),
  created_at: about('When the event happened, in real time.', Time),
});

/** The ids of the records whose events concern the sale. */
function entitiesOf({ v1Id, tenders, refunds }: OwnerSaleDetail): string[] {
  return [...new Set([v1Id, ...tenders.map(({ id }) => id), ...refunds.map(({ id }) => id)])];
}

const MAX_DELIVERIES = 100;

export const dashboardSaleOperations = [
  listOperation({
    surface: 'dashboard',
    name: 'listSales',
    method: 'GET',
    path: '/api/dashboard/sales',
    permission: 'OWNER',
    summary:
      'Lists sales, newest first by default. `search` finds ids, references, receipt numbers, the last four digits of a card, and amounts.',
    page: { token: 'cursor', limit: { default: 50, max: 200, over: 'cap' }, keys: ['sales'] },
    query: SaleQuery,
    item: DashboardSale,
    async handle({ database, merchant, now }, { query, page }) {
      const { location_id: locationId, search } = query;
      if (locationId !== undefined) requireLocation(merchant, locationId, 'location_id');
      const { items, next } = await listOwnerSales(database.sql, {
        merchantId: merchant.id,
        locationId,
        created: parseRange(query, 'begin_time', 'end_time'),
        days: toDayRanges(merchant, query),
        kind: query.kind,
        state: query.state,
        tenderType: query.tender_type,
        cardBrand: query.card_brand,
        employeeId: parseEmployeeId(query.employee_id),
        refunded: query.refunded,
        isFlagged: query.flagged ?? false,
        search: search?.trim() ? parseSaleSearch(search, merchant.currency) : undefined,
        receiptsSince: yearBefore(now),
        order: query.order ?? 'DESC',
        page,
      });
      return { items: items.map((sale) => toDashboardSale(sale, merchant.currency)), next };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'retrieveSale',
    method: 'GET',
    path: '/api/dashboard/sales/{sale_id}',
    permission: 'OWNER',
    summary: 'Shows a sale by its id, or by the id of one of its tenders or refunds, with all that happened to it.',
    response: Type.Object({
      sale: about('The sale with everything about it.', DashboardSaleDetail),
      deliveries: about('The webhooks about the sale.', Type.Array(SaleDelivery)),
    }),
    async handle({ database: { sql }, merchant, now }, { params: { sale_id } }) {
      const sale = await findOwnerSale(sql, merchant.id, { id: sale_id, now });
      if (!sale) throw notFound('sale', sale_id);
      const applicationId = sale.tenders[0]?.applicationId;
      const [application, deliveries, flagged] = await Promise.all([
        applicationId ? findApplication(sql, applicationId) : undefined,
        listDeliveriesAbout(sql, merchant.id, { entityIds: entitiesOf(sale), limit: MAX_DELIVERIES }),
        listFlagsOfSale(sql, merchant.id, sale.id),
      ]);
      const { id: merchantId, currency } = merchant;
      return {
        sale: toDashboardSaleDetail(sale, { merchantId, currency, applicationName: application?.name, flagged }),
        deliveries: deliveries.map(({ id, kind, entityId, state, attempts, createdAt }) => ({
          id,
          event_type: kind,
          entity_id: entityId,
          state,
          attempt_count: attempts,
          created_at: printMilliseconds(createdAt),
        })),
      };
    },
  }),
];
