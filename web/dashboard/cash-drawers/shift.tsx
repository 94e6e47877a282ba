/** A shift of a cash drawer as pages show it: its state, and what is over or short. */
import type { dashboard, ResponseOf } from '../../client/operations.js';
import { printMoney } from '../../ui/money.js';
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

export function Difference({ shift }: { readonly shift: Shift }) {
  const difference = shift.cash.over_short_money;
  if (!difference) return null;
  if (difference.amount === 0) return <>exact</>;
  return difference.amount < 0 ? (
    <Tag tone="bad">{printMoney(difference)} short</Tag>
  ) : (
    <Tag tone="warning">+{printMoney(difference)} over</Tag>
  );
}
