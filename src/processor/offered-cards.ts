/** The test sources that pages of a sandbox offer, with name and outcome: cards to tap at a register, and cards to choose in a store. */
import { isGiftCard } from './contract.js';
import { findTestSource, type TestSource } from './sources.js';

export interface OfferedCard {
  readonly sourceId: string;
  readonly label: string;
  readonly brand: TestSource['card']['brand'];
  readonly last4: string;
  readonly kind: 'CARD' | 'GIFT_CARD';
  /** APPROVED, HALF_BALANCE for a gift card that covers a half, or the code of the decline. */
  readonly outcome: TestSource['outcome'];
}

const TO_TAP = {
  'cnon:test-visa-contactless': 'Visa, contactless',
  'cnon:test-mastercard-emv': 'Mastercard, chip',
  'cnon:test-american-express-swiped': 'American Express, swiped',
  'cnon:test-visa-debit-contactless-declined-insufficient-funds': 'Visa without enough money',
  'cnon:test-mastercard-emv-declined-generic-decline': 'Mastercard that is declined',
  'cnon:test-visa-emv-declined-card-expired': 'Visa that has expired',
  'cnon:gift-card-nonce-ok': 'Gift card',
  'cnon:gift-card-nonce-insufficient-funds': 'Gift card with half of the amount',
} as const;

const TO_ENTER = {
  'cnon:card-nonce-ok': 'Visa',
  'cnon:test-mastercard': 'Mastercard',
  'cnon:test-american-express': 'American Express',
  'cnon:test-visa-declined-insufficient-funds': 'Visa without enough money',
  'cnon:card-nonce-rejected-cvv': 'Visa with a wrong security code',
  'cnon:test-mastercard-declined-card-expired': 'Mastercard that has expired',
  'cnon:card-nonce-declined': 'Visa that is declined',
} as const;

function toOffered([sourceId, label]: [string, string]): OfferedCard {
  const source = findTestSource(sourceId);
  if (!source) throw new Error(`there is no test source ${sourceId}`);
  const { brand, last4 } = source.card;
  const kind = isGiftCard(brand) ? 'GIFT_CARD' : 'CARD';
  return { sourceId, label, brand, last4, kind, outcome: source.outcome };
}

export const CARDS_TO_TAP: readonly OfferedCard[] = Object.entries(TO_TAP).map(toOffered);

export const CARDS_TO_ENTER: readonly OfferedCard[] = Object.entries(TO_ENTER).map(toOffered);
