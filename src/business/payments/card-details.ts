/** The card details that a payment stores. They use the field names of v2, because v2 returns them unchanged. */
import { type Card, isPresent } from '../../processor/contract.js';
import type { EntryMethod } from './model.js';

/** At a register the card is present, and the processor says how it was read, unless its number was typed in. */
function entryMethodOf(card: Card, atRegister: EntryMethod | null): Card['entryMethod'] {
  if (atRegister === 'MANUAL') return 'KEYED';
  return atRegister === null || isPresent(card) ? card.entryMethod : 'SWIPED';
}

const MAX_STATEMENT_LENGTH = 50;

/** The text on the buyer's card statement. A long business name is cut, because the identifier distinguishes payments. */
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
      ...(card.expMonth !== undefined && { exp_month: card.expMonth }),
      ...(card.expYear !== undefined && { exp_year: card.expYear }),
      ...(card.fingerprint !== undefined && { fingerprint: card.fingerprint }),
      card_type: card.type,
      prepaid_type: card.prepaidType,
      ...(card.bin !== undefined && { bin: card.bin }),
    },
    entry_method: entryMethodOf(card, atRegister),
    cvv_status: card.cvvStatus,
    avs_status: card.avsStatus,
    ...(card.authResultCode !== undefined && { auth_result_code: card.authResultCode }),
  };
}
