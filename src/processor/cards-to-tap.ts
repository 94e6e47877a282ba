/** The test sources that a register in a sandbox shows as cards to tap, with the name of each and what happens to it. */
import { findTestSource, type TestSource } from './sources.js';

export interface CardToTap {
  readonly sourceId: string;
  readonly label: string;
  readonly brand: TestSource['card']['brand'];
  readonly last4: string;
  readonly kind: 'CARD' | 'GIFT_CARD';
  /** APPROVED, HALF_BALANCE for a gift card that covers a half, or the code of the decline. */
  readonly outcome: TestSource['outcome'];
}

const LABELS = {
  'cnon:test-visa-contactless': 'Visa, contactless',
  'cnon:test-mastercard-emv': 'Mastercard, chip',
  'cnon:test-american-express-swiped': 'American Express, swiped',
  'cnon:test-visa-debit-contactless-declined-insufficient-funds': 'Visa without enough money',
  'cnon:test-mastercard-emv-declined-generic-decline': 'Mastercard that is declined',
  'cnon:test-visa-emv-declined-card-expired': 'Visa that has expired',
  'cnon:gift-card-nonce-ok': 'Gift card',
  'cnon:gift-card-nonce-insufficient-funds': 'Gift card with half of the amount',
} as const;

export const CARDS_TO_TAP: readonly CardToTap[] = Object.entries(LABELS).map(([sourceId, label]) => {
  const source = findTestSource(sourceId);
  if (!source) throw new Error(`there is no test source ${sourceId}`);
  const { brand, last4 } = source.card;
  const kind = brand === 'SQUARE_GIFT_CARD' ? 'GIFT_CARD' : 'CARD';
  return { sourceId, label, brand, last4, kind, outcome: source.outcome };
});
