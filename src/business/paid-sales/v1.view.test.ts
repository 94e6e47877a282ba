import { describe, expect, it } from 'vitest';
import { namesInJson, namesInSchema } from '../../../test/support/field-names.js';
import { SAMPLE_CURRENCY, SAMPLE_RECEIPTS } from '../receipts/v1.samples.js';
import { printReceipt, RECEIPT_FIELDS } from '../receipts/v1.view.js';
import { printCopy, withAddresses } from './copies.js';
import { SAMPLE_SALES } from './v1.samples.js';
import { printV1Payment, toV1Site, V1Payment } from './v1.view.js';

const SITE = toV1Site({ currency: SAMPLE_CURRENCY, merchantId: 'M', publicUrl: 'https://pay.example' });

/** The taxes of a surcharge are always an empty list, so what they have never occurs. */
const NEVER = /surcharges\.taxes\./;

function expectAllFields(printed: readonly string[], schema: Parameters<typeof namesInSchema>[0]): void {
  const found = new Set(printed.flatMap((text) => namesInJson(JSON.parse(text))));
  const wanted = new Set(namesInSchema(schema).filter((name) => !NEVER.test(name)));
  expect([...found].sort()).toEqual([...wanted].sort());
}

describe('the samples of v1', () => {
  it('have every field of the schema of a sale with its refunds, and no other', () => {
    expectAllFields(
      SAMPLE_SALES.map((sale) => printV1Payment(sale, SITE)),
      V1Payment,
    );
  });

  it('have every field of the schema of a receipt, and no other', () => {
    const schema = { properties: RECEIPT_FIELDS } as unknown as typeof V1Payment;
    expectAllFields(
      SAMPLE_RECEIPTS.map((receipt) => printReceipt(receipt, SAMPLE_CURRENCY)),
      schema,
    );
  });
});

describe('a copy of a sale', () => {
  it('is JSON without the address of a server', () => {
    for (const sale of SAMPLE_SALES) {
      const copy = printCopy(sale, SAMPLE_CURRENCY);
      expect(JSON.parse(copy)).toMatchObject({ id: sale.id, payment_url: sale.id });
      expect(copy).not.toContain('http');
    }
  });

  it('with the addresses of a server is what this server prints, to the byte', () => {
    for (const publicUrl of ['https://pay.example', undefined]) {
      const site = toV1Site({ currency: SAMPLE_CURRENCY, merchantId: 'M', publicUrl });
      const [printed, copied] = [
        SAMPLE_SALES.map((sale) => printV1Payment(sale, site)),
        SAMPLE_SALES.map((sale) => printCopy(sale, SAMPLE_CURRENCY)),
      ];
      expect(withAddresses(Buffer.from(copied.join(',\n')), site).toString()).toBe(printed.join(',\n'));
    }
  });

  it('leaves a text with tabs, quotation marks and letters of all languages as it is', () => {
    const text = 'Tab \t"id"\t\t"id" \\t"id" ü 咖啡';
    const sales = SAMPLE_SALES.map((sale) => ({ ...sale, deviceId: 'D', deviceName: text }));
    for (const sale of sales) {
      const sent = withAddresses(Buffer.from(printCopy(sale, SAMPLE_CURRENCY)), SITE).toString();
      expect(JSON.parse(sent).device.name).toBe(text);
    }
  });
});
