/** What is left of records after an erasure (decisions 0176 and 0227). */
import { describe, expect, it } from 'vitest';
import { toJson } from '../../base/json.js';
import type { Order } from '../orders/model.js';
import { eventWithoutBuyer, orderWithoutBuyer, paymentWithoutBuyer, responseWithoutReasons } from './model.js';

const PERSONAL = {
  buyer_email_address: 'kim@example.com',
  billing_address: { first_name: 'Kim' },
  shipping_address: { first_name: 'Kim' },
  customer_id: 'KIM',
  note: 'ring twice',
  reference_id: 'for Kim',
  statement_description_identifier: 'KIM 7',
};

describe('a payment', () => {
  const erased = (details: object, card: object | null) => {
    const payment = { details: toJson(details), cardDetails: card && toJson(card) };
    const { details: left, cardDetails } = paymentWithoutBuyer(payment);
    return [JSON.parse(left), cardDetails && JSON.parse(cardDetails)];
  };
  const statement = (text: string) => ({ entry_method: 'KEYED', statement_description: text, cvv_status: 'X' });

  it('keeps the order, and loses what an application wrote about the buyer', () => {
    expect(erased({ order_id: 'order', ...PERSONAL }, null)).toEqual([{ order_id: 'order' }, null]);
  });

  it.each([
    ['an identifier', PERSONAL, 'SQ *BAKERY KIM 7', 'SQ *BAKERY'],
    ['another end', PERSONAL, 'SQ *BAKERY KIM 8', 'SQ *BAKERY KIM 8'],
    ['no identifier', {}, 'SQ *BAKERY KIM 7', 'SQ *BAKERY KIM 7'],
  ])('with %s on the statement of the card keeps the name of the business', (_, details, text, left) => {
    expect(erased(details, statement(text))).toEqual([{}, statement(left)]);
  });
});

describe('an event', () => {
  const event = (object?: object) => toJson({ type: 'x', data: { type: 'y', ...(object && { object }) } });

  it('loses what its payment says about the buyer', () => {
    const card_details = { statement_description: 'SQ *BAKERY KIM 7', status: 'CAPTURED' };
    const left = { id: 'p', card_details: { ...card_details, statement_description: 'SQ *BAKERY' } };
    expect(eventWithoutBuyer(event({ payment: { id: 'p', card_details, ...PERSONAL } }))).toBe(
      event({ payment: left }),
    );
  });

  it('loses the reason of its refund', () => {
    expect(eventWithoutBuyer(event({ refund: { id: 'r', reason: 'Kim', status: 'PENDING' } }))).toBe(
      event({ refund: { id: 'r', status: 'PENDING' } }),
    );
  });

  it.each([
    ['without content', event()],
    ['of v1', toJson({ event_type: 'PAYMENT_UPDATED', entity_id: 'p' })],
    ['of a payment without a buyer, byte by byte', toJson({}).replace('{}', '{ "data": {"object":{"payment":{}}}}')],
  ])('%s stays as it is', (_, body) => {
    expect(eventWithoutBuyer(body as ReturnType<typeof event>)).toBe(body);
  });
});

describe('an order', () => {
  const order = { id: 'o', fulfillment: 'SHIPMENT', shippingAddress: toJson({ first_name: 'Kim' }), buyerNote: 'Kim' };

  it('names nobody', () => {
    const { buyerEmail, recipientName, shippingAddress, buyerNote } = orderWithoutBuyer(order as Order);
    expect([buyerEmail, recipientName, shippingAddress, buyerNote]).toEqual([
      ...['erased@example.invalid', 'Erased', '{}', null],
    ]);
  });

  it('keeps the address of the location where it was picked up', () => {
    expect(orderWithoutBuyer({ ...order, fulfillment: 'PICKUP' } as Order).shippingAddress).toBe(order.shippingAddress);
  });
});

it('the response to a register says that it was erased, and keeps its refunds', () => {
  const response = { refunds: [{ id: 'a', reason: 'Kim' }, { id: 'b' }], balance: 1 };
  expect(responseWithoutReasons(response)).toEqual({ refunds: [{ id: 'a' }, { id: 'b' }], balance: 1, erased: true });
});
