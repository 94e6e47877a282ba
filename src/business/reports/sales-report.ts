/** Composes the report of a period: rows in their order, with names, the total, and the period before. */
import type { MerchantContext } from '../../api/operation.js';
import type { Static } from '../../api/wire.js';
import { type ReportPeriod, type SalesReport, toFields, toReportFigures, toReportRow } from './dashboard.view.js';
import { addSums, type ReportGroup, type ReportLine } from './model.js';
import { bucketsOf, type Period, periodBefore, type TimeGroup } from './period.js';
import { listReportLines, listReportNames } from './queries.js';

export interface ReportRequest {
  readonly period: Period;
  readonly group: ReportGroup;
  readonly locationIds: readonly string[];
  readonly compares: boolean;
}

/** The number of items and discounts has no limit. If there are more rows, the smallest ones are added up in one row. */
const MAX_ROWS = 1000;
const OTHERS = 'OTHERS';

type Context = Pick<MerchantContext, 'database' | 'merchant'>;

export async function composeReport(context: Context, request: ReportRequest): Promise<Static<typeof SalesReport>> {
  const { period, group, compares } = request;
  const [current, before] = await Promise.all([
    composePeriod(context, request, period),
    compares ? composePeriod(context, request, periodBefore(period)) : undefined,
  ]);
  return { currency: context.merchant.currency, group_by: group, ...current, ...(before && { before }) };
}

async function composePeriod(
  { database, merchant }: Context,
  { group, locationIds }: ReportRequest,
  period: Period,
): Promise<Static<typeof ReportPeriod>> {
  const selection = { merchantId: merchant.id, locationIds, ...period, group };
  const lines = await listReportLines(database.sql, selection);
  const names = hasRecords(group) ? await listReportNames(database.sql, merchant.id, group, keysOf(lines)) : new Map();
  // Only the totals of days contain all figures. Tenders, for example, have no goods.
  const totals = isOfWholeSales(group)
    ? lines
    : await listReportLines(database.sql, { ...selection, group: 'LOCATION' });
  return {
    begin_date: period.begin,
    end_date: period.end,
    total: toReportFigures(addSums(totals)),
    rows: arrange(lines, group, period).map((line) =>
      toReportRow({ key: line.key, name: names.get(line.key) ?? line.name }, line),
    ),
    rows_total: toFields(addSums(lines)),
  };
}

const keysOf = (lines: readonly ReportLine[]): string[] => lines.map(({ key }) => key).filter((key) => key !== '');

function isTime(group: ReportGroup): group is TimeGroup {
  return ['DAY', 'WEEK', 'MONTH', 'HOUR'].includes(group);
}

function isOfWholeSales(group: ReportGroup): boolean {
  return isTime(group) || group === 'LOCATION' || group === 'EMPLOYEE';
}

function hasRecords(group: ReportGroup): group is 'LOCATION' | 'EMPLOYEE' {
  return group === 'LOCATION' || group === 'EMPLOYEE';
}

/** In the order of time, without gaps, or the largest first. */
function arrange(lines: readonly ReportLine[], group: ReportGroup, period: Period): readonly ReportLine[] {
  if (isTime(group)) {
    const byKey = new Map(lines.map((line) => [line.key, line]));
    return bucketsOf(group, period).map((key) => byKey.get(key) ?? { key, name: null, ...addSums([]) });
  }
  const size = (line: ReportLine): number =>
    group === 'DISCOUNT' ? -line.discount : group === 'TAX' ? line.tax : line.gross + line.collected;
  const sorted = [...lines].sort((one, other) => size(other) - size(one) || (one.key < other.key ? -1 : 1));
  if (sorted.length <= MAX_ROWS) return sorted;
  const rest = addSums(sorted.slice(MAX_ROWS - 1));
  return [...sorted.slice(0, MAX_ROWS - 1), { key: OTHERS, name: null, ...rest }];
}
