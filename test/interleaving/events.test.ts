/** Functions of deliveries, stopped in the middle while something else is committed. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { realNow } from '../../src/base/clock.js';
import { instant } from '../../src/base/time.js';
import type { Tx } from '../../src/database/database.js';
import { type ClaimedDelivery, insertAttempts } from '../../src/events/delivery-queries.js';
import { moveDeliveryToWaiting, moveEventToWaiting } from '../../src/events/resend-queries.js';
import { deleteOldEvents } from '../../src/events/retention-queries.js';
import { deleteSubscription } from '../../src/events/subscription-queries.js';
import { insertFaultRule } from '../../src/sandbox/fault-queries.js';
import { FaultRules } from '../../src/sandbox/faults.js';
import { interleave } from '../support/interleaving.js';
import { pay } from '../support/payments.js';
import { keepWaiting, subscribe } from '../support/receiver.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';

/** When the lease of the claimed delivery ends. */
const LEASED_UNTIL = instant(realNow() + 3_600_000);

let server: TestServer;
let merchant: TestMerchant;
let subscriptionId: string;
let delivery: { id: string; eventId: string };

beforeAll(async () => {
  server = await startTestServer();
  await keepWaiting(server.database); // so that the worker does not send anything
});
afterAll(() => server.stop());
beforeEach(async () => {
  merchant = await server.createMerchant();
  ({ id: subscriptionId } = await subscribe(server, merchant, 'http://127.0.0.1:9/nobody', {
    event_types: ['payment.created'],
  }));
  await pay(server, merchant);
  const [row] = await server.database.sql<(typeof delivery)[]>`
    select delivery_id as id, event_id from webhook_deliveries where merchant_id = ${merchant.id}`;
  if (!row) throw new Error('no delivery');
  delivery = row;
  await server.database.sql`
    update webhook_deliveries set leased_until = ${LEASED_UNTIL} where merchant_id = ${merchant.id}`;
});

const statement = <Result>(work: (tx: Tx) => Promise<Result>) => server.database.statement(work);

async function listDeliveries() {
  return server.database.sql<{ state: string; attempts: number; failures: number; fault: string | null }[]>`
    select state, attempts, failures, fault
    from webhook_deliveries
    where merchant_id = ${merchant.id}
    order by ordinal`;
}

/** The claimed delivery before its first attempt. */
function claimed(): ClaimedDelivery {
  return {
    ...{ id: delivery.id, merchantId: merchant.id, subscriptionId, leasedUntil: LEASED_UNTIL, kind: 'payment.created' },
    ...{ failures: 0, retryReason: null, firstTriedAt: null, fault: null, isAllowed: true, watchers: null },
    ...{ body: '{}', url: 'http://127.0.0.1:9/nobody', signatureKey: 'key' },
  };
}

/** Records an attempt of the claimed delivery. */
function attempt(tx: Tx, failure: 'http_error' | null): Promise<void> {
  const at = realNow();
  const outcome = { startedAt: at, durationMs: 1, status: failure ? 500 : 200, failure, response: '' };
  const retryAt = failure ? instant(at + 3_600_000) : undefined;
  const claim = { id: delivery.id, merchantId: merchant.id, leasedUntil: LEASED_UNTIL };
  return insertAttempts(tx, [{ ...outcome, ...claim, firstTriedAt: at, retryAt }]);
}

/** Deletes the subscription, as an application does. */
async function unsubscribe(tx: Tx): Promise<void> {
  const [row] = await tx<{ applicationId: string }[]>`
    select application_id from webhook_subscriptions where subscription_id = ${subscriptionId}`;
  const scope = { applicationId: row?.applicationId ?? '', merchantId: merchant.id, token: null };
  expect(await deleteSubscription(tx, scope, subscriptionId)).toBe(true);
}

describe('an attempt', () => {
  it('that waits for another one of the delivery gets the next number and does not undo its success', async () => {
    await interleave(server, {
      hold: (tx) => attempt(tx, null),
      work: () => statement((tx) => attempt(tx, 'http_error')),
    });
    expect(await listDeliveries()).toMatchObject([{ state: 'DELIVERED', attempts: 2, failures: 0 }]);
    const attempts = await server.database.sql`
      select number, failure from webhook_attempts where merchant_id = ${merchant.id} order by number`;
    expect(attempts).toEqual([
      { number: 1, failure: null },
      { number: 2, failure: 'http_error' },
    ]);
  });
});

