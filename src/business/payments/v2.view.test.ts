import { describe, expect, it } from 'vitest';
import type { Schema } from '../../base/schema.js';
import { SAMPLE_PAYMENTS } from './v2.samples.js';
import { printPayment, printPaymentStart, printPaymentWithoutFee, V2Payment } from './v2.view.js';

const SITE = { merchantId: 'M', publicUrl: 'https://pay.example' };

/** The names of all fields of a schema, with those of the objects inside. */
function namesIn(schema: Schema, prefix = ''): string[] {
  const { properties = {}, items } = schema as { properties?: Record<string, Schema>; items?: Schema };
  const own = Object.entries(properties).flatMap(([name, child]) => {
    const full = `${prefix}${name}`;
    return [full, ...namesIn(child, `${full}.`)];
  });
  return items ? [...own, ...namesIn(items, prefix)] : own;
}

function namesOf(value: unknown, prefix = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => namesOf(each, prefix));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, child]) => {
    const full = `${prefix}${name}`;
    return [full, ...namesOf(child, `${full}.`)];
  });
}

describe('the samples of payments', () => {
  const printed = SAMPLE_PAYMENTS.map((payment) => JSON.parse(printPayment(payment, SITE)));

  it('have every field of the schema, and no other', () => {
    const found = new Set(printed.flatMap((payment) => namesOf(payment)));
    expect([...found].sort()).toEqual([...new Set(namesIn(V2Payment))].sort());
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
