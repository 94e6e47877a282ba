/** The baseline for writes: the rows of a payment, written by the driver in the same one statement, without HTTP. */

import { newId } from '../../dist/base/ids.js';
import { hashSecret } from '../../dist/base/secrets.js';
import { applyOutcome, chargeOf } from '../../dist/business/payments/outcomes.js';
import { insertPayment } from '../../dist/business/payments/queries.js';
import { openDatabase } from '../../dist/database/database.js';
import { TEST_SOURCES } from '../../dist/processor/sources.js';

process.once('message', async ({ databaseUrl, merchantId, locationId, inFlight, seconds }) => {
  const database = openDatabase(databaseUrl);
  const card = TEST_SOURCES.get('cnon:card-nonce-ok').card;
  let count = 0;
  const write = async () => {
    const [id, now] = [newId(27), Date.now()];
    const pending = {
      id,
      saleId: id,
      locationId,
      applicationId: 'bench',
      status: 'PENDING',
      sourceType: 'CARD',
      createdAt: now,
      updatedAt: now,
      capturedAt: null,
      delayedUntil: null,
      currency: 'USD',
      amount: 1000,
      tip: null,
      total: 1000,
      appFee: null,
      fee: null,
      refunded: 0,
      returned: 0,
      refundIds: [],
      refundsBlocked: false,
      card: null,
      details: { orderId: newId(28), note: 'bench' },
      errors: null,
    };
    const payment = applyOutcome(pending, { kind: 'approved', amount: 1000, card }, { autocomplete: true, at: now });
    const key = { applicationId: 'bench', operation: 'createPayment', key: newId(30) };
    await database.statement((tx) =>
      insertPayment(tx, merchantId, payment, { key, requestHash: hashSecret(id), movement: chargeOf(payment) }),
    );
    count++;
  };
  const run = async (duration) => {
    const end = performance.now() + duration * 1000;
    await Promise.all(
      Array.from({ length: inFlight }, async () => {
        while (performance.now() < end) await write();
      }),
    );
  };
  await run(2);
  count = 0;
  const started = performance.now();
  await run(seconds);
  const perSecond = Math.round(count / ((performance.now() - started) / 1000));
  await database.close();
  process.send?.({ perSecond });
});
