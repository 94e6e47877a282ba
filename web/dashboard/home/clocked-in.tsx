/** Who is clocked in, and for how long. */
import { printHours, printTime } from '../../ui/time.js';
import { useBusiness, usePeople } from '../business.js';
import { secondsWorked } from '../timecards/timecard.js';
import { useClockedIn } from './now.js';
import { Panel } from './panel.js';

export function ClockedIn() {
  const business = useBusiness();
  const { nameOf } = usePeople();
  const query = useClockedIn();
  return (
    <Panel
      title="Clocked in"
      to="/dashboard/timecards"
      link="Timecards"
      query={query}
      toItem={(card) => {
        const since = printTime(card.clockin_time, 'time', business.timezoneOf(card.clockin_location_id));
        const place = business.locationName(card.clockin_location_id);
        return {
          key: card.id,
          title: nameOf(card.employee_id),
          note: place === '' ? `since ${since}` : `${place}, since ${since}`,
          value: printHours(secondsWorked(card, business)),
        };
      }}
      empty="Nobody is clocked in."
    />
  );
}
