/** The dashboard's view of settlements: the v1 view, with the location, and for a failed settlement what became of its money. */
import { about, model, optional, type Static, Time, Type } from '../../api/wire.js';
import { printSeconds } from '../../base/time.js';
import type { Settlement, SettlementEntry } from './model.js';
import { toV1Settlement, V1Settlement } from './v1.view.js';

export const SettlementModel = model('DashboardSettlement', {
  ...V1Settlement.properties,
  location_id: about('The location whose money it is.', Type.String()),
  failed_at: about('When the bank rejected it. Absent if it did not.', optional(Time)),
  returned_in_settlement_id: about(
    'The later settlement that contains the returned money of this failed one. Absent in the list, and until there is one.',
    optional(Type.String()),
  ),
});

interface Details {
  readonly entries: readonly SettlementEntry[];
  readonly returnedIn: string | undefined;
}

export function toSettlement(settlement: Settlement, details?: Details): Static<typeof SettlementModel> {
  const { locationId, failedAt } = settlement;
  return {
    ...toV1Settlement(settlement, details?.entries),
    location_id: locationId,
    ...(failedAt !== null && { failed_at: printSeconds(failedAt) }),
    ...(details?.returnedIn !== undefined && { returned_in_settlement_id: details.returnedIn }),
  };
}
