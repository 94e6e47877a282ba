import { describe, expect, it } from 'vitest';
import { Refusal } from '../../base/errors.js';
import { instant, parseTime } from '../../base/time.js';
import { expiryOf, HISTORY_OF, nextState, ORDER_STATES, ORDER_TRANSITIONS, type OrderAction } from './model.js';

const ACTIONS: readonly OrderAction[] = ['PAY', 'DECLINE', 'EXPIRE', 'COMPLETE', 'CANCEL', 'REFUND'];

/** The state table of decision 0033, repeated here independently of the code. A dash is a refusal. */
const TABLE = `
            PAY   DECLINE   EXPIRE    COMPLETE   CANCEL    REFUND
PENDING     OPEN  REJECTED  CANCELED  -          CANCELED  -
OPEN        -     -         -         COMPLETED  CANCELED  REFUNDED
COMPLETED   -     -         -         -          -         REFUNDED
CANCELED    -     -         -         -          -         -
REFUNDED    -     -         -         -          -         -
REJECTED    -     -         -         -          -         -
`
  .trim()
  .split('\n')
  .slice(1)
  .map((row) => row.split(/ +/));

describe('ORDER_TRANSITIONS', () => {
  const cells = TABLE.flatMap(([state = '', ...ends]) => ACTIONS.map((action, n) => [state, action, ends[n]] as const));

  it('has a cell for every state and action', () => {
    expect(cells).toHaveLength(ORDER_STATES.length * ACTIONS.length);
    expect(TABLE.map(([state]) => state)).toEqual([...ORDER_STATES]);
    for (const row of Object.values(ORDER_TRANSITIONS)) expect(Object.keys(row).sort()).toEqual([...ACTIONS].sort());
  });

  it.each(cells)('%s, %s: %s', (state, action, end) => {
    const order = { id: 'ORDER', state: state as (typeof ORDER_STATES)[number] };
    if (end !== '-') return expect(nextState(order, action)).toBe(end);
    expect(() => nextState(order, action)).toThrow(Refusal);
    expect(() => nextState(order, action)).toThrow(
      `Order ORDER is ${state}, so ${action.toLowerCase()} is not possible.`,
    );
  });
});

describe('HISTORY_OF', () => {
  it('has a separate entry for each action', () => {
    expect(ACTIONS.map((action) => HISTORY_OF[action])).toEqual([
      ...['PAYMENT_RECEIVED', 'DECLINED', 'EXPIRED'],
      ...['COMPLETED', 'CANCELED', 'REFUNDED'],
    ]);
  });
});

describe('expiryOf', () => {
  it('is one day later', () => {
    expect(expiryOf(instant(0))).toBe(parseTime('1970-01-02T00:00:00Z'));
  });
});
