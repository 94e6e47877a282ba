import { describe, expect, it } from 'vitest';
import { nearestNames } from './nearest.js';

const NAMES = ['v2.createPayment', 'v2.getPayment', 'v2.cancelPayment', 'v1.listPayments', 'v1.listRoles'];

describe('nearestNames', () => {
  it.each([
    ['v2.createpayment', 'v2.createPayment'],
    ['v2.creatPayment', 'v2.createPayment'],
    ['v1.listPayment', 'v1.listPayments'],
    ['createPayment', 'v2.createPayment'],
  ])('of %s begin with %s', (wrong, meant) => {
    expect(nearestNames(wrong, NAMES)[0]).toBe(meant);
  });

  it('are three at most, and none if nothing is similar', () => {
    expect(nearestNames('v2.Payment', NAMES)).toHaveLength(3);
    expect(nearestNames('xyz', NAMES)).toEqual([]);
  });
});
