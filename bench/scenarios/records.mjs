/** A merchant with a million payments, timecards and cash drawer shifts, and one with ten thousand of each. */
import { NAMED_PRINTER, PAYMENT_PRINTER } from '../../dist/business/payments/copies.js';
import { fillTables } from '../support/fill.mjs';
import { newMerchant } from '../support/merchants.mjs';
import { MANY } from '../support/size.mjs';

const FEW = 10_000;

export const OWNER = { email: 'owner@bench.example', password: 'correct horse battery' };

/** The stored format, which has the field names of v2. */
const CARD = JSON.stringify({
  card: {
    ...{ card_brand: 'VISA', last_4: '5858', exp_month: 12, exp_year: 2032, fingerprint: 'sq-1-bench' },
    ...{ card_type: 'CREDIT', prepaid_type: 'NOT_PREPAID', bin: '453275' },
  },
  ...{ entry_method: 'KEYED', cvv_status: 'CVV_ACCEPTED', avs_status: 'AVS_ACCEPTED' },
});

/**
 * In the last year, evenly spread until now, at whole milliseconds, as the server writes them. `$1` is the merchant, `$2` the location,
 * `$3` the number of rows.
 */
const EACH_ROW = `from generate_series(1, $3::int) i,
  lateral (select date_trunc('milliseconds', now() - interval '365 days' * (1 - i::float8 / $3::int)) as t) as at`;

/** Shorter than a real copy, so that a million of them fit on a disk. Without copies, the server would print JSON while it is measured. */
const COPY = `'{"id":"P' || lpad(i::text, 26, '0') || '","created_at":"' || to_char(t at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  || '","amount_money":{"amount":1000,"currency":"USD"}'`;

const FILLS = [
  {
    tables: ['payments', 'sales'],
    statement: `with tenders as (
        insert into payments (merchant_id, payment_id, sale_id, location_id, channel, application_id, status, source_type,
          created_at, updated_at, captured_at, currency, amount, tip, total, fee, card_brand, last_4, card_details, details,
          v2_json, v2_json_version, v2_json_printer)
        select $1, 'P' || lpad(i::text, 26, '0'), 'P' || lpad(i::text, 26, '0'), $2, 'API', 'bench', 'COMPLETED', 'CARD', t, t, t,
          'USD', 1000, 100, 1100, 62, 'VISA', '5858', '${CARD}'::json, '{"order_id":"bench"}'::json,
          ${COPY}, ${NAMED_PRINTER}, '${PAYMENT_PRINTER}' ${EACH_ROW}
        returning sale_id, location_id, captured_at
      )
      insert into sales (merchant_id, sale_id, location_id, kind, state, created_at)
      select $1, sale_id, location_id, 'API', 'COMPLETED', captured_at
      from tenders`,
  },
  {
    tables: ['timecards'],
    statement: `with employee as (
        insert into employees (merchant_id, employee_id, first_name, last_name, location_ids, status, is_owner, created_at,
          updated_at)
        values ($1, gen_random_uuid(), 'A', 'B', array[$2]::text[], 'ACTIVE', false, now(), now())
        returning employee_id
      )
      insert into timecards (merchant_id, timecard_id, employee_id, clockin_at, clockout_at, deleted, created_at, updated_at)
      select $1, uuidv7(), employee_id, t, t + interval '8 hours', false, t, t + interval '8 hours'
      from employee, (select i, t ${EACH_ROW}) as each_row`,
  },
  {
    tables: ['cash_drawer_shifts'],
    statement: `insert into cash_drawer_shifts (merchant_id, shift_id, location_id, device_id, device_name, state, opened_at,
        ended_at, closed_at, opening_employee_id, employee_ids, currency, opened_cash, closed_cash)
      select $1, uuidv7(), $2, 'bench', 'Till', 'CLOSED', t, t, t, gen_random_uuid(), '{}', 'USD', 1000, 1000
      ${EACH_ROW}`,
  },
];

export async function fillRecords({ server }) {
  const merchants = { few: await newMerchant(server), many: await newMerchant(server, { owner: OWNER }) };
  const parameters = [
    [merchants.few.id, merchants.few.locationId, FEW],
    [merchants.many.id, merchants.many.locationId, MANY],
  ];
  // At the same time, because each keeps one core busy.
  await Promise.all(FILLS.map(({ tables, statement }) => fillTables(server, tables, statement, parameters)));
  const now = Date.now();
  const range = { begin: new Date(now - 364 * 86_400_000).toISOString(), end: new Date(now).toISOString() };
  return { few: { ...merchants.few, ...range }, many: { ...merchants.many, ...range } };
}
