/** The settlements that were sent last. */
import { Money } from '../../ui/money.js';
import { printTime } from '../../ui/time.js';
import { useBusiness } from '../business.js';
import { SettlementState } from '../payouts/settlement.js';
import { useLatestSettlements } from './now.js';
import { Panel } from './panel.js';

export function LatestPayouts() {
  const { timezoneOf, locationName } = useBusiness();
  const query = useLatestSettlements();
  return (
    <Panel
      title="Latest payouts"
      to="/dashboard/payouts"
      link="All payouts"
      query={query}
      toItem={(settlement) => ({
        key: settlement.id,
        title: printTime(settlement.initiated_at, 'day', timezoneOf(settlement.location_id)),
        note: locationName(settlement.location_id),
        value: <Money value={settlement.total_money} fw={600} />,
        valueNote: settlement.status === 'SENT' ? 'sent' : <SettlementState settlement={settlement} />,
      })}
      empty="Nothing has been paid out yet."
    />
  );
}
