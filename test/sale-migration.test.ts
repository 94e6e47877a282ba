/** A database from before registers sold things: its payments are shown as before, and its reversals as v1 refunds. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openOlderDatabase } from './support/older-database.js';
import { startTestServer, type TestDatabase, type TestServer } from './support/server.js';

const CARD = JSON.stringify({
  ...{ brand: 'VISA', last4: '5858', expMonth: 12, expYear: 2032, fingerprint: 'sq-1-x', type: 'CREDIT' },
  ...{ prepaidType: 'NOT_PREPAID', bin: '453275', id: 'ccof:x', entryMethod: 'ON_FILE', cvvStatus: 'CVV_ACCEPTED' },
  ...{ avsStatus: 'AVS_ACCEPTED', authResultCode: 'abc123' },
});
const DETAILS = JSON.stringify({
  ...{ orderId: 'order', referenceId: 'A-17', customerId: 'C', buyerEmailAddress: 'b@example.com' },
  ...{ note: 'Two {coffees}, "hot" and it\'s fine', statementDescriptionIdentifier: 'COFFEE' },
  billingAddress: { address_line_1: '1 Main St', postal_code: '94103' },
});
const text = (json: string) => json.replaceAll("'", "''");

const payment = (id: string, status: string, more: { fee?: number; errors?: string; returned?: number } = {}) => `
  insert into payments (merchant_id, payment_id, sale_id, location_id, application_id, status, source_type, created_at,
    updated_at, captured_at, currency, amount, tip, total, app_fee, fee, returned, card_brand, last_4, card, details, errors)
  values ('M1', '${id}', '${id}', 'L1', 'app', '${status}', 'CARD', '2020-02-26T10:00:00.1Z', '2020-02-26T10:00:01Z',
    ${more.fee === undefined ? 'null' : "'2020-02-26T10:00:00.9Z'"}, 'USD', 900, 100, 1000, 50, ${more.fee ?? 'null'},
    ${more.returned ?? 0}, 'VISA', '5858', '${text(CARD)}', '${text(DETAILS)}', ${more.errors ? `'${more.errors}'` : 'null'});`;

let database: TestDatabase;
let server: TestServer;

beforeAll(async () => {
  database = await openOlderDatabase(
    '0009',
    `${payment('DONE', 'COMPLETED', { fee: 59 })}
    ${payment('FAILED', 'FAILED', { errors: '[{"code":"CVV_FAILURE","detail":"no"}]' })}
    ${payment('REVERSED', 'CANCELED', { fee: 59, returned: 1000 })}
    insert into sales (merchant_id, sale_id, location_id, created_at)
    values ('M1', 'DONE', 'L1', '2020-02-26T10:00:00.9Z'), ('M1', 'REVERSED', 'L1', '2020-02-26T10:00:00.9Z');
    insert into movements (merchant_id, movement_id, location_id, payment_id, kind, currency, amount, fee, occurred_at)
    values ('M1', 'MOVE', 'L1', 'REVERSED', 'REVERSAL', 'USD', -1000, 109, '2020-02-26T11:00Z');`,
  );
  server = await startTestServer({ databaseUrl: database.url });
});
afterAll(async () => {
  await server.stop();
  await database.drop();
});

describe('a database from before registers sold things', () => {
  it('shows its payments as it did before', async () => {
    const token = await server.createToken('M1', ['PAYMENTS_READ']);
    const shown = async (id: string) => (await server.call('GET', `/v2/payments/${id}`, { token })).body.payment;
    const money = (amount: number) => ({ amount, currency: 'USD' });
    expect(await shown('DONE')).toEqual({
      id: 'DONE',
      created_at: '2020-02-26T10:00:00.100Z',
      updated_at: '2020-02-26T10:00:01.000Z',
      amount_money: money(900),
      tip_money: money(100),
      total_money: money(1000),
      app_fee_money: money(50),
      processing_fee: [{ effective_at: '2020-02-26T12:00:00.000Z', type: 'INITIAL', amount_money: money(59) }],
      status: 'COMPLETED',
      source_type: 'CARD',
      card_details: {
        status: 'CAPTURED',
        card: {
          ...{ id: 'ccof:x', card_brand: 'VISA', last_4: '5858', exp_month: 12, exp_year: 2032 },
          ...{ fingerprint: 'sq-1-x', card_type: 'CREDIT', prepaid_type: 'NOT_PREPAID', bin: '453275' },
        },
        ...{ entry_method: 'ON_FILE', cvv_status: 'CVV_ACCEPTED', avs_status: 'AVS_ACCEPTED' },
        auth_result_code: 'abc123',
      },
      location_id: 'L1',
      order_id: 'order',
      reference_id: 'A-17',
      customer_id: 'C',
      buyer_email_address: 'b@example.com',
      billing_address: { address_line_1: '1 Main St', postal_code: '94103' },
      note: 'Two {coffees}, "hot" and it\'s fine',
      statement_description_identifier: 'COFFEE',
      receipt_number: 'DONE',
      receipt_url: 'https://squareup.com/receipt/preview/DONE',
    });
    expect((await shown('FAILED')).card_details.errors).toEqual([
      { category: 'PAYMENT_METHOD_ERROR', code: 'CVV_FAILURE', detail: 'no' },
    ]);
  });

  it('has a refund for each reversal, which v2 does not show', async () => {
    const rows = await server.database.sql`
      select origin, type, status, amount, payment_id from refunds where merchant_id = 'M1'`;
    expect(rows).toEqual([
      { origin: 'REVERSAL', type: 'FULL', status: 'COMPLETED', amount: 1000, paymentId: 'REVERSED' },
    ]);
    const [movement] = await server.database.sql<{ refundId: string }[]>`
      select refund_id from movements where merchant_id = 'M1' and movement_id = 'MOVE'`;
    expect(movement?.refundId).toBe('REVERSED_MOVE');
  });
});
