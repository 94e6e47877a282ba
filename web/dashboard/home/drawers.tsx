/** The drawers of the locations: what should be in them, or what was over or short. */
import { Money } from '../../ui/money.js';
import { printTime } from '../../ui/time.js';
import { useBusiness } from '../business.js';
import { Difference, type Shift } from '../cash-drawers/shift.js';
import { useLatestShifts } from './now.js';
import { Panel } from './panel.js';

export function Drawers() {
  const { timezoneOf } = useBusiness();
  const query = useLatestShifts();
  const describe = ({ opened_at, ended_at, closed_at, location_id }: Shift): string => {
    const zone = timezoneOf(location_id);
    if (ended_at && !closed_at) return `ended ${printTime(ended_at, 'both', zone)}`;
    return closed_at
      ? `counted ${printTime(closed_at, 'both', zone)}`
      : `open since ${printTime(opened_at, 'both', zone)}`;
  };
  return (
    <Panel
      title="Cash drawers"
      to="/dashboard/cash-drawers"
      link="All shifts"
      query={query}
      toItem={(shift) => ({
        key: shift.id,
        title: shift.device.name,
        note: describe(shift),
        value: <Money value={shift.expected_cash_money} fw={600} />,
        valueNote:
          shift.state === 'CLOSED' ? (
            <Difference shift={shift} />
          ) : shift.state === 'ENDED' ? (
            'not counted'
          ) : (
            'expected'
          ),
      })}
      empty="No drawer has been opened yet."
    />
  );
}
