/**
 * First steps as a program: lists the demo's payments with the `square` client, creates a merchant, takes a payment, refunds a
 * part of it, moves the clock by 61 days, and shows that v1 rejects a late refund.
 *
 *   node examples/first-steps/first-steps.mjs [DATA_FOLDER]
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SquareClient } from 'square';

const dataFolder = process.argv[2] ?? '.tillhouse';
const demo = await findDemo();
const usd = (cents) => ({ amount: BigInt(cents), currency: 'USD' });

const juniper = new SquareClient({ baseUrl: demo.base_url, token: demo.access_token });
const { data: newest } = await juniper.payments.list({ limit: 3 });
console.log('The newest payments of Juniper & Rye:');
for (const { id, totalMoney, status } of newest)
  console.log(`  ${id}  ${totalMoney.amount} ${totalMoney.currency}  ${status}`);

const shop = await post('/api/sandbox/merchants', demo.operator_key, { business_name: 'First Steps' });
const client = new SquareClient({ baseUrl: demo.base_url, token: shop.access_token });
const { payment } = await client.payments.create({
  sourceId: 'cnon:card-nonce-ok',
  idempotencyKey: crypto.randomUUID(),
  amountMoney: usd(2500),
});
console.log(`Took ${payment.totalMoney.amount}: payment ${payment.id} is ${payment.status}.`);

const { refund } = await client.refunds.refundPayment({
  paymentId: payment.id,
  idempotencyKey: crypto.randomUUID(),
  amountMoney: usd(700),
});
console.log(`Refunded ${refund.amountMoney.amount}: refund ${refund.id} is ${refund.status}.`);

const { clock } = await post(`/api/sandbox/merchants/${shop.merchant.id}/clock`, demo.operator_key, {
  advance: 'P61D',
});
console.log(`61 days later it is ${clock.now}.`);

const refusal = await post(`/v1/${payment.locationId}/refunds`, shop.access_token, {
  payment_id: payment.id,
  type: 'FULL',
  reason: 'too late',
});
console.log(`A refund in v1: ${refusal.type}. ${refusal.message}`);

async function post(path, token, body) {
  const response = await fetch(demo.base_url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.json();
}

/** Reads what the running server has written about its demo business. */
async function findDemo() {
  try {
    const found = JSON.parse(await readFile(join(dataFolder, 'demo.json'), 'utf8'));
    await fetch(`${found.base_url}/healthz`);
    return found;
  } catch {
    console.error(`No server with the demo business runs on ${dataFolder}. Start one in another terminal: npm start`);
    process.exit(1);
  }
}
