import { describe, expect, it } from 'vitest';
import { realIds } from '../../base/ids.js';
import { amount } from '../../base/money.js';
import { instant } from '../../base/time.js';
import { toHoldMovement } from './model.js';

describe('toHoldMovement', () => {
  const payment = { id: 'PAYMENT', locationId: 'LOCATION', currency: 'USD' };

  it.each([
    ['HOLD', -1000],
    ['HOLD_RELEASE', 1000],
  ])('is a %s of exactly %i', (kind, units) => {
    const movement = toHoldMovement(realIds, payment, { amount: amount(units), occurredAt: instant(5) });
    const expected = { kind, paymentId: 'PAYMENT', refundId: null, locationId: 'LOCATION', currency: 'USD' };
    expect(movement).toEqual({ ...expected, id: expect.any(String), amount: units, fee: 0, occurredAt: 5 });
  });
});
