/** A database from before a sale was called by its first tender: its sales, keys and drawers follow the rules of today. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBreaches } from '../src/check/laws.js';
import { openOlderDatabase } from './support/older-database.js';
import { startTestServer, type TestDatabase, type TestServer } from './support/server.js';
import { expectV1Refusal, listV1, part, refundV1, tryToRefundV1 } from './support/v1-refunds.js';

const MIGRATION =
  readdirSync(fileURLToPath(new URL('../migrations/', import.meta.url))).find((name) =>
    name.endsWith('-v1-money.sql'),
  ) ?? 'missing';

/** Whose all personal tokens are. */
const APPLICATION = 'sq0idp-TillhousePersonal0000';
const EMPLOYEE = '0190a0a0-0000-7000-8000-000000000001';
const [EARLIER, LATER] = ['0190a0a0-0000-7000-8000-00000000000a', '0190a0a0-0000-7000-8000-00000000000b'];
const AT = '2020-02-26T10:00:00Z';
const money = (name: string, amount: number) => `"${name}_money":{"amount":${amount},"currency_code":"USD"}`;
const RECEIPT = (due: number) =>
  `{${['gross_sales', 'net_sales'].map((name) => money(name, due)).join()},` +
  `${['discount', 'tax', 'inclusive_tax', 'additive_tax', 'surcharge'].map((name) => money(name, 0)).join()},` +
  `"itemizations":[{"name":"Loaf",${['gross_sales', 'net_sales', 'total'].map((name) => money(name, due)).join()},` +
  `${money('discount', 0)}}]}`;

const sale = (id: string, state: string, due: number, tenders: readonly string[]) => `
  insert into sales (merchant_id, sale_id, location_id, state, created_at, device_id, device_name, employee_id,
    register_sale_id, request_hash, rung_up_at, due, paid, receipt, tender_ids)
  values ('M1', '${id}', 'L1', '${state}', '${AT}', 'D1', 'Till', '${EMPLOYEE}', '${id}', '', '${AT}', ${due},
    ${state === 'COMPLETED' ? due : 300}, '${RECEIPT(due)}', '{${tenders.join()}}');`;

const cash = (id: string, saleId: string, amount: number, more: { refunded?: number; shift?: string } = {}) => {
  const refunded = more.refunded ?? 0;
  const isGivenUp = saleId === 'GIVEN-UP';
  return `
  insert into payments (merchant_id, payment_id, sale_id, location_id, application_id, status, source_type, created_at,
    updated_at, captured_at, currency, amount, total, fee, refunded, returned, refund_ids, details, tendered, employee_id,
    register_tender_id, drawer_shift_id)
  values ('M1', '${id}', '${saleId}', 'L1', 'register', '${isGivenUp ? 'CANCELED' : 'COMPLETED'}', 'CASH', '${AT}',
    '${AT}', '${AT}', 'USD', ${amount}, ${amount}, 0, ${isGivenUp ? 0 : refunded}, ${refunded},
    array(select '${id}_R' where ${refunded} > 0 and not ${isGivenUp}), '{}', ${amount}, '${EMPLOYEE}', '${id}',
    ${more.shift ? `'${more.shift}'` : 'null'});`;
};

const refund = (paymentId: string, amount: number, origin: string, more: { type?: string; leader?: string } = {}) => `
  insert into refunds (merchant_id, refund_id, payment_id, location_id, status, source_type, created_at, updated_at,
    currency, amount, returned_fee, order_id, reason, origin, type, leader_id)
  values ('M1', '${paymentId}_R', '${paymentId}', 'L1', 'COMPLETED', 'CASH', '${AT}', '${AT}', 'USD', ${amount}, 0, 'O',
    'why', '${origin}', '${more.type ?? 'FULL'}', ${more.leader ? `'${more.leader}'` : 'null'});`;

const key = (named: string, text: string, made: string) => `
  insert into idempotency_keys (merchant_id, application_id, operation, key, request_hash, made_id)
  values ('M1', '${APPLICATION}', 'createRefund', '${named}:${text}', '\\x00', '${made}');`;

const shift = (id: string, state: string, sums: { payments: number }) => `
  insert into cash_drawer_shifts (merchant_id, shift_id, location_id, device_id, device_name, state, opened_at, ended_at,
    closed_at, opening_employee_id, employee_ids, currency, opened_cash, cash_payments, closed_cash)
  values ('M1', '${id}', 'L1', 'D1', 'Till', '${state}', '${AT}', ${state === 'OPEN' ? 'null, null' : `'${AT}', '${AT}'`},
    '${EMPLOYEE}', array['${EMPLOYEE}'::uuid], 'USD', 1000, ${sums.payments}, ${state === 'OPEN' ? 'null' : '1300'});`;

const event = (shiftId: string, id: string, kind: string, amount: number) => `
  insert into cash_drawer_events (merchant_id, shift_id, event_id, employee_id, kind, amount, created_at, subject_id)
  values ('M1', '${shiftId}', gen_random_uuid(), '${EMPLOYEE}', '${kind}', ${amount}, '${AT}', '${id}');`;

