/** The latest sales of all locations, each with the way to its page. */
import { Link } from '../../ui/link.js';
import { Money } from '../../ui/money.js';
import { printTime } from '../../ui/time.js';
import { useBusiness } from '../business.js';
import { useToday } from './now.js';
import { Panel } from './panel.js';
import classes from './panel.module.css';

const KINDS: Readonly<Record<string, string>> = {
  API: 'Charged by an application',
  REGISTER: 'Register',
  ONLINE_STORE: 'Online order',
};

export function LatestSales() {
  const { timezoneOf, locationName, currency, locations } = useBusiness();
  const query = useToday();
  return (
    <Panel
      title="Latest sales"
      to="/dashboard/reports?range=today&group=HOUR"
      link="Today"
      query={{ ...query, data: query.data?.latest_sales }}
      toItem={({ id, location_id, kind, created_at, total, items }) => ({
        key: id,
        title: (
          <Link to={`/dashboard/sales/${id}`} className={classes['link'] ?? ''}>
            {items ?? KINDS[kind] ?? kind}
          </Link>
        ),
        note: locations.length > 1 ? locationName(location_id) : (KINDS[kind] ?? kind),
        value: <Money value={{ amount: total, currency }} fw={600} />,
        valueNote: printTime(created_at, 'both', timezoneOf(location_id)),
      })}
      empty="The first sale of a register, an online store or an application appears here."
    />
  );
}
