/** The built-in processor. It moves no money; the table of test sources defines its outcomes. */
import { realIds } from '../base/ids.js';
import { portion, ZERO } from '../base/money.js';
import type { AuthorizeOutcome, AuthorizeRequest, Processor } from './contract.js';
import { findTestSource, invalidSourceReason } from './sources.js';

export const simulator: Processor = {
  isCertain: () => true,
  authorize: async (request) => decide(request),
  capture: async () => ({ kind: 'captured' }),
  void: async () => {},
  refund: async () => true,
};

function unusable(sourceId: string): AuthorizeOutcome {
  const why = invalidSourceReason(sourceId);
  if (why) return { kind: 'unusable', why };
  const working = sourceId.startsWith('ccof:') ? 'ccof:customer-card-id-ok' : 'cnon:card-nonce-ok';
  return { kind: 'unusable', why: 'UNKNOWN_SOURCE', working };
}

function decide({ sourceId, verificationToken, amount, acceptPartial }: AuthorizeRequest): AuthorizeOutcome {
  const source = findTestSource(sourceId);
  if (!source) return unusable(sourceId);
  const { card, outcome } = source;
  const authResultCode = realIds.newId(14).slice(8);
  const approved = { kind: 'approved', amount, card: { authResultCode, ...card } } as const; // no test card has a code
  switch (outcome) {
    case 'APPROVED':
      return approved;
    case 'ALREADY_USED':
      return { kind: 'unusable', why: 'ALREADY_USED' };
    case 'NEEDS_VERIFICATION':
      return verificationToken === undefined
        ? { kind: 'declined', code: 'CARD_DECLINED_VERIFICATION_REQUIRED', card }
        : approved;
    case 'HALF_BALANCE': {
      const balance = portion(amount, 1, 2) === amount ? ZERO : portion(amount, 1, 2);
      return acceptPartial && balance > 0
        ? { ...approved, amount: balance }
        : { kind: 'declined', code: 'INSUFFICIENT_FUNDS', availableAmount: balance, card };
    }
    default:
      return { kind: 'declined', code: outcome, card };
  }
}