let database: TestDatabase;
let server: TestServer;

beforeAll(async () => {
  database = await openOlderDatabase(
    MIGRATION,
    // One that was split and refunded as a whole, one with one tender refunded in part, and one that is as it was sold.
    `${sale('WHOLE', 'COMPLETED', 1000, ['W1', 'W2'])}
    ${cash('W1', 'WHOLE', 600, { refunded: 600 })} ${cash('W2', 'WHOLE', 400, { refunded: 400 })}
    ${refund('W1', 600, 'API')} ${refund('W2', 400, 'API', { leader: 'W1_R' })} ${key('WHOLE', 'all', 'W1_R')}
    ${sale('PART', 'COMPLETED', 500, ['P1'])} ${cash('P1', 'PART', 500, { refunded: 200 })}
    ${refund('P1', 200, 'API', { type: 'PARTIAL' })} ${key('P1', 'a:b', 'P1_R')}
    ${sale('SPLIT', 'COMPLETED', 1000, ['S1', 'S2'])}
    ${cash('S1', 'SPLIT', 600)} ${cash('S2', 'SPLIT', 400, { refunded: 400 })}
    ${refund('S2', 400, 'API')} ${key('S2', 'other', 'S2_R')}
    ${sale('GIVEN-UP', 'CANCELED', 900, ['G1'])} ${shift(EARLIER, 'CLOSED', { payments: 300 })}
    ${shift(LATER, 'OPEN', { payments: -300 })} ${cash('G1', 'GIVEN-UP', 300, { refunded: 300, shift: EARLIER })}
    ${refund('G1', 300, 'REVERSAL')} ${event(EARLIER, 'G1', 'CASH_TENDER_PAYMENT', 300)}
    ${event(LATER, 'G1', 'CASH_TENDER_CANCELLED_PAYMENT', 300)}`,
  );
  server = await startTestServer({ databaseUrl: database.url });
});
afterAll(async () => {
  await server.stop();
  await database.drop();
});

const merchantWith = async (permissions: readonly string[]) => {
  const token = await server.createToken('M1', permissions);
  return { id: 'M1', token, locationIds: ['L1', 'L2'] };
};

describe('a database from before a sale was called by its first tender', () => {
  it('lists its sales and refunds by that id, and finds them by the old one', async () => {
    const merchant = await merchantWith(['PAYMENTS_READ']);
    const get = async (path: string) => (await server.call('GET', path, merchant)).body;
    const sales: { id: string }[] = await get('/v1/me/payments?begin_time=2020-01-01');
    expect(sales.map(({ id }) => id)).toEqual(['P1', 'S1', 'W1']);
    for (const [old, now] of [
      ['PART', 'P1'],
      ['SPLIT', 'S1'],
      ['S2', 'S1'],
      ['GIVEN-UP', 'G1'],
    ]) {
      expect((await get(`/v1/me/payments/${old}`)).id).toBe(now);
    }
    expect((await listV1(server, merchant)).map(({ payment_id }) => payment_id).sort()).toEqual(
      ['P1', 'S2', 'W1', 'W2'].sort(),
    );
  });

  it('answers a request that is sent again with the refund it made, however the sale is named', async () => {
    const merchant = await merchantWith(['PAYMENTS_READ', 'PAYMENTS_WRITE']);
    const again = (given: Record<string, unknown>, text: string) =>
      refundV1(server, merchant, { ...given, request_idempotence_key: text });
    for (const id of ['WHOLE', 'W1']) {
      expect(await again({ payment_id: id }, 'all')).toMatchObject({
        payment_id: 'W1',
        refunded_money: { amount: -600 },
      });
    }
    for (const id of ['PART', 'P1']) {
      expect(await again(part(id, 200), 'a:b')).toMatchObject({ payment_id: 'P1', refunded_money: { amount: -200 } });
    }
    expect(await again({ payment_id: 'S2' }, 'other')).toMatchObject({ payment_id: 'S2' });
    const other = await tryToRefundV1(server, merchant, { payment_id: 'S1', request_idempotence_key: 'other' });
    expectV1Refusal(other, 400, 'request_idempotence_key');
    expect(await listV1(server, merchant)).toHaveLength(4);
  });

  it('has a refund where cash of an earlier shift went back, and the same cash in its drawer', async () => {
    const merchant = await merchantWith(['CASH_DRAWER_READ']);
    const get = async (path: string) => (await server.call('GET', path, merchant)).body;
    const { cash_drawer_shift: later } = await get(`/v2/cash-drawers/shifts/${LATER}`);
    expect(later).toMatchObject({
      ...{ cash_payment_money: { amount: 0 }, cash_refunds_money: { amount: 300 } },
      expected_cash_money: { amount: 700 },
    });
    const { events } = await get(`/v2/cash-drawers/shifts/${LATER}/events`);
    expect(events).toMatchObject([{ event_type: 'CASH_TENDER_REFUND', event_money: { amount: 300 } }]);
  });

  it('has books in order', async () => {
    expect(await findBreaches(server.database)).toEqual([]);
  });
});
