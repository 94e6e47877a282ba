/** The cash drawer as far as it is known here: what the server last said, and what was done since. Pure. */
import { type Amount, add, amount, negate, subtract, ZERO } from '../../../src/base/money.js';
import { type Instant, printMilliseconds } from '../../../src/base/time.js';
import { type QueuedWrite, tendersOf } from './queue/model.js';
import type { WireShift } from './wire.js';

/** The shift as the server last returned it, and the cash of the writes that the server has accepted since then. */
export interface KnownDrawer {
  readonly shift: WireShift | undefined;
  readonly since: Amount;
}

export interface Drawer {
  /** The register's own id while the opening waits to be sent. */
  readonly shiftId: string;
  readonly state: 'OPEN' | 'ENDED';
  readonly openedAt: string;
  readonly openedCash: Amount;
  readonly expectedCash: Amount;
  /** Whether a write that changes it has not been sent. */
  readonly isQueued: boolean;
}

const moneyIn = (value: unknown): Amount => amount((value as { amount?: number } | undefined)?.amount ?? 0);

/** The cash that a write puts into the drawer. It is negative if the write takes cash out. */
export function cashOf(write: Pick<QueuedWrite, 'operation' | 'body' | 'cash'>): Amount {
  const { operation, body, cash: known } = write;
  if (known !== undefined) return known;
  if (operation === 'paidIn') return moneyIn(body['amount_money']);
  if (operation === 'paidOut') return negate(moneyIn(body['amount_money']));
  const cash = tendersOf(write).filter(({ type }) => type === 'CASH');
  return add(ZERO, ...cash.map(({ amount_money, tip_money }) => add(paidBy(write, amount_money), moneyIn(tip_money))));
}

/** A tender without an amount pays what the others leave. */
function paidBy(write: Pick<QueuedWrite, 'body' | 'operation'>, given: { amount: number } | undefined): Amount {
  if (given) return moneyIn(given);
  const others = tendersOf(write).flatMap(({ amount_money: money }) => (money ? [moneyIn(money)] : []));
  const returned = ((write.body['returns'] ?? []) as readonly Record<string, unknown>[]).map((each) =>
    moneyIn(each['amount_money']),
  );
  return subtract(moneyIn(write.body['total_money']), add(ZERO, ...others, ...returned));
}

/** Applies the writes in their order: one may close a shift, and the next may open another. */
export function drawerOf({ shift, since }: KnownDrawer, waiting: readonly QueuedWrite[]): Drawer | undefined {
  let drawer: Drawer | undefined = shift && shift.state !== 'CLOSED' ? fromShift(shift, since) : undefined;
  for (const write of waiting) drawer = apply(drawer, write);
  return drawer;
}

function fromShift(shift: WireShift, since: Amount): Drawer {
  return {
    shiftId: shift.id,
    state: shift.state === 'ENDED' ? 'ENDED' : 'OPEN',
    openedAt: shift.opened_at,
    openedCash: moneyIn(shift.opened_cash_money),
    expectedCash: add(moneyIn(shift.expected_cash_money), since),
    isQueued: false,
  };
}

function apply(drawer: Drawer | undefined, write: QueuedWrite): Drawer | undefined {
  if (write.operation === 'openShift') return open(write);
  if (!drawer || write.operation === 'closeShift') return undefined;
  if (write.operation === 'endShift') return { ...drawer, state: 'ENDED', isQueued: true };
  const cash = cashOf(write);
  if (cash === ZERO || drawer.state !== 'OPEN') return drawer;
  return { ...drawer, expectedCash: add(drawer.expectedCash, cash), isQueued: true };
}

function open({ id, occurredAt, body }: QueuedWrite): Drawer {
  const openedCash = moneyIn(body['opened_cash_money']);
  const openedAt = printMilliseconds(occurredAt as Instant);
  return { shiftId: id, state: 'OPEN', openedAt, openedCash, expectedCash: openedCash, isQueued: true };
}
