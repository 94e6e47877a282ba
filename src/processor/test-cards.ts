/**
 * Test sources whose names describe the card (decision 0032): the brand, then credit or debit, then prepaid, then the entry
 * method, then the code of the decline. Only the brand is required. Examples: `cnon:test-visa`,
 * `cnon:test-mastercard-debit-prepaid-contactless`, `ccof:test-jcb-declined-insufficient-funds`.
 */
import { DECLINE_CODES, type DeclineCode } from '../base/errors.js';
import { CARD_BRANDS, type Card, isGiftCard, isPresent, PRESENT_ENTRY_METHODS } from './contract.js';

export interface TestCard {
  readonly card: Card;
  readonly decline: DeclineCode | undefined;
}

/** The first six and the last four digits of each brand's test card. */
const NUMBERS: Readonly<Record<Card['brand'], readonly [bin: string, last4: string]>> = {
  VISA: ['411111', '1111'],
  MASTERCARD: ['510510', '5100'],
  AMERICAN_EXPRESS: ['340000', '0009'],
  DISCOVER: ['601100', '0004'],
  DISCOVER_DINERS: ['300000', '0005'],
  JCB: ['356999', '5841'],
  CHINA_UNIONPAY: ['622298', '0002'],
  SQUARE_GIFT_CARD: ['778332', '0001'],
  SQUARE_CAPITAL_CARD: ['900000', '0006'],
  OTHER_BRAND: ['999999', '0007'],
};

const wordOf = (name: string): string => name.toLowerCase().replaceAll('_', '-');
const wordsOf = <Name extends string>(names: readonly Name[]) => new Map(names.map((name) => [wordOf(name), name]));

const BRANDS = wordsOf(CARD_BRANDS);
const TYPES = wordsOf(['CREDIT', 'DEBIT']);
const ENTRY_METHODS = wordsOf(['KEYED', ...PRESENT_ENTRY_METHODS]);
const DECLINES = wordsOf(DECLINE_CODES);

const oneOf = (words: ReadonlyMap<string, string>): string => [...words.keys()].join('|');

/** The whole name must match, so `discover-diners` is not read as `discover`. */
const NAME = new RegExp(
  `^(cnon|ccof):test-(${oneOf(BRANDS)})(?:-(${oneOf(TYPES)}))?(-prepaid)?(?:-(${oneOf(ENTRY_METHODS)}))?` +
    `(?:-declined-(${oneOf(DECLINES)}))?$`,
);

/** Returns undefined for other names. A card on file has no entry method in its name. */
export function parseTestCard(sourceId: string): TestCard | undefined {
  const [, kind, brandWord = '', typeWord = '', prepaid, entryWord = '', declineWord = ''] = NAME.exec(sourceId) ?? [];
  const brand = BRANDS.get(brandWord);
  if (brand === undefined || (kind === 'ccof' && entryWord !== '')) return undefined;
  const isGift = isGiftCard(brand);
  const entryMethod = kind === 'ccof' ? 'ON_FILE' : (ENTRY_METHODS.get(entryWord) ?? 'KEYED');
  const decline = DECLINES.get(declineWord);
  const [bin, last4] = NUMBERS[brand];
  const card: Card = {
    ...(kind === 'ccof' && { id: sourceId }),
    brand,
    last4,
    expMonth: 12,
    expYear: 2032,
    fingerprint: `sq-1-TillhouseTestCard${bin}${last4}`.padEnd(71, 'x'),
    type: TYPES.get(typeWord) ?? (isGift ? 'UNKNOWN_CARD_TYPE' : 'CREDIT'),
    prepaidType: prepaid || isGift ? 'PREPAID' : 'NOT_PREPAID',
    bin,
    entryMethod,
    ...checksOf({ entryMethod }, isGift, decline),
  };
  return { card, decline };
}

/** CVV and address are checked only for keyed cards. */
function checksOf(
  card: Pick<Card, 'entryMethod'>,
  isGift: boolean,
  decline: DeclineCode | undefined,
): Pick<Card, 'cvvStatus' | 'avsStatus'> {
  const [badCode, badAddress] = [
    decline === 'CVV_FAILURE' || decline === 'VERIFY_CVV_FAILURE',
    decline === 'ADDRESS_VERIFICATION_FAILURE' || decline === 'VERIFY_AVS_FAILURE' || decline === 'INVALID_POSTAL_CODE',
  ];
  const unchecked = isGift || isPresent(card) || card.entryMethod === 'ON_FILE';
  return {
    cvvStatus: badCode ? 'CVV_REJECTED' : unchecked ? 'CVV_NOT_CHECKED' : 'CVV_ACCEPTED',
    avsStatus: badAddress ? 'AVS_REJECTED' : unchecked ? 'AVS_NOT_CHECKED' : 'AVS_ACCEPTED',
  };
}
