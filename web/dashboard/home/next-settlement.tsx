/** When each location is settled next, and how much it will be so far. */
import { Money } from '../../ui/money.js';
import { printTime } from '../../ui/time.js';
import { useBusiness } from '../business.js';
import { useBalance } from '../payouts/balance.js';
import { Panel } from './panel.js';

export function NextSettlement() {
  const { timezoneOf, locationName } = useBusiness();
  const { data: balance, error, refetch } = useBalance();
  const waits = balance !== undefined && !balance.has_bank_account;
  return (
    <Panel
      title="Next settlement"
      to="/dashboard/payouts"
      link="Payouts"
      query={{ data: balance?.locations.filter(({ entries }) => entries > 0), error, refetch }}
      toItem={({ location_id, unsettled_money, next_close_at }) => ({
        key: location_id,
        title: locationName(location_id),
        note: waits
          ? 'waits for a bank account'
          : next_close_at && `closes ${printTime(next_close_at, 'both', timezoneOf(location_id))}`,
        value: <Money value={unsettled_money} fw={600} />,
        valueNote: 'so far',
      })}
      empty="Nothing is waiting to be settled."
    />
  );
}
