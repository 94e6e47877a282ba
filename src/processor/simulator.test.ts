import { describe, expect, it } from 'vitest';
import { amount } from '../base/money.js';
import type { AuthorizeRequest, Card } from './contract.js';
import { simulator } from './simulator.js';
import { TEST_SOURCES } from './sources.js';

const MERCHANT = { id: 'M1', hasRules: false };

const authorize = (sourceId: string, change: Partial<AuthorizeRequest> = {}) =>
  simulator.authorize({
    key: 'k',
    merchant: MERCHANT,
    sourceId,
    verificationToken: undefined,
    amount: amount(1000),
    currency: 'USD',
    acceptPartial: false,
    paymentId: 'payment',
    processorId: null,
    capture: true,
    ...change,
  });

const VISA: Partial<Card> = {
  brand: 'VISA',
  last4: '5858',
  bin: '453275',
  type: 'CREDIT',
  prepaidType: 'NOT_PREPAID',
  entryMethod: 'KEYED',
  cvvStatus: 'CVV_ACCEPTED',
  avsStatus: 'AVS_ACCEPTED',
};
/** The published number 4000 0000 0000 0002. */
const DECLINED_VISA: Partial<Card> = { ...VISA, last4: '0002', bin: '400000' };
const unchecked = { cvvStatus: 'CVV_NOT_CHECKED', avsStatus: 'AVS_NOT_CHECKED' } as const;
const GIFT: Partial<Card> = { brand: 'SQUARE_GIFT_CARD', prepaidType: 'PREPAID', entryMethod: 'KEYED', ...unchecked };
const onFile = (id: string): Partial<Card> => ({ ...VISA, ...unchecked, id, entryMethod: 'ON_FILE' });
const declined = (code: string) => ({ kind: 'declined', code });

/** Contract 16.6, row by row. */
const TABLE: readonly [string, object, Partial<Card> | undefined][] = [
  ['cnon:card-nonce-ok', { kind: 'approved', amount: 1000 }, VISA],
  ['cnon:gift-card-nonce-ok', { kind: 'approved', amount: 1000 }, GIFT],
  ['ccof:customer-card-id-ok', { kind: 'approved', amount: 1000 }, onFile('ccof:customer-card-id-ok')],
  ['cnon:card-nonce-rejected-cvv', declined('CVV_FAILURE'), { ...VISA, cvvStatus: 'CVV_REJECTED' }],
  [
    'ccof:customer-card-id-rejected-cvv',
    declined('CVV_FAILURE'),
    { ...onFile('ccof:customer-card-id-rejected-cvv'), cvvStatus: 'CVV_REJECTED' },
  ],
  [
    'cnon:card-nonce-rejected-postalcode',
    declined('ADDRESS_VERIFICATION_FAILURE'),
    { ...VISA, avsStatus: 'AVS_REJECTED' },
  ],
  [
    'ccof:customer-card-id-rejected-postalcode',
    declined('ADDRESS_VERIFICATION_FAILURE'),
    { ...onFile('ccof:customer-card-id-rejected-postalcode'), avsStatus: 'AVS_REJECTED' },
  ],
  ['cnon:card-nonce-rejected-expiration', declined('INVALID_EXPIRATION'), VISA],
  [
    'ccof:customer-card-id-rejected-expiration',
    declined('INVALID_EXPIRATION'),
    onFile('ccof:customer-card-id-rejected-expiration'),
  ],
  ['cnon:card-nonce-declined', declined('GENERIC_DECLINE'), DECLINED_VISA],
  ['ccof:customer-card-id-declined', declined('GENERIC_DECLINE'), onFile('ccof:customer-card-id-declined')],
  ['cnon:card-nonce-already-used', { kind: 'unusable', why: 'ALREADY_USED' }, undefined],
  [
    'ccof:customer-card-id-requires-verification',
    declined('CARD_DECLINED_VERIFICATION_REQUIRED'),
    onFile('ccof:customer-card-id-requires-verification'),
  ],
  ['cnon:gift-card-nonce-insufficient-funds', { ...declined('INSUFFICIENT_FUNDS'), availableAmount: 500 }, GIFT],
  ['cnon:gift-card-nonce-insufficient-permission', declined('INSUFFICIENT_PERMISSIONS'), GIFT],
];

