/** The dashboard's view of reports. */
import { about, model, optional, type Static, Time, Type, text } from '../../api/wire.js';
import { addUp } from '../figures/model.js';
import { REPORT_GOODS, REPORT_SALES, REPORT_TENDERS } from '../figures/report.js';
import { schemaFields } from '../figures/view.js';
import { averageSale, type Sums, toCounted } from './model.js';

/** In minor units of the report's currency: a report has thousands of amounts. */
const Minor = Type.Integer();

/** Whole sales have all figures. Groups of other things have those of their table in `figures/report`; the others mean nothing there. */
const FIGURES = {
  sales_count: about('The number of complete sales.', Type.Integer()),
  refunds_count: about('The number of refunds.', Type.Integer()),
  ...schemaFields({ ...REPORT_TENDERS, ...REPORT_SALES }, Minor),
};

const Figures = Type.Object(FIGURES);

export const ReportFigures = model('ReportFigures', {
  ...FIGURES,
  average_sale: about('Gross sales and discounts, divided by the number of sales.', Minor),
});

export const ReportRow = model('ReportRow', {
  key: about(
    'What the row stands for: a date, a month, an hour, an id or a word. Empty for what has none, such as the employee of an online sale.',
    text(),
  ),
  name: about('The name of that record. Absent if it has none.', optional(text())),
  quantity: about(
    'Units sold minus units returned, such as 1.5. Only of items and categories.',
    optional(Type.Number()),
  ),
  ...FIGURES,
});

const QUANTITY_OF_ONE = 100_000;

export function toFields(sums: Sums): Static<typeof Figures> {
  const counted = toCounted(sums);
  return {
    sales_count: sums.count,
    refunds_count: sums.refundCount,
    ...counted,
    net_sales: addUp(REPORT_GOODS, counted).net_sales,
    ...addUp(REPORT_TENDERS, counted),
  };
}

export function toReportFigures(sums: Sums): Static<typeof ReportFigures> {
  return { ...toFields(sums), average_sale: averageSale(sums) };
}

export function toReportRow(
  { key, name }: { readonly key: string; readonly name: string | null | undefined },
  sums: Sums,
): Static<typeof ReportRow> {
  const fields = toFields(sums);
  if (!name && sums.quantity === 0) return { key, ...fields };
  const quantity = sums.quantity / QUANTITY_OF_ONE;
  return { key, ...(name && { name }), ...(quantity !== 0 && { quantity }), ...fields };
}

export const ReportPeriod = model('ReportPeriod', {
  begin_date: about('The first day.', text()),
  end_date: about('The last day.', text()),
  total: about('The sums of all sales and refunds.', ReportFigures),
  rows: about('A row for each group.', Type.Array(ReportRow)),
  rows_total: about(
    'The sums of the rows. They differ from `total` where rows are of something else than sales, such as card brands or taxes.',
    Figures,
  ),
});

export const SalesReport = model('SalesReport', {
  currency: about('The currency of all figures, in three letters (ISO 4217).', text()),
  group_by: about('What the rows stand for.', text()),
  ...ReportPeriod.properties,
  before: about('As many days directly before. Absent unless asked for.', optional(ReportPeriod)),
});

/** A sale in the list of the latest ones. */
export const LatestSale = model('LatestSale', {
  id: about('The id of the sale.', text()),
  location_id: about('Where the sale was made.', text()),
  kind: about('Where the sale comes from.', text()),
  created_at: about('When the sale was completed.', Time),
  total: about('What the buyer paid, in the smallest unit of the currency.', Minor),
  items: about('What was sold, in one line. Absent if it has no items.', optional(text())),
});

export const TodayReport = model('TodayReport', {
  currency: about('The currency of all figures, in three letters (ISO 4217).', text()),
  now: about("The merchant's business time.", Time),
  date: about('Today, at the main location.', text()),
  date_before: about('The day that is compared: the same day of the week before.', text()),
  hour: about('The hour of the main location until which the earlier day is compared.', Type.Integer()),
  total: about('The sums of today.', ReportFigures),
  total_before: about('The sums of the earlier day, until the same hour.', ReportFigures),
  by_hour: about('The sums of each hour of today.', Type.Array(ReportRow)),
  by_hour_before: about('The sums of each hour of the other day.', Type.Array(ReportRow)),
  by_location: about('The sums of each location today.', Type.Array(ReportRow)),
  by_location_before: about('The sums of each location on the other day.', Type.Array(ReportRow)),
  latest_sales: about('The last sales, newest first.', Type.Array(LatestSale)),
});
