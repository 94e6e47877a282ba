/** What each location sold today. */
import { useBusiness } from '../business.js';
import { Change } from '../reports/change.js';
import { useAmounts } from '../reports/use-amounts.js';
import { useToday } from './now.js';
import { Panel } from './panel.js';

export function ByLocation() {
  const { currency, locations } = useBusiness();
  const { print } = useAmounts(currency);
  const query = useToday();
  if (locations.length < 2) return null;
  return (
    <Panel
      title="Net sales by location"
      to="/dashboard/reports?group=LOCATION"
      link="Report"
      query={{ ...query, data: query.data?.by_location }}
      toItem={({ key, name, net_sales, sales_count }) => ({
        key,
        title: name ?? key,
        note: `${sales_count} ${sales_count === 1 ? 'sale' : 'sales'}`,
        value: print(net_sales),
        valueNote: (
          <Change
            value={net_sales}
            before={query.data?.by_location_before.find((row) => row.key === key)?.net_sales ?? 0}
            print={print}
          />
        ),
      })}
      empty=""
    />
  );
}
