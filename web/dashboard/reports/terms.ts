/** The words of reports: groups, figures, ranges, and the names of what is counted. */
import { instant, printSeconds } from '../../../src/base/time.js';
import { type Figures, figuresOf, type NameIn } from '../../../src/business/figures/model.js';
import {
  REPORT_DISCOUNTS,
  REPORT_GOODS,
  REPORT_SALES,
  REPORT_TAXES,
  REPORT_TENDERS,
} from '../../../src/business/figures/report.js';
import { brandName, KIND_NAMES } from '../../../src/business/tenders/words.js';
import type { dashboard, InputOf, ResponseOf } from '../../client/operations.js';

export type SalesReport = ResponseOf<typeof dashboard.retrieveSalesReport>;
export type ReportRow = SalesReport['rows'][number];
export type Group = NonNullable<InputOf<typeof dashboard.retrieveSalesReport>['group_by']>;

export const GROUPS: readonly { readonly value: Group; readonly label: string }[] = [
  { value: 'DAY', label: 'Day' },
  { value: 'WEEK', label: 'Week' },
  { value: 'MONTH', label: 'Month' },
  { value: 'HOUR', label: 'Hour of day' },
  { value: 'LOCATION', label: 'Location' },
  { value: 'ITEM', label: 'Item' },
  { value: 'CATEGORY', label: 'Category' },
  { value: 'EMPLOYEE', label: 'Employee' },
  { value: 'TENDER', label: 'Tender' },
  { value: 'CARD_BRAND', label: 'Card brand' },
  { value: 'TAX', label: 'Tax' },
  { value: 'DISCOUNT', label: 'Discount' },
];

export const isTime = (group: Group): boolean => ['DAY', 'WEEK', 'MONTH', 'HOUR'].includes(group);

/** The table of each grouping. Tenders have no goods, for example. */
export function tableOf(group: Group): Figures {
  if (group === 'ITEM' || group === 'CATEGORY') return REPORT_GOODS;
  if (group === 'TENDER' || group === 'CARD_BRAND') return REPORT_TENDERS;
  if (group === 'TAX') return REPORT_TAXES;
  return group === 'DISCOUNT' ? REPORT_DISCOUNTS : REPORT_SALES;
}

export type FigureKey = NameIn<typeof REPORT_SALES> | NameIn<typeof REPORT_TENDERS> | 'sales_count';

interface NamedFigure {
  readonly key: FigureKey;
  readonly label: string;
}

/** The figures of a grouping. Goods are not counted by sales. */
export function figuresIn(group: Group): readonly NamedFigure[] {
  const figures = figuresOf(tableOf(group)).map(({ name, label }) => ({ key: name as FigureKey, label }));
  return tableOf(group) === REPORT_GOODS ? figures : [{ key: 'sales_count', label: countName(group) }, ...figures];
}

const countName = (group: Group): string => (tableOf(group) === REPORT_TENDERS ? 'Payments' : 'Sales');

/** What the chart shows unless the owner chooses something else. */
export function mainFigureOf(group: Group): FigureKey {
  if (group === 'TENDER' || group === 'CARD_BRAND') return 'collected';
  if (group === 'TAX') return 'taxes';
  return group === 'DISCOUNT' ? 'discounts' : 'net_sales';
}

const DAY_MS = 86_400_000;
const toNumber = (day: string): number => Date.parse(`${day}T00:00:00Z`);
export const addDays = (day: string, days: number): string =>
  printSeconds(instant(toNumber(day) + days * DAY_MS)).slice(0, 10);
const startOfMonth = (day: string): string => `${day.slice(0, 7)}-01`;

/** Days such as `2026-02-26`, both included. */
export interface Range {
  readonly begin: string;
  readonly end: string;
}

export const RANGES: readonly { readonly value: string; readonly label: string; of(today: string): Range }[] = [
  { value: 'today', label: 'Today', of: (today) => ({ begin: today, end: today }) },
  {
    value: 'yesterday',
    label: 'Yesterday',
    of: (today) => ({ begin: addDays(today, -1), end: addDays(today, -1) }),
  },
  { value: '7d', label: 'Last 7 days', of: (today) => ({ begin: addDays(today, -6), end: today }) },
  { value: '30d', label: 'Last 30 days', of: (today) => ({ begin: addDays(today, -29), end: today }) },
  { value: 'month', label: 'This month', of: (today) => ({ begin: startOfMonth(today), end: today }) },
  {
    value: 'last-month',
    label: 'Last month',
    of: (today) => {
      const end = addDays(startOfMonth(today), -1);
      return { begin: startOfMonth(end), end };
    },
  },
  { value: 'year', label: 'This year', of: (today) => ({ begin: `${today.slice(0, 4)}-01-01`, end: today }) },
  { value: '12m', label: 'Last 12 months', of: (today) => ({ begin: addDays(today, -364), end: today }) },
];

const dateFormat = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(undefined, { ...options, timeZone: 'UTC' });
const DAY = dateFormat({ weekday: 'short', day: 'numeric', month: 'short' });
const DATE = dateFormat({ day: 'numeric', month: 'short', year: 'numeric' });
const MONTH = dateFormat({ month: 'short', year: 'numeric' });

export const printDay = (day: string): string => DATE.format(toNumber(day));
export const printWeekday = (day: string): string => DAY.format(toNumber(day));

export function printRange({ begin, end }: Range): string {
  return begin === end ? printDay(begin) : `${printDay(begin)} to ${printDay(end)}`;
}

const WORDS: Readonly<Record<string, string>> = {
  CUSTOM_AMOUNT: 'Custom amount',
  GIFT_CARD_ACTIVATION: 'Gift card activation',
  GIFT_CARD_RELOAD: 'Gift card reload',
  GIFT_CARD_UNKNOWN: 'Gift card',
  OTHERS: 'All others',
  REFUNDED_AMOUNT: 'Refunds of amounts',
};

const NOTHING: Readonly<Partial<Record<Group, string>>> = {
  EMPLOYEE: 'No employee',
  CATEGORY: 'No category',
};

/** `SOMETHING_NEW` is `Something new`. */
const toWords = (key: string): string =>
  WORDS[key] ?? `${key.slice(0, 1)}${key.slice(1).toLowerCase().replaceAll('_', ' ')}`;

export function nameOf({ key, name }: Pick<ReportRow, 'key' | 'name'>, group: Group): string {
  if (group === 'DAY') return printWeekday(key);
  if (group === 'WEEK') return `Week of ${printDay(key)}`;
  if (group === 'MONTH') return MONTH.format(toNumber(`${key}-01`));
  if (group === 'HOUR') return `${key.padStart(2, '0')}:00`;
  if (name !== undefined) return name;
  if (key === '') return NOTHING[group] ?? 'None';
  if (group === 'TENDER') return KIND_NAMES[key as keyof typeof KIND_NAMES] ?? toWords(key);
  if (group === 'CARD_BRAND') return key === 'OTHER_BRAND' ? 'Other brand' : brandName(key);
  // Other keys are what the owner called the category.
  if (group === 'CATEGORY' && key !== 'OTHERS' && key !== 'REFUNDED_AMOUNT') return key;
  return toWords(key);
}

/** `+12%` against an earlier value, or undefined if there is nothing to compare with. */
export function printChange(value: number, before: number): string | undefined {
  if (before === 0) return undefined;
  const percent = Math.round(((value - before) / Math.abs(before)) * 100);
  return percent === 0 ? 'same' : `${percent > 0 ? '+' : '−'}${Math.abs(percent)}%`;
}