describe('a resend', () => {
  const resend = (tx: Tx) => moveDeliveryToWaiting(tx, merchant.id, delivery.id, realNow());

  it.each([null, 'http_error'] as const)(
    'of a delivery in flight is not undone by its outcome: %s',
    async (failure) => {
      await interleave(server, { hold: resend, work: () => statement((tx) => attempt(tx, failure)) });
      expect(await listDeliveries()).toMatchObject([{ state: 'WAITING', attempts: 1, failures: 0 }]);
      // The worker may have claimed it again already.
      const [{ isDue } = { isDue: false }] = await server.database.sql<{ isDue: boolean }[]>`
      select run_at <= now() and leased_until is distinct from ${LEASED_UNTIL} as "isDue"
      from webhook_deliveries
      where merchant_id = ${merchant.id}`;
      expect(isDue).toBe(true);
    },
  );

  it('that waits for the outcome of an attempt sends again', async () => {
    await interleave(server, { hold: (tx) => attempt(tx, null), work: () => statement(resend) });
    expect(await listDeliveries()).toMatchObject([{ state: 'WAITING', attempts: 1, failures: 0 }]);
  });

  it('that waits for the end of the subscription sends nothing', async () => {
    const outcome = await interleave(server, {
      hold: unsubscribe,
      work: () => statement(resend),
    });
    expect(outcome).toBe('no subscription');
    expect(await listDeliveries()).toMatchObject([{ state: 'GIVEN_UP' }]);
  });

  it('of an event that waits for the end of the subscription sends nothing', async () => {
    const count = await interleave(server, {
      hold: unsubscribe,
      work: () => statement((tx) => moveEventToWaiting(tx, merchant.id, delivery.eventId, realNow())),
    });
    expect(count).toBe(0);
    expect(await listDeliveries()).toMatchObject([{ state: 'GIVEN_UP' }]);
  });
});

describe('the end of a subscription', () => {
  const end = () => server.call('DELETE', `/v2/webhooks/subscriptions/${subscriptionId}`, { token: merchant.token });

  it('gives up deliveries that were recorded or resent while it waited', async () => {
    await statement((tx) => attempt(tx, null));
    const answer = await interleave(server, {
      hold: (tx) => moveDeliveryToWaiting(tx, merchant.id, delivery.id, instant(realNow() + 3_600_000)),
      work: end,
      meanwhile: () => pay(server, merchant),
    });
    expect(answer.status).toBe(200);
    expect(await listDeliveries()).toMatchObject([{ state: 'GIVEN_UP' }, { state: 'GIVEN_UP' }]);
  });

  it('leaves a delivery alone whose success is being recorded', async () => {
    await interleave(server, { hold: (tx) => attempt(tx, null), work: end });
    expect(await listDeliveries()).toMatchObject([{ state: 'DELIVERED', attempts: 1 }]);
  });
});

describe('retention', () => {
  it('keeps an event that is being resent, with its attempts', async () => {
    await statement((tx) => attempt(tx, null));
    const deleted = await interleave(server, {
      hold: (tx) => moveEventToWaiting(tx, merchant.id, delivery.eventId, instant(realNow() + 3_600_000)),
      work: () => statement((tx) => deleteOldEvents(tx, merchant.id, { before: instant(realNow() + 1000), limit: 10 })),
    });
    expect(deleted).toBe(0);
    expect(await listDeliveries()).toMatchObject([{ state: 'WAITING', attempts: 1 }]);
    const attempts = await server.database.sql`
      select number from webhook_attempts where merchant_id = ${merchant.id}`;
    expect(attempts).toHaveLength(1);
  });
});

describe('a fault', () => {
  it.each(['WEBHOOK_TWICE', 'WEBHOOK_LATE'] as const)(
    'of the kind %s is not injected into a delivery whose success is being recorded',
    async (effect) => {
      const rule = { merchantId: merchant.id, operation: null, eventType: null, status: null, retryAfterSeconds: null };
      const delay = effect === 'WEBHOOK_LATE' ? 1 : null;
      const ruleId = `${effect} ${merchant.id}`;
      const delays = { minDelayMs: delay, maxDelayMs: delay };
      await statement((tx) => insertFaultRule(tx, { ...rule, ...delays, id: ruleId, effect, remaining: 2 }));
      const faults = new FaultRules(server.database, () => {});
      await interleave(server, {
        hold: (tx) => attempt(tx, null),
        work: () => faults.injectFaults(merchant.id, [claimed()]),
      });
      expect(await listDeliveries()).toEqual([{ state: 'DELIVERED', attempts: 1, failures: 0, fault: null }]);
      const rules = await server.database.sql`select remaining from fault_rules where rule_id = ${ruleId}`;
      expect(rules).toEqual([{ remaining: 1 }]);
    },
  );
});
