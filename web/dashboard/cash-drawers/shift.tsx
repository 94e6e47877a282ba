/** A shift of a cash drawer as pages show it: its state, and what is over or short. */
import { amount, subtract } from '../../../src/base/money.js';
import type { dashboard, ResponseOf } from '../../client/operations.js';
import { printMoney, type WireMoney } from '../../ui/money.js';
import { Tag, type Tone } from '../../ui/tag.js';

export type Shift = ResponseOf<typeof dashboard.listCashDrawerShifts>['shifts'][number];

interface StateWords {
  readonly label: string;
  readonly tone: Tone;
}

export const SHIFT_STATES: Readonly<Record<Shift['state'], StateWords>> = {
  OPEN: { label: 'Open', tone: 'good' },
  ENDED: { label: 'Not counted', tone: 'warning' },
  CLOSED: { label: 'Counted', tone: 'quiet' },
};

export function ShiftState({ shift: { state } }: { readonly shift: Shift }) {
  return <Tag tone={SHIFT_STATES[state].tone}>{SHIFT_STATES[state].label}</Tag>;
}

/** What was counted beyond what was expected; negative if something is missing. */
export function differenceOf({
  closed_cash_money: counted,
  expected_cash_money: expected,
}: Shift): WireMoney | undefined {
  if (!counted) return undefined;
  return { amount: subtract(amount(counted.amount), amount(expected.amount)), currency: expected.currency };
}

export function Difference({ shift }: { readonly shift: Shift }) {
  const difference = differenceOf(shift);
  if (!difference) return null;
  if (difference.amount === 0) return <>exact</>;
  return difference.amount < 0 ? (
    <Tag tone="bad">{printMoney(difference)} short</Tag>
  ) : (
    <Tag tone="warning">+{printMoney(difference)} over</Tag>
  );
}
