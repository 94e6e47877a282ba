/** Goods that come back and are worth more than the new ones. */
import { expect, it } from 'vitest';
import type { CartReturn } from './cart.js';
import { cashRefunded, refundRest } from './exchange.js';

const goods = (value: number, ...sources: [isCash: boolean, amount: number][]): CartReturn => ({
  paymentId: 'p',
  reason: 'Size',
  amount: value as never,
  sources: sources.map(([isCash, amount]) => ({ isCash, amount: amount as never })),
});

it('gives the rest of the value back, and returns how much of it is cash', () => {
  const returns = [goods(1000, [true, 1000]), goods(500, [false, 200], [true, 300])];
  const refunded = (rest: number) => refundRest(returns, rest as never).map((each) => each.refunded);
  expect(refunded(0)).toEqual([undefined, undefined]);
  expect(refunded(400)).toEqual([undefined, 400]);
  expect(refunded(700)).toEqual([200, 500]);
  const cash = (rest: number) => cashRefunded(refundRest(returns, rest as never));
  expect([cash(0), cash(200), cash(400), cash(700), cash(1500)]).toEqual([0, 200, 300, 500, 1300]);
});
