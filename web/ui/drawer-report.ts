/** The lines of an X or Z report, for paper, pages and CSV files. */
import { CASH_OUTSIDE, DRAWER_COUNT, DRAWER_LATE, DRAWER_SALES } from '../../src/business/figures/drawer.js';
import { KIND_NAMES } from '../../src/business/tenders/words.js';
import type { ResponseOf } from '../client/callable.js';
import type { register } from '../client/register-operations.js';
import { type FigureLine, figureLines } from './figure-lines.js';

type DrawerReport = ResponseOf<typeof register.showShiftReport>['report'];
type TenderSum = DrawerReport['tenders'][number];

const LATE_KINDS = { SALE: 'Sale', REFUND: 'Refund', FAILED_REFUND: 'Refund that failed' } as const;

/** What whoever counted the cash wrote about it. */
export const COUNT_NOTE = 'Note on the count';

/** What was sold and given back, the cash, what is in no drawer, and what arrived later. Tenders and entries stand below what they add up to. */
export function reportBlocks(
  report: DrawerReport,
  print: (time: string) => string,
): readonly (readonly FigureLine[])[] {
  const counts: Readonly<Record<string, number>> = {
    gross_money: report.sales_count,
    refunds_money: report.refunds_count,
  };
  const parts: Readonly<Record<string, readonly TenderSum[]>> = {
    total_money: report.tenders,
    refunds_money: report.refunds,
  };
  const sales = figureLines(DRAWER_SALES, report).flatMap((line) => [
    withCount(line, counts),
    ...(parts[line.key] ?? []).map((part) => toPart(line.key, part)),
  ]);
  const { late, outside } = report;
  return [
    sales,
    figureLines(DRAWER_COUNT, report),
    ...(outside ? [outsideLines(outside)] : []),
    ...(late ? [lateLines(late, print)] : []),
  ];
}

function outsideLines(outside: NonNullable<DrawerReport['outside']>): FigureLine[] {
  const counts: Readonly<Record<string, number>> = {
    taken_money: outside.taken_count,
    given_back_money: outside.given_back_count,
  };
  return figureLines(CASH_OUTSIDE, outside).map((line) => withCount(line, counts));
}

function withCount(line: FigureLine, counts: Readonly<Record<string, number>>): FigureLine {
  return line.key in counts ? { ...line, label: `${line.label} (${counts[line.key]})` } : line;
}

function lateLines(late: NonNullable<DrawerReport['late']>, print: (time: string) => string): FigureLine[] {
  const [sum, ...others] = figureLines(DRAWER_LATE, late);
  const entries = late.entries.map(({ kind, at, payment_id, amount_money: money }) => ({
    ...{ key: `${kind} ${payment_id} ${at}`, label: `${LATE_KINDS[kind]}, ${print(at)}` },
    ...{ money, isSum: false, isPart: true },
  }));
  return [...(sum ? [{ ...sum, isSum: true }] : []), ...entries, ...others];
}

function toPart(of: string, { type, count, amount_money: money }: TenderSum): FigureLine {
  return { key: `${of} ${type}`, label: `${KIND_NAMES[type]} (${count})`, money, isSum: false, isPart: true };
}

/** What has to be said of a report, as sentences. */
export function reportNotes({ kind, is_stored, outside, closing_note: note }: DrawerReport): readonly string[] {
  return [
    ...(note === undefined ? [] : [`${COUNT_NOTE}: ${note}`]),
    ...(outside
      ? [
          'Cash in no drawer is not in the sums above. This register took it, or gave it back, while no drawer was open for it.',
        ]
      : []),
    ...(kind === 'Z' && !is_stored
      ? ['This drawer was closed before Z reports were kept. The report was added up again now.']
      : []),
  ];
}
