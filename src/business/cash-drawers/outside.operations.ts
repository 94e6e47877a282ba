/** Dashboard operations on cash that registers took or gave back while no drawer was open for it. */
import { listOperation, operation } from '../../api/operation.js';
import { parseRange } from '../../api/ranges.js';
import { about, optional, type Static, Time, Type, text } from '../../api/wire.js';
import { DAY_MS, type Instant, instant } from '../../base/time.js';
import type { CallerMerchant } from '../../identity/caller.js';
import { requireLocation } from '../../identity/locations.js';
import { OutsideCash, OutsideEntryModel, toOutsideCash, toOutsideEntry } from './outside.view.js';
import { findOutsideSums, listOutside, type OutsideFilter } from './outside-queries.js';

/** A business without drawers has all its cash outside of them, so there is always a beginning. */
const DEFAULT_MS = 30 * DAY_MS;

const Query = Type.Object({
  location_id: about('Only cash at this location.', optional(text())),
  begin_time: about('Only cash of this time or later. Default: 30 days before the end.', optional(Time)),
  end_time: about('Only cash before this time. Default: until now.', optional(Time)),
});

function toFilter(merchant: CallerMerchant, query: Static<typeof Query>, now: Instant): OutsideFilter {
  const { location_id: locationId } = query;
  if (locationId !== undefined) requireLocation(merchant, locationId, 'location_id');
  const { begin, end } = parseRange(query, 'begin_time', 'end_time');
  return {
    merchantId: merchant.id,
    locationId,
    created: { begin: begin ?? instant(Math.max((end ?? now) - DEFAULT_MS, 0)), end },
  };
}

export const outsideDrawersOperations = [
  listOperation({
    surface: 'dashboard',
    name: 'listCashOutsideDrawers',
    method: 'GET',
    path: '/api/dashboard/cash-outside-drawers',
    permission: 'OWNER',
    summary: 'Lists cash that registers took or gave back while no drawer was open for it, newest first.',
    page: { token: 'cursor', limit: { default: 50, max: 200, over: 'cap' }, keys: ['entries'] },
    query: Query,
    item: OutsideEntryModel,
    async handle({ database, merchant, now }, { query, page }) {
      const { items, next } = await listOutside(database.sql, toFilter(merchant, query, now), page);
      return { items: items.map((entry) => toOutsideEntry(entry, merchant.currency)), next };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'sumCashOutsideDrawers',
    method: 'GET',
    path: '/api/dashboard/cash-outside-drawers/sum',
    permission: 'OWNER',
    summary: 'Adds up the cash that registers took or gave back while no drawer was open for it.',
    query: Query,
    response: Type.Object({ cash: about('The sums.', OutsideCash) }),
    async handle({ database, merchant, now }, { query }) {
      const sums = await findOutsideSums(database.sql, toFilter(merchant, query, now));
      return { cash: toOutsideCash(sums, merchant.currency) };
    },
  }),
];
