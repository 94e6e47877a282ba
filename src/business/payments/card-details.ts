/** A card as a payment keeps it: in the words of v2, since it is only ever copied out. */
import { type Card, isPresent } from '../../processor/contract.js';
import type { EntryMethod } from './model.js';

/** At a register the card itself was there, read as the processor says, or its number was typed in. */
function entryMethodOf(card: Card, atRegister: EntryMethod | null): Card['entryMethod'] {
  if (atRegister === 'MANUAL') return 'KEYED';
  return atRegister === null || isPresent(card) ? card.entryMethod : 'SWIPED';
}

const MAX_STATEMENT_LENGTH = 50;

/** What the buyer reads on the card's statement; a long name gives way to what tells one payment from another. */
export function statementDescription(businessName: string, identifier: string | undefined): string {
  const end = identifier ? ` ${identifier}` : '';
  const start = [...`SQ *${businessName.toUpperCase()}`].slice(0, MAX_STATEMENT_LENGTH - [...end].length).join('');
  return start + end;
}

export function toCardDetails(card: Card, atRegister: EntryMethod | null = null) {
  return {
    card: {
      ...(card.id !== undefined && { id: card.id }),
      card_brand: card.brand,
      last_4: card.last4,
      exp_month: card.expMonth,
      exp_year: card.expYear,
      fingerprint: card.fingerprint,
      card_type: card.type,
      prepaid_type: card.prepaidType,
      bin: card.bin,
    },
    entry_method: entryMethodOf(card, atRegister),
    cvv_status: card.cvvStatus,
    avs_status: card.avsStatus,
    ...(card.authResultCode !== undefined && { auth_result_code: card.authResultCode }),
  };
}
