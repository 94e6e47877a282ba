import { describe, expect, it } from 'vitest';
import { DECLINE_CODES } from '../base/errors.js';
import { CARD_BRANDS } from './contract.js';
import { parseTestCard } from './test-cards.js';

const word = (name: string) => name.toLowerCase().replaceAll('_', '-');

describe('parseTestCard', () => {
  it.each(CARD_BRANDS)('has a test card of %s, as a nonce and on file', (brand) => {
    const nonce = parseTestCard(`cnon:test-${word(brand)}`);
    expect(nonce).toMatchObject({ card: { brand, entryMethod: 'KEYED' }, decline: undefined });
    const stored = parseTestCard(`ccof:test-${word(brand)}`);
    expect(stored?.card).toMatchObject({ brand, entryMethod: 'ON_FILE', id: `ccof:test-${word(brand)}` });
    const others = CARD_BRANDS.filter((each) => each !== brand).map((each) => parseTestCard(`cnon:test-${word(each)}`));
    expect(others.map((each) => each?.card.fingerprint)).not.toContain(nonce?.card.fingerprint);
    expect(nonce?.card.fingerprint).toMatch(/^sq-1-\w{66}$/);
  });

  it.each(DECLINE_CODES)('declines with %s', (code) => {
    expect(parseTestCard(`cnon:test-visa-declined-${word(code)}`)).toMatchObject({ decline: code });
    expect(parseTestCard(`ccof:test-discover-diners-debit-declined-${word(code)}`)).toMatchObject({ decline: code });
  });

  it('reads every part of a name', () => {
    expect(parseTestCard('cnon:test-discover-diners-debit-prepaid-contactless-declined-card-declined')).toMatchObject({
      card: { brand: 'DISCOVER_DINERS', type: 'DEBIT', prepaidType: 'PREPAID', entryMethod: 'CONTACTLESS' },
      decline: 'CARD_DECLINED',
    });
    expect(parseTestCard('cnon:test-visa-credit-emv')?.card).toMatchObject({
      ...{ type: 'CREDIT', prepaidType: 'NOT_PREPAID', entryMethod: 'EMV' },
      ...{ cvvStatus: 'CVV_NOT_CHECKED', avsStatus: 'AVS_NOT_CHECKED' },
    });
    expect(parseTestCard('cnon:test-visa-declined-cvv-failure')?.card).toMatchObject({
      cvvStatus: 'CVV_REJECTED',
      avsStatus: 'AVS_ACCEPTED',
    });
  });

  it.each([
    'cnon:test-',
    'cnon:test-visa-',
    'cnon:test-VISA',
    'cnon:test-visa-contactless-debit',
    'cnon:test-visa-debit-debit',
    'cnon:test-visa-on-file',
    'cnon:test-visa-declined',
    'cnon:test-visa-declined-',
    'cnon:test-visa-declined-gift-card-available-amount',
    'cnon:test-debit',
    'ccof:test-visa-keyed',
    'test-visa',
    ' cnon:test-visa',
    'cnon:test-visa\n',
  ])('rejects %j', (sourceId) => {
    expect(parseTestCard(sourceId)).toBeUndefined();
  });
});
