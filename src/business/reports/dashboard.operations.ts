/** Dashboard operations: reports of sales. */
import { operation } from '../../api/operation.js';
import { about, Bool, choice, optional, Type, text } from '../../api/wire.js';
import { requireLocation } from '../../identity/locations.js';
import { SalesReport, TodayReport } from './dashboard.view.js';
import { localDay, REPORT_GROUPS } from './model.js';
import { parsePeriod } from './period.js';
import { composeReport } from './sales-report.js';
import { composeToday } from './today.js';

export const dashboardReportOperations = [
  operation({
    surface: 'dashboard',
    name: 'retrieveSalesReport',
    method: 'GET',
    path: '/api/dashboard/reports/sales',
    permission: 'OWNER',
    summary: 'Adds up sales and refunds of some days, of at most three years, by time, place, person or what was sold.',
    query: Type.Object({
      begin_date: about(
        'The first day, for example `2026-03-01`. Default: the first of the last 30 days.',
        optional(text(10)),
      ),
      end_date: about('The last day. Default: today.', optional(text(10))),
      group_by: about('What the rows stand for. Default: days.', optional(choice(REPORT_GROUPS))),
      location_id: about('Only sales at this location.', optional(text())),
      compare: about('Whether the period before is added. Default: false.', optional(Bool)),
    }),
    example: { query: { begin_date: '2026-03-02', end_date: '2026-03-02', group_by: 'ITEM' } },
    response: SalesReport,
    async handle(context, { query }) {
      const { merchant, now } = context;
      const { group_by: group = 'DAY', location_id, compare = false } = query;
      if (location_id !== undefined) requireLocation(merchant, location_id, 'location_id');
      const timezone = (merchant.locations.find(({ id }) => id === location_id) ?? merchant.locations[0])?.timezone;
      return composeReport(context, {
        period: parsePeriod(query, localDay(timezone ?? 'UTC', now)),
        group,
        locationIds: location_id === undefined ? merchant.locations.map(({ id }) => id) : [location_id],
        compares: compare,
      });
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'retrieveToday',
    method: 'GET',
    path: '/api/dashboard/reports/today',
    permission: 'OWNER',
    summary: 'Adds up the sales of today against the same weekday of the week before, with the latest sales.',
    response: TodayReport,
    async handle(context) {
      return composeToday(context);
    },
  }),
];
