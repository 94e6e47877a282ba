/** The dashboard's view of settlements: that of the first generation, with the location. */
import { model, type Static, Type } from '../../api/wire.js';
import type { Settlement, SettlementEntry } from './model.js';
import { toV1Settlement, V1Settlement } from './v1.view.js';

export const SettlementModel = model('DashboardSettlement', {
  ...V1Settlement.properties,
  location_id: Type.String(),
});

export function toSettlement(
  settlement: Settlement,
  entries?: readonly SettlementEntry[],
): Static<typeof SettlementModel> {
  return { ...toV1Settlement(settlement, entries), location_id: settlement.locationId };
}
