import { describe, expect, it } from 'vitest';
import { namesInJson, namesInSchema } from '../../../test/support/field-names.js';
import { SAMPLE_PAYMENTS } from './v2.samples.js';
import { printPayment, printPaymentStart, printPaymentWithoutFee, V2Payment } from './v2.view.js';

const SITE = { merchantId: 'M', publicUrl: 'https://pay.example' };

describe('the samples of payments', () => {
  const printed = SAMPLE_PAYMENTS.map((payment) => JSON.parse(printPayment(payment, SITE)));

  it('have every field of the schema, and no other', () => {
    const found = new Set(printed.flatMap((payment) => namesInJson(payment)));
    expect([...found].sort()).toEqual([...new Set(namesInSchema(V2Payment))].sort());
  });

  it('have every status', () => {
    expect(printed.map(({ status }) => status)).toEqual(['APPROVED', 'COMPLETED', 'CANCELED', 'FAILED']);
  });
});

describe('a printed payment', () => {
  it('has no address of a server in its stored part', () => {
    for (const payment of SAMPLE_PAYMENTS) expect(printPaymentStart(payment)).not.toContain('http');
  });

  it('has the address of its receipt if it is completed', () => {
    const urls = SAMPLE_PAYMENTS.map((payment) => JSON.parse(printPayment(payment, SITE)).receipt_url);
    expect(urls).toEqual([
      undefined,
      `https://pay.example/receipts/${SAMPLE_PAYMENTS[1]?.id}?merchant=M`,
      undefined,
      undefined,
    ]);
  });

  it('is the same without its fee, except for the fee', () => {
    for (const payment of SAMPLE_PAYMENTS) {
      const { processing_fee: _, ...rest } = JSON.parse(printPayment(payment, SITE));
      expect(JSON.parse(printPaymentWithoutFee(payment, SITE))).toEqual(rest);
    }
  });

  it('has the fee two hours after the payment was captured, and what came back of it', () => {
    expect(JSON.parse(printPayment(SAMPLE_PAYMENTS[2] as never, SITE)).processing_fee).toEqual([
      { effective_at: '2020-02-26T12:01:01.000Z', type: 'INITIAL', amount_money: { amount: 64, currency: 'USD' } },
      { effective_at: '2020-02-26T12:02:02.000Z', type: 'ADJUSTMENT', amount_money: { amount: -47, currency: 'USD' } },
    ]);
  });
});
