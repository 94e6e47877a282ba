/** Generates the cards of buyers, and the outcomes of their authorizations. */
import type { DeclineCode } from '../../base/errors.js';
import type { Amount } from '../../base/money.js';
import type { AuthorizeOutcome, Card } from '../../processor/contract.js';
import type { Scenario } from './scenario.js';
import type { SeededRandom } from './seeded-random.js';

/** Brand, first six digits, last four digits, expiry month, expiry year. */
const CARDS = [
  ['VISA', '453275', '5858', 12, 2032],
  ['VISA', '411111', '1111', 4, 2031],
  ['VISA', '448562', '3090', 9, 2032],
  ['MASTERCARD', '520473', '9029', 1, 2033],
  ['MASTERCARD', '545454', '5454', 7, 2031],
  ['AMERICAN_EXPRESS', '371263', '1126', 11, 2033],
  ['DISCOVER', '601100', '6611', 2, 2032],
  ['VISA', '476173', '0119', 6, 2031],
] as const;

const DECLINES: readonly DeclineCode[] = ['GENERIC_DECLINE', 'CVV_FAILURE', 'INVALID_EXPIRATION'];

function pickCard(random: SeededRandom): Card {
  const [brand, bin, last4, expMonth, expYear] = random.pick(CARDS);
  return {
    brand,
    last4,
    bin,
    expMonth,
    expYear,
    fingerprint: `sq-1-Demo${brand}${last4}`,
    type: 'CREDIT',
    prepaidType: 'NOT_PREPAID',
    entryMethod: 'KEYED',
    cvvStatus: 'CVV_ACCEPTED',
    avsStatus: 'AVS_ACCEPTED',
  };
}

export function approve(
  { random, ids }: Pick<Scenario, 'random' | 'ids'>,
  amount: Amount,
): Extract<AuthorizeOutcome, { kind: 'approved' }> {
  const card = pickCard(random);
  return { kind: 'approved', amount, card: { authResultCode: ids.newId(14).slice(8), ...card } };
}

export function decline(random: SeededRandom): Extract<AuthorizeOutcome, { kind: 'declined' }> {
  return { kind: 'declined', code: random.pick(DECLINES), card: pickCard(random) };
}
