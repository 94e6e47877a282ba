/** The baseline for writes: inserts the rows of a payment with the bare driver in one prepared statement, without HTTP. */
import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { realIds } from '../../dist/base/ids.js';
import { NAMED_PRINTER, PAYMENT_PRINTER } from '../../dist/business/payments/copies.js';

const STATEMENT = `
  with key as (
    insert into idempotency_keys (merchant_id, application_id, operation, key, request_hash, made_id)
    values ($1, 'bench', 'createPayment', $4, $5, $3)
    on conflict do nothing
    returning made_id
  ),
  sale as (
    insert into sales (merchant_id, sale_id, location_id, kind, state, created_at)
    select $1, $3, $2, 'API', 'COMPLETED', $7::timestamptz from key
  ),
  movement as (
    insert into movements (
      merchant_id, movement_id, location_id, payment_id, refund_id, kind, currency, amount, fee, occurred_at
    )
    select $1, $6, $2, $3, null, 'CHARGE', 'USD', 1000, -59, $7::timestamptz from key
  )
  insert into payments (
    merchant_id, payment_id, sale_id, location_id, channel, application_id, status, source_type, created_at,
    updated_at, captured_at, currency, amount, total, fee, card_brand, last_4, card_details, details,
    v2_json, v2_json_version, v2_json_printer
  )
  select
    $1, $3, $3, $2, 'API', 'bench', 'COMPLETED', 'CARD', $7::timestamptz, $7::timestamptz, $7::timestamptz, 'USD', 1000,
    1000, 59, 'VISA', '1111', $8::text::json, $9::text::json,
    $10::text, $11::smallint, $12::text
  from key`;

const CARD = JSON.stringify({
  card: {
    card_brand: 'VISA',
    last_4: '1111',
    exp_month: 12,
    exp_year: 2030,
    fingerprint: 'sq-1-bench-bench-bench-bench-bench-bench-bench-bench-bench-bench',
    card_type: 'CREDIT',
    prepaid_type: 'NOT_PREPAID',
    bin: '411111',
  },
  entry_method: 'KEYED',
  cvv_status: 'CVV_ACCEPTED',
  avs_status: 'AVS_ACCEPTED',
  auth_result_code: 'bench1',
});

/** As long as the stored copy of a payment's JSON. It names the present printer, so that no server renews it. */
const COPY = JSON.stringify({ payment: 'x'.repeat(1_000) });

/** The first message says where to write. Each later one has a number of seconds, and is answered with the rate. */
process.once('message', ({ databaseUrl, merchantId, locationId, inFlight }) => {
  const sql = postgres(databaseUrl, { max: 10, onnotice: () => {} });
  let count = 0;
  const write = async () => {
    const details = JSON.stringify({ order_id: realIds.newId(28), note: 'bench' });
    const values = [
      realIds.newId(27),
      realIds.newId(30),
      randomBytes(32),
      realIds.newId(27),
      new Date(),
      CARD,
      details,
      COPY,
      NAMED_PRINTER,
      PAYMENT_PRINTER,
    ];
    await sql.unsafe(STATEMENT, [merchantId, locationId, ...values], { prepare: true });
    count++;
  };
  process.on('message', async ({ seconds }) => {
    count = 0;
    const started = performance.now();
    const end = started + seconds * 1000;
    await Promise.all(
      Array.from({ length: inFlight }, async () => {
        while (performance.now() < end) await write();
      }),
    );
    process.send?.({ perSecond: Math.round(count / ((performance.now() - started) / 1000)) });
  });
});
