/** The drawer of a register as it is known without asking the server. */
import { expect, it } from 'vitest';
import { ZERO } from '../../../src/base/money.js';
import { instant } from '../../../src/base/time.js';
import { cashOf, drawerOf } from './drawer-model.js';
import {
  type KeptOperation,
  type QueuedWrite,
  refusalOffline,
  toPending,
  toRefused,
  withoutSources,
} from './queue/model.js';

const NOTHING = { shift: undefined, since: ZERO };
const HOUR_MS = 3_600_000;

let order = 0;
const write = (operation: KeptOperation, body: Record<string, unknown> = {}): QueuedWrite => ({
  ...{ order: ++order, id: `w${order}`, operation, body, employeeId: 'ann', failures: 0 },
  occurredAt: instant(Date.parse('2026-03-01T08:00:00Z') + order),
});
const money = (amount: number) => ({ amount });
const sale = (total: number, ...tenders: object[]) => write('ringUpSale', { total_money: money(total), tenders });

it('the expected cash includes writes that wait to be sent', () => {
  const opening = write('openShift', { opened_cash_money: money(10_000) });
  const writes = [
    opening,
    sale(500, { type: 'CASH' }),
    sale(900, { type: 'OTHER', amount_money: money(400) }, { type: 'CASH', tip_money: money(100) }),
    sale(700, { type: 'CARD' }),
    write('paidIn', { amount_money: money(50) }),
    write('paidOut', { amount_money: money(30) }),
    write('takeTender', { type: 'CASH', amount_money: money(200) }),
  ];
  expect(drawerOf(NOTHING, writes)).toMatchObject({
    shiftId: opening.id,
    state: 'OPEN',
    expectedCash: 11_320,
    isQueued: true,
  });
  const ended = [...writes, write('endShift')];
  expect(drawerOf(NOTHING, ended)).toMatchObject({ state: 'ENDED', expectedCash: 11_320 });
  expect(drawerOf(NOTHING, [...ended, write('closeShift')])).toBeUndefined();
  expect(drawerOf(NOTHING, [...ended, write('closeShift'), opening])).toMatchObject({ expectedCash: 10_000 });
});

it('the expected cash includes refunds, canceled sales, and tenders that pay all that is left', () => {
  const opening = write('openShift', { opened_cash_money: money(10_000) });
  const known = (operation: KeptOperation, cash: number) => ({ ...write(operation), cash: cash as never });
  const writes = [opening, known('takeTender', 750), known('issueRefund', -200), known('cancelSale', -50)];
  expect(drawerOf(NOTHING, writes)).toMatchObject({ expectedCash: 10_500 });
});

it('the drawer receives only what returned goods leave to pay', () => {
  const exchange = write('ringUpSale', {
    total_money: money(1000),
    returns: [{ amount_money: money(400) }],
    tenders: [{ type: 'CASH' }],
  });
  expect(cashOf(exchange)).toBe(600);
});

it('the drawer is closed if there is no shift', () => {
  expect(drawerOf(NOTHING, [sale(500, { type: 'CASH' })])).toBeUndefined();
});

it.each([
  ['cash', { cards_allowed: false }, [{ type: 'CASH' }], true],
  ['a card where cards may not wait', { cards_allowed: false }, [{ type: 'CARD' }], false],
  ['a card up to the limit', { cards_allowed: true, card_limit_money: money(500) }, [{ type: 'CARD' }], true],
  [
    'a card with a tip above the limit',
    { cards_allowed: true, card_limit_money: money(500) },
    [{ type: 'CARD', tip_money: money(1) }],
    false,
  ],
  ['a gift card', { cards_allowed: true }, [{ type: 'GIFT_CARD' }], false],
])('decides whether %s may wait for the network', (_, rules, tenders, isAllowed) => {
  expect(refusalOffline(sale(500, ...tenders), rules, 500 as never) === undefined).toBe(isAllowed);
});

it('warns before the oldest write is too old, and says what a person can do about those that were refused', () => {
  const [first, second] = [sale(1), sale(2)];
  const at = (hours: number) => instant(first.occurredAt + hours * HOUR_MS);
  expect(toPending([first, second], at(1), false)).toMatchObject({
    count: 2,
    oldest: first.occurredAt,
    isTooLong: false,
  });
  expect(toPending([first, second], at(61), true)).toMatchObject({ isTooLong: true, isSending: true });
  const error = (code: string) => ({ code, detail: 'No.' });
  const refused = toRefused([first, { ...second, error: error('TOO_OLD') }, { ...second, error: error('CONFLICT') }]);
  expect(refused.map(({ canRetry }) => canRetry)).toEqual([false, true]);
  // A write with a card can be retried only while the server has not decided about the card.
  const card = { ...sale(3, { type: 'CARD', source_id: 'cnon:one' }), error: error('CONFLICT') };
  expect(toRefused([card, withoutSources(card)]).map(({ canRetry }) => canRetry)).toEqual([true, false]);
});
