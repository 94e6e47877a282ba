/** The two documents that a payment stores in the field names of v2, because v2 returns them unchanged: on the card, and on the purchase. */
import { type JsonText, toJson } from '../../base/json.js';
import type { PostalAddress } from '../../base/postal-address.js';
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

/** What is known of a card payment before the processor responds. */
type KnownOfCard =
  | { readonly statementDescription: string }
  | { readonly device: { readonly id: string; readonly name: string } };

export function toKnownCardDetails(known: KnownOfCard): JsonText<object> {
  return toJson(
    'device' in known
      ? { device_details: { device_id: known.device.id, device_name: known.device.name } }
      : { statement_description: known.statementDescription },
  );
}

/** The details with what the processor has said of the card. `known` is from before its response. */
export function withCard(known: JsonText<object> | null, card: Card, atRegister: EntryMethod | null): JsonText<object> {
  return toJson(Object.assign(toCardDetails(card, atRegister), known === null ? {} : JSON.parse(known)));
}

/** The same for a declined card, without what live data of failed payments never has (decision 0024). */
export function withDeclinedCard(
  known: JsonText<object> | null,
  card: Card,
  atRegister: EntryMethod | null,
): JsonText<object> {
  const {
    card: shown,
    cvv_status,
    avs_status,
    statement_description,
    ...details
  } = JSON.parse(withCard(known, card, atRegister));
  const { card_type, prepaid_type, ...rest } = shown;
  return toJson({ card: rest, ...details });
}

function toCardDetails(card: Card, atRegister: EntryMethod | null) {
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

/** The fields of a purchase that the processor does not need. Lists and searches read some of them in SQL. */
export interface PurchaseDetails {
  readonly orderId: string;
  readonly referenceId?: string | undefined;
  readonly customerId?: string | undefined;
  readonly buyerEmail?: string | undefined;
  readonly billingAddress?: PostalAddress | undefined;
  readonly shippingAddress?: PostalAddress | undefined;
  readonly note?: string | undefined;
  readonly statementDescriptionIdentifier?: string | undefined;
}

/** Whether the stored details lack something of what their request wrote. */
export function lacksDetails(written: JsonText<object>, stored: JsonText<object>): boolean {
  const kept = JSON.parse(stored);
  return Object.keys(JSON.parse(written)).some((name) => !(name in kept));
}

export function toDetails(purchase: PurchaseDetails): JsonText<object> {
  return toJson({
    order_id: purchase.orderId,
    reference_id: purchase.referenceId,
    customer_id: purchase.customerId,
    buyer_email_address: purchase.buyerEmail,
    billing_address: purchase.billingAddress,
    shipping_address: purchase.shippingAddress,
    note: purchase.note,
    statement_description_identifier: purchase.statementDescriptionIdentifier,
  });
}
