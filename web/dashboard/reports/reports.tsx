/** Reports: what was sold in any range, grouped by anything, as a chart and a table. */
import { useQuery } from '@tanstack/react-query';
import { printLocal } from '../../../src/base/time-zones.js';
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import { useAddress } from '../../ui/address.js';
import { Figures } from '../../ui/figures.js';
import { IconChartBar } from '../../ui/icons.js';
import { Page as Frame } from '../../ui/page.js';
import { QueryView } from '../../ui/query-view.js';
import { Card, Empty, LoadingBlock } from '../../ui/states.js';
import { useBusiness } from '../business.js';
import { Change } from './change.js';
import { ReportChart } from './report-chart.js';
import { type Choice, ReportFilters } from './report-filters.js';
import { ReportTable } from './report-table.js';
import { GROUPS, printRange, RANGES, type SalesReport } from './terms.js';
import { printCount, useAmounts } from './use-amounts.js';

const DEFAULT_RANGE = '30d';

/** What the address says. Unknown words count as absent. */
function useChoice(): Choice {
  const { now, timezoneOf, locations } = useBusiness();
  const [given] = useAddress('location');
  const [[preset], [begin], [end]] = [useAddress('range'), useAddress('begin'), useAddress('end')];
  const [[group], [compare]] = [useAddress('group'), useAddress('compare')];
  const location = locations.some(({ id }) => id === given) ? given : undefined;
  const today = printLocal(timezoneOf(location), now()).slice(0, 10);
  const known = RANGES.find(({ value }) => value === preset) ?? RANGES.find(({ value }) => value === DEFAULT_RANGE);
  const isCustom = preset === 'custom' && begin !== undefined && end !== undefined;
  const range = isCustom ? { begin, end } : (known?.of(today) ?? { begin: today, end: today });
  return {
    range,
    preset: isCustom ? 'custom' : (known?.value ?? DEFAULT_RANGE),
    today,
    group: GROUPS.find(({ value }) => value === group)?.value ?? (range.begin === range.end ? 'HOUR' : 'DAY'),
    location,
    compares: compare !== 'no',
  };
}

export function Page() {
  const choice = useChoice();
  const { range, group, location, compares } = choice;
  const input = {
    begin_date: range.begin,
    end_date: range.end,
    group_by: group,
    location_id: location,
    compare: compares,
  };
  const query = useQuery({
    queryKey: ['retrieveSalesReport', input],
    queryFn: () => call(dashboard.retrieveSalesReport, input),
    placeholderData: (previous) => (previous?.group_by === group ? previous : undefined),
  });
  return (
    <Frame title="Reports" description={`${printRange(range)}. Days are those of each location.`}>
      <ReportFilters choice={choice} />
      <QueryView
        query={query}
        loading={
          <>
            <LoadingBlock height={112} />
            <LoadingBlock height={380} />
            <LoadingBlock height={300} />
          </>
        }
        isEmpty={({ total, before }) => isNothing(total) && (before === undefined || isNothing(before.total))}
        empty={
          <Card>
            <Empty icon={IconChartBar} title="No sales in this time">
              Choose another range above. Sales of registers, online stores and applications appear here as soon as they
              are complete.
            </Empty>
          </Card>
        }
      >
        {(report) => (
          <>
            <Totals report={report} />
            <ReportChart report={report} group={group} />
            <ReportTable report={report} group={group} />
          </>
        )}
      </QueryView>
    </Frame>
  );
}

const isNothing = ({ sales_count, refunds_count }: SalesReport['total']): boolean => sales_count + refunds_count === 0;

function Totals({ report: { total, before, currency } }: { readonly report: SalesReport }) {
  const { print } = useAmounts(currency);
  const earlier = before?.total;
  const money = (name: string, key: 'net_sales' | 'average_sale' | 'tips' | 'refunds' | 'collected') => ({
    name,
    value: print(total[key]),
    note: earlier && <Change value={total[key]} before={earlier[key]} print={print} />,
  });
  const count = { value: total.sales_count, before: earlier?.sales_count ?? 0, print: printCount };
  return (
    <Figures
      figures={[
        money('Net sales', 'net_sales'),
        { name: 'Sales', value: printCount(total.sales_count), note: earlier && <Change {...count} /> },
        money('Average sale', 'average_sale'),
        money('Tips', 'tips'),
        money('Refunds', 'refunds'),
      ]}
    />
  );
}