describe('simulator.authorize', () => {
  it.each(TABLE)('%s leads to %o (contract 16.6)', async (sourceId, expected, card) => {
    const outcome = await authorize(sourceId);
    expect(outcome).toMatchObject(expected);
    if (card) expect(outcome).toMatchObject({ card });
    else expect(outcome).toEqual(expected);
  });

  it('has no source besides that table', () => {
    expect([...TEST_SOURCES.keys()].toSorted()).toEqual(TABLE.map(([sourceId]) => sourceId).toSorted());
  });

  it('gives each approval its own code of six characters, and a decline none', async () => {
    const codes = new Set<string>();
    for (let count = 0; count < 20; count++) {
      const outcome = await authorize('cnon:card-nonce-ok');
      const code = outcome.kind === 'approved' ? outcome.card.authResultCode : undefined;
      expect(code).toMatch(/^[0-9A-Za-z]{6}$/);
      codes.add(code ?? '');
    }
    expect(codes.size).toBe(20);
    const outcome = await authorize('cnon:card-nonce-declined');
    expect(outcome.kind === 'declined' && outcome.card).not.toHaveProperty('authResultCode');
  });

  it('approves a card that requires verification if the request has a verification token', async () => {
    const sourceId = 'ccof:customer-card-id-requires-verification';
    expect(await authorize(sourceId, { verificationToken: 'verf:x' })).toMatchObject({
      kind: 'approved',
      amount: 1000,
      card: { id: sourceId },
    });
  });

  it.each([
    [1000, 500],
    [3, 2],
    [2, 1],
  ])('approves of %d the gift card balance of %d, if a partial amount is accepted', async (asked, held) => {
    const sourceId = 'cnon:gift-card-nonce-insufficient-funds';
    const outcome = await authorize(sourceId, { amount: amount(asked), acceptPartial: true });
    expect(outcome).toMatchObject({ kind: 'approved', amount: held });
  });

  it('declines an empty gift card, even if a partial amount is accepted', async () => {
    const sourceId = 'cnon:gift-card-nonce-insufficient-funds';
    expect(await authorize(sourceId, { amount: amount(1), acceptPartial: true })).toMatchObject({
      ...declined('INSUFFICIENT_FUNDS'),
      availableAmount: 0,
    });
  });

  it('approves the whole amount of a sufficient card, even if a partial amount is accepted', async () => {
    expect(await authorize('cnon:card-nonce-ok', { acceptPartial: true })).toMatchObject({ amount: 1000 });
    expect(await authorize('cnon:gift-card-nonce-ok', { acceptPartial: true })).toMatchObject({ amount: 1000 });
  });

  it.each([
    ['CNON:card-nonce-ok', 'NOT_A_SOURCE'],
    ['card-nonce-ok', 'NOT_A_SOURCE'],
    ['cnon:', 'NOT_A_SOURCE'],
    ['CASH', 'NOT_A_SOURCE'],
    ['4111111111111111', 'CARD_NUMBER'],
    ['4111 1111 1111 1111', 'CARD_NUMBER'],
    ['3400-000000-00009', 'CARD_NUMBER'],
    ['30000000000004', 'CARD_NUMBER'],
    ['cnon:4111111111111111', 'CARD_NUMBER'],
    ['pm_4111111111111111', 'CARD_NUMBER'],
    ['cnon:4111111111111111=29121010000?', 'CARD_NUMBER'],
    ['12345678901', 'NOT_A_SOURCE'],
  ] as const)('cannot use %s: %s', async (sourceId, why) => {
    expect(await authorize(sourceId)).toEqual({ kind: 'unusable', why });
  });

  it.each([
    ['cnon:never-issued', 'cnon:card-nonce-ok'],
    ['ccof:nobody', 'ccof:customer-card-id-ok'],
  ])('does not know %s, and names one that works', async (sourceId, working) => {
    expect(await authorize(sourceId)).toEqual({ kind: 'unusable', why: 'UNKNOWN_SOURCE', working });
    expect(await authorize(working)).toMatchObject({ kind: 'approved' });
  });
});

describe('simulator', () => {
  it('never loses a response, and approves every refund', async () => {
    expect(simulator.isCertain(MERCHANT, null)).toBe(true);
    const refund = {
      key: 'k',
      merchant: MERCHANT,
      paymentId: 'p',
      processorId: null,
      amount: amount(1),
      currency: 'USD',
    };
    expect(await simulator.refund(refund)).toBe(true);
  });
});
