/** The dashboard's view of reports. */
import { model, optional, type Static, Time, Type, text } from '../../api/wire.js';
import { averageSale, type Sums, toFigures } from './model.js';

/** In minor units of the report's currency: a report has thousands of amounts. */
const Minor = Type.Integer();

const FIGURES = {
  sales_count: Type.Integer(),
  refunds_count: Type.Integer(),
  gross_sales: Minor,
  discounts: Minor,
  returns: Minor,
  net_sales: Minor,
  taxes: Minor,
  surcharges: Minor,
  tips: Minor,
  refunds: Minor,
  collected: Minor,
  fees: Minor,
};

const Figures = Type.Object(FIGURES);

export const ReportFigures = model('ReportFigures', { ...FIGURES, average_sale: Minor });

export const ReportRow = model('ReportRow', {
  /** A date, a month, an hour, an id or a word; empty for what has none, such as the employee of an online sale. */
  key: text(),
  name: optional(text()),
  /** Of items and categories. A number of units, such as 1.5. */
  quantity: optional(Type.Number()),
  ...FIGURES,
});

const QUANTITY_OF_ONE = 100_000;

/** The fields are written one by one: a report of a year has hundreds of rows. */
function toFields(sums: Sums): Static<typeof Figures> {
  const figures = toFigures(sums);
  return {
    sales_count: figures.sales,
    refunds_count: figures.refunds,
    gross_sales: figures.gross,
    discounts: figures.discounts,
    returns: figures.returns,
    net_sales: figures.net,
    taxes: figures.taxes,
    surcharges: figures.surcharges,
    tips: figures.tips,
    refunds: figures.refunded,
    collected: figures.collected,
    fees: figures.fees,
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
  begin_date: text(),
  end_date: text(),
  total: ReportFigures,
  rows: Type.Array(ReportRow),
});

export const SalesReport = model('SalesReport', {
  currency: text(),
  group_by: text(),
  ...ReportPeriod.properties,
  /** The period of the same length before it. */
  before: optional(ReportPeriod),
});

/** A sale in the list of the latest ones. */
export const LatestSale = model('LatestSale', {
  id: text(),
  location_id: text(),
  kind: text(),
  created_at: Time,
  total: Minor,
  items: optional(text()),
});

export const TodayReport = model('TodayReport', {
  currency: text(),
  now: Time,
  /** The day of the main location, and the same weekday of the week before. */
  date: text(),
  date_before: text(),
  /** The local hour until which the earlier day is compared, at the main location. */
  hour: Type.Integer(),
  total: ReportFigures,
  /** The earlier day until the same hour. */
  total_before: ReportFigures,
  by_hour: Type.Array(ReportRow),
  by_hour_before: Type.Array(ReportRow),
  by_location: Type.Array(ReportRow),
  by_location_before: Type.Array(ReportRow),
  latest_sales: Type.Array(LatestSale),
});
