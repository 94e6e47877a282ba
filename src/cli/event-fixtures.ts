/** Causes an event of each type with real requests to the server. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { UsageError } from '../base/config.js';
import type { EventKind } from '../events/model.js';
import type { ServerCall } from '../sandbox-client.js';
import { type EventSettings, withSettings } from './event-settings.js';
import type { RunningSandbox } from './running-server.js';

export interface FixtureContext {
  readonly sandbox: RunningSandbox;
  readonly merchantId: string;
  /** Has every permission that the fixtures need. */
  readonly token: string;
  /** The application whose authorization is revoked; empty: a new application. */
  readonly applicationId: string;
  readonly settings: EventSettings;
}

/** Names and ids of the created records. */
export type CreatedIds = Readonly<Record<string, string>>;

const AMOUNT = 1000;
const REFUND_POLL_MS = 100;
/** A refund takes a few seconds of the merchant's clock. */
const REFUND_TIMEOUT_MS = 30_000;

export const EVENT_FIXTURES: Readonly<
  Record<Exclude<EventKind, 'INVENTORY_UPDATED'>, (context: FixtureContext) => Promise<CreatedIds>>
> = {
  'payment.created': pay,
  'payment.updated': async (context) => {
    const { payment_id } = await pay(context, { autocomplete: false });
    await request(context, 'POST', `/v2/payments/${payment_id}/complete`, {});
    return { payment_id };
  },
  'refund.created': refund,
  'refund.updated': async (context) => {
    const created = await refund(context);
    await waitForRefund(context, created.refund_id);
    return created;
  },
  'oauth.authorization.revoked': async ({ sandbox, merchantId, applicationId }) => {
    const application_id = applicationId || (await createApplication(sandbox));
    const path = `merchants/${encodeURIComponent(merchantId)}/authorizations`;
    await sandbox.call('POST', path, { application_id });
    await sandbox.call('DELETE', `${path}/${encodeURIComponent(application_id)}`);
    return { application_id };
  },
  PAYMENT_UPDATED: pay,
  TIMECARD_UPDATED: clockIn,
};

function request<Body>({ sandbox, token }: FixtureContext, method: ServerCall['method'], path: string, body?: unknown) {
  return sandbox.ask<Body>({ method, path, token, body });
}

/** A payment in a response. */
interface Paid {
  readonly id: string;
  readonly amount_money: { readonly amount: number; readonly currency: string };
}

async function pay(context: FixtureContext, options: { autocomplete?: boolean } = {}): Promise<{ payment_id: string }> {
  return { payment_id: (await createPayment(context, options)).id };
}

async function createPayment(context: FixtureContext, options: { autocomplete?: boolean } = {}): Promise<Paid> {
  const amount_money = { amount: AMOUNT, currency: await currencyOf(context) };
  const usual = { idempotency_key: randomUUID(), source_id: 'cnon:card-nonce-ok', amount_money, ...options };
  const body = withSettings(usual, context.settings.payment);
  return (await request<{ payment: Paid }>(context, 'POST', '/v2/payments', body)).payment;
}

async function currencyOf({ sandbox, merchantId }: FixtureContext): Promise<string> {
  const path = `merchants/${encodeURIComponent(merchantId)}`;
  return (await sandbox.call<{ merchant: { currency: string } }>('GET', path)).merchant.currency;
}

async function refund(context: FixtureContext): Promise<{ payment_id: string; refund_id: string }> {
  const { id: payment_id, amount_money } = await createPayment(context);
  const body = withSettings({ idempotency_key: randomUUID(), payment_id, amount_money }, context.settings.refund);
  const created = await request<{ refund: { id: string } }>(context, 'POST', '/v2/refunds', body);
  return { payment_id, refund_id: created.refund.id };
}

/** A running clock completes the refund within seconds; a frozen clock must be moved first. */
async function waitForRefund(context: FixtureContext, refundId: string): Promise<void> {
  const path = `merchants/${encodeURIComponent(context.merchantId)}/clock`;
  const { clock } = await context.sandbox.call<{ clock: { frozen: boolean } }>('GET', path);
  if (clock.frozen) await context.sandbox.call('POST', path, { advance: 'PT3S' });
  for (let waited = 0; waited < REFUND_TIMEOUT_MS; waited += REFUND_POLL_MS) {
    const { refund } = await request<{ refund: { status: string } }>(context, 'GET', `/v2/refunds/${refundId}`);
    if (refund.status !== 'PENDING') return;
    await sleep(REFUND_POLL_MS);
  }
  throw new UsageError(`Refund ${refundId} is still PENDING. Move the clock: tillhouse clock advance PT3S`);
}

async function createApplication(sandbox: RunningSandbox): Promise<string> {
  const body = { name: 'tillhouse trigger' };
  return (await sandbox.call<{ application: { id: string } }>('POST', 'applications', body)).application.id;
}

async function clockIn({ sandbox, merchantId }: FixtureContext): Promise<CreatedIds> {
  const path = `merchants/${encodeURIComponent(merchantId)}/registers`;
  const register = await sandbox.call<Record<'device_token' | 'session' | 'employee_id', string>>('POST', path, {});
  const { timecard } = await sandbox.ask<{ timecard: { id: string } }>({
    method: 'POST',
    path: '/api/register/timecards/clock-in',
    token: register.device_token,
    headers: { 'tillhouse-employee-session': register.session },
    body: { id: randomUUID() },
  });
  return { timecard_id: timecard.id, employee_id: register.employee_id };
}
