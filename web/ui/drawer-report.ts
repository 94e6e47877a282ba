/** The lines of an X or Z report, for paper, pages and CSV files. */
import { DRAWER_COUNT, DRAWER_LATE, DRAWER_SALES } from '../../src/business/figures/drawer.js';
import { KIND_NAMES } from '../../src/business/tenders/words.js';
import type { ResponseOf } from '../client/callable.js';
import type { register } from '../client/register-operations.js';
import { type FigureLine, figureLines } from './figure-lines.js';

type DrawerReport = ResponseOf<typeof register.showShiftReport>['report'];
type TenderSum = DrawerReport['tenders'][number];

const LATE_KINDS = { SALE: 'Sale', REFUND: 'Refund', FAILED_REFUND: 'Refund that failed' } as const;

/** What was sold and given back, the cash, and what arrived later. Tenders and entries stand below what they add up to. */
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
    { ...line, label: line.key in counts ? `${line.label} (${counts[line.key]})` : line.label },
    ...(parts[line.key] ?? []).map((part) => toPart(line.key, part)),
  ]);
  const { late } = report;
  return [sales, figureLines(DRAWER_COUNT, report), ...(late ? [lateLines(late, print)] : [])];
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
