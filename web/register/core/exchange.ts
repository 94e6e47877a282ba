/** An exchange whose returned goods are worth more than the new ones: the part of their value that goes back as money. Pure. */
import { type Amount, add, amount, subtract, ZERO } from '../../../src/base/money.js';
import type { CartReturn, ReturnSource } from './cart.js';

/** The first goods pay for the new ones as far as needed; `rest` of the value goes back, from the last ones first. */
export function refundRest(returns: readonly CartReturn[], rest: Amount): CartReturn[] {
  let left = rest;
  return returns
    .toReversed()
    .map((each) => {
      const refunded = amount(Math.min(left, each.amount));
      left = subtract(left, refunded);
      return refunded > ZERO ? { ...each, refunded } : each;
    })
    .toReversed();
}

/** The cash that leaves the drawer with what goes back. The server takes what pays for new goods from the first tenders. */
export function cashRefunded(returns: readonly CartReturn[]): Amount {
  return add(
    ZERO,
    ...returns.map(({ amount: value, refunded = ZERO, sources = [] }) => cashAfter(sources, subtract(value, refunded))),
  );
}

function cashAfter(sources: readonly ReturnSource[], exchanged: Amount): Amount {
  let left = exchanged;
  const cash = sources.map(({ isCash, amount: value }) => {
    const used = amount(Math.min(left, value));
    left = subtract(left, used);
    return isCash ? subtract(value, used) : ZERO;
  });
  return add(ZERO, ...cash);
}
