/** What records say about a buyer, and what is left of them after an erasure (decisions 0176 and 0227). Pure. */
import { type JsonText, toJson } from '../../base/json.js';
import type { Notes, Order } from '../orders/model.js';
import type { Payment, PaymentStatus } from '../payments/model.js';

/** The fields of a payment in which an application may have written about the buyer. An order_id stays: it leads from the books to the order. */
const BUYER_FIELDS = [
  'buyer_email_address',
  'billing_address',
  'shipping_address',
  'customer_id',
  'note',
  'reference_id',
  'statement_description_identifier',
] as const;

interface DescribedCard {
  readonly statement_description?: string;
}

interface Described {
  readonly statement_description_identifier?: string;
}

/** An order that names nobody. The address of a pick-up is that of the location, so it stays. */
export function orderWithoutBuyer<Any extends Order & Notes>(order: Any): Any {
  return {
    ...order,
    buyerEmail: 'erased@example.invalid',
    recipientName: 'Erased',
    recipientPhoneNumber: null,
    shippingAddress: order.fulfillment === 'PICKUP' ? order.shippingAddress : toJson({}),
    buyerNote: null,
    trackingNumber: null,
    completedNote: null,
    canceledNote: null,
    refundedNote: null,
  };
}

type Documents = Pick<Payment<PaymentStatus>, 'details' | 'cardDetails'>;

export function paymentWithoutBuyer<Any extends Documents>(payment: Any): Any {
  const details: Described = JSON.parse(payment.details);
  const card = payment.cardDetails && cardWithoutIdentifier(JSON.parse(payment.cardDetails), details);
  return { ...payment, details: toJson(withoutBuyerFields(details)), cardDetails: card && toJson(card) };
}

/** The card, whose text on the statement loses what an application has added to it. The name of the business stays. */
function cardWithoutIdentifier<Card extends DescribedCard>(
  card: Card,
  { statement_description_identifier: id }: Described,
): Card {
  const { statement_description: text } = card;
  if (id === undefined || !text?.endsWith(` ${id}`)) return card;
  return { ...card, statement_description: text.slice(0, -` ${id}`.length) };
}

function withoutBuyerFields<Document extends object>(document: Document): Partial<Document> {
  const fields: readonly string[] = BUYER_FIELDS;
  return Object.fromEntries(Object.entries(document).filter(([name]) => !fields.includes(name))) as Partial<Document>;
}

interface EventBody {
  readonly data?: {
    readonly object?: {
      readonly payment?: Described & { readonly card_details?: DescribedCard };
      readonly refund?: { readonly reason?: string };
    };
  };
}

/** The body of an event: without what its payment says about the buyer, or without the reason of its refund. */
export function eventWithoutBuyer(body: JsonText<EventBody>): JsonText<EventBody> {
  const event: EventBody = JSON.parse(body);
  const { payment, refund } = event.data?.object ?? {};
  if (payment && BUYER_FIELDS.some((name) => name in payment)) {
    const { card_details: card } = payment;
    const known = card ? { ...payment, card_details: cardWithoutIdentifier(card, payment) } : payment;
    return withObject(event, { payment: withoutBuyerFields(known) });
  }
  if (refund?.reason === undefined) return body;
  const { reason: _, ...rest } = refund;
  return withObject(event, { refund: rest });
}

function withObject(event: EventBody, object: object): JsonText<EventBody> {
  return toJson({ ...event, data: { ...event.data, object: { ...event.data?.object, ...object } } });
}

interface RefundsOfRegister {
  readonly refunds: readonly { readonly reason?: string }[];
}

/** The response to a register that made refunds. A retry gets it, and makes no other refund. */
export function responseWithoutReasons(response: unknown): RefundsOfRegister & { readonly erased: true } {
  const known = response as RefundsOfRegister;
  return { ...known, erased: true, refunds: known.refunds.map(({ reason: _, ...refund }) => refund) };
}
