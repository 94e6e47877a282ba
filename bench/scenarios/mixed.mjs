/**
 * Response times under the load of a whole platform: 70 % reads, 25 % payments and 5 % refunds of many merchants, of which a few are much
 * busier than the others (Zipf), with webhooks and due work running.
 */
import { ask, load, loadOpenLoop } from '../support/load.mjs';
import { findRefundable, OPERATIONS, send } from './scale.mjs';
import { startReceiver } from './webhooks.mjs';

/** For the highest rate: as many requests in flight as keep the server busy. */
const IN_FLIGHT = 64;
/** At half of that rate a request hardly ever waits for a connection. */
const CONNECTIONS = 256;
const WARM_UP_SECONDS = 5;
const RUNS = 2;

/** What requests ask for. How the reads are divided is ours to choose. */
const SHARES = {
  'v2.getPayment': 0.45,
  'v2.listPayments': 0.15,
  'v1.listPayments': 0.05,
  'v2.listRefunds': 0.05,
  'v2.createPayment': 0.25,
  'v2.refundPayment': 0.05,
};

/** `merchants`: those of `tillhouse seed`. */
export async function measureMixed(server, merchants, { seconds }) {
  const receiver = await startReceiver();
  try {
    const request = await mixedRequests(server, merchants, receiver.url);
    const { port } = server;
    await load({ port, connections: IN_FLIGHT, seconds: WARM_UP_SECONDS, request });
    const runs = [];
    for (let run = 0; run < RUNS; run++) {
      const most = await load({ port, connections: IN_FLIGHT, seconds, request });
      const perSecond = most.perSecond / 2;
      const half = await loadOpenLoop({ port, connections: CONNECTIONS, seconds: 2 * seconds, perSecond, request });
      runs.push({ most, half });
    }
    return { runs, delivered: await receiver.received() };
  } finally {
    await receiver.stop();
  }
}

/** Makes requests of this mix, for `load`. Events go to `receiverUrl`. Payments from before `refundableFrom` are not refunded. */
export async function mixedRequests(server, merchants, receiverUrl, { refundableFrom = '' } = {}) {
  const known = [];
  for (const merchant of merchants) known.push(await meet(server, merchant, receiverUrl, refundableFrom));
  const pickMerchant = weighted(
    known,
    known.map((_merchant, index) => 1 / (index + 1)),
  );
  const pickOperation = weighted(
    Object.keys(SHARES).map((name) => OPERATIONS[name]),
    Object.values(SHARES),
  );
  return () => {
    const merchant = pickMerchant();
    return send(merchant, pickOperation()(merchant));
  };
}

/** Subscribes to the merchant's payments and refunds, and finds payments to read and to refund. */
async function meet({ port }, merchant, url, refundableFrom) {
  const subscription = { name: 'bench', event_types: ['payment.created', 'refund.created'], notification_url: url };
  await ask(port, send(merchant, ['POST', '/v2/webhooks/subscriptions', { subscription }]));
  const { payments } = JSON.parse(await ask(port, send(merchant, ['GET', '/v2/payments'])));
  const recent = payments.filter(({ created_at }) => created_at >= refundableFrom);
  return { ...merchant, own: { payments: payments.map(({ id }) => id), refundable: findRefundable(recent) } };
}

/** Picks items at random, by their weights. */
function weighted(items, weights) {
  let sum = 0;
  const sums = weights.map((weight) => {
    sum += weight;
    return sum;
  });
  return () => {
    const at = Math.random() * sum;
    return items[sums.findIndex((each) => each > at)];
  };
}
