import { describe, expect, it } from 'vitest';
import { toSentBody } from './sent-body.js';

const SITE = { merchantId: 'M', publicUrl: 'https://pay.example' };
const NOTE = 'ü "receipt_url":"https://squareup.com/receipt/preview/x"';

function bodyOf(payment: object): string {
  return JSON.stringify({ type: 'payment.created', data: { type: 'payment', id: 'p', object: { payment } } });
}

const sent = (body: string, site: { merchantId: string; publicUrl: string | undefined } = SITE) =>
  toSentBody({ kind: 'payment.created', body }, site);

describe('toSentBody', () => {
  it('adds the address of the receipt as the last field of a completed payment, and changes nothing else', () => {
    const payment = { id: 'p', note: NOTE, status: 'COMPLETED' };
    const receipt_url = 'https://pay.example/receipts/p?merchant=M';
    expect(sent(bodyOf(payment))).toBe(bodyOf({ ...payment, receipt_url }));
  });

  it('adds the address that clients know on a server without a public URL', () => {
    const payment = { id: 'p', status: 'COMPLETED' };
    const receipt_url = 'https://squareup.com/receipt/preview/p';
    expect(sent(bodyOf(payment), { ...SITE, publicUrl: undefined })).toBe(bodyOf({ ...payment, receipt_url }));
  });

  it('replaces the address that an earlier version has stored', () => {
    const payment = { id: 'p', receipt_url: 'https://squareup.com/receipt/preview/p', status: 'COMPLETED' };
    expect(sent(bodyOf(payment))).toBe(
      bodyOf({ ...payment, receipt_url: 'https://pay.example/receipts/p?merchant=M' }),
    );
  });

  it('leaves other payments, test messages and other kinds of events as they are', () => {
    for (const body of [
      bodyOf({ id: 'p', status: 'APPROVED', note: NOTE }),
      '{"data": {"type": "payment", "id": "p"}}',
    ]) {
      expect(sent(body)).toBe(body);
    }
    expect(toSentBody({ kind: 'PAYMENT_UPDATED', body: 'no JSON' }, SITE)).toBe('no JSON');
  });
});
