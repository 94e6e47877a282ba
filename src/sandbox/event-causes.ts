/** Causes an event of each kind with real requests of the server to itself (decision 0084). */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { registerApplication } from '../access/oauth/applications.js';
import { createPersonalToken } from '../access/tokens.js';
import type { ServerContext } from '../api/operation.js';
import { realNow } from '../base/clock.js';
import { Refusal } from '../base/errors.js';
import { SENDER_HEADER, type Sender } from '../base/senders.js';
import { instant, MINUTE_MS, SECOND_MS } from '../base/time.js';
import type { Merchant } from '../business/merchants/model.js';
import type { CausedKind } from '../events/model.js';
import { PERMISSIONS } from '../identity/permissions.js';
import { callServer, SandboxRefusal, type ServerCall } from '../sandbox-client.js';
import { changeClock } from './actions.js';
import { authorizeApplication, revokeAuthorization } from './authorizations.js';
import { type EventSettings, withSettings } from './event-settings.js';
import { openRegister } from './open-register.js';

export interface CauseContext {
  readonly server: ServerContext;
  readonly merchant: Merchant;
  /** Has all permissions. */
  readonly token: string;
  /** The application whose authorization is revoked. Undefined: a new application. */
  readonly applicationId: string | undefined;
  readonly settings: EventSettings;
}

/** Names and ids of the created records. */
export type CreatedIds = Readonly<Record<string, string>>;

/** The requests that cause an event are not those of a program. */
const SENDER: Sender = 'trigger';
const AMOUNT = 1000;
const REFUND_POLL_MS = 100;
/** A refund takes a few seconds of the merchant's clock. */
const REFUND_TIMEOUT_MS = 20 * SECOND_MS;
const TOKEN_LIFETIME_MS = 10 * MINUTE_MS;

export const EVENT_CAUSES: Readonly<Record<CausedKind, (context: CauseContext) => Promise<CreatedIds>>> = {
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
  'oauth.authorization.revoked': async ({ server, merchant, applicationId }) => {
    const application_id = applicationId ?? (await createApplication(server));
    await authorizeApplication(server, { merchantId: merchant.id, applicationId: application_id });
    await revokeAuthorization(server, { merchantId: merchant.id, applicationId: application_id });
    return { application_id };
  },
  PAYMENT_UPDATED: pay,
  TIMECARD_UPDATED: clockIn,
};

/** A token for the requests that cause events. */
export function createCauseToken({ database }: ServerContext, merchantId: string): Promise<string> {
  const expiresAt = instant(realNow() + TOKEN_LIFETIME_MS);
  return createPersonalToken(database, { merchantId, permissions: PERMISSIONS, label: 'sandbox', expiresAt });
}

async function request<Body>(
  { server, token }: CauseContext,
  method: ServerCall['method'],
  path: string,
  body?: unknown,
  more: { readonly token?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Body> {
  const headers = { [SENDER_HEADER]: SENDER, ...more.headers };
  try {
    return await callServer<Body>({ url: server.localUrl(), method, path, token: more.token ?? token, body, headers });
  } catch (error) {
    if (!(error instanceof SandboxRefusal)) throw error;
    throw new Refusal('WRONG_STATE', {
      detail: `${method} ${path} was refused with ${error.status}: ${error.message}`,
    });
  }
}

/** A payment in a response. */
interface Paid {
  readonly id: string;
  readonly amount_money: { readonly amount: number; readonly currency: string };
}

async function pay(context: CauseContext, options: { autocomplete?: boolean } = {}): Promise<{ payment_id: string }> {
  return { payment_id: (await createPayment(context, options)).id };
}

async function createPayment(context: CauseContext, options: { autocomplete?: boolean } = {}): Promise<Paid> {
  const amount_money = { amount: AMOUNT, currency: context.merchant.currency };
  const usual = { idempotency_key: randomUUID(), source_id: 'cnon:card-nonce-ok', amount_money, ...options };
  const body = withSettings(usual, context.settings.payment);
  return (await request<{ payment: Paid }>(context, 'POST', '/v2/payments', body)).payment;
}

async function refund(context: CauseContext): Promise<{ payment_id: string; refund_id: string }> {
  const { id: payment_id, amount_money } = await createPayment(context);
  const body = withSettings({ idempotency_key: randomUUID(), payment_id, amount_money }, context.settings.refund);
  const created = await request<{ refund: { id: string } }>(context, 'POST', '/v2/refunds', body);
  return { payment_id, refund_id: created.refund.id };
}

/** A running clock completes the refund within seconds; a frozen clock must be moved first. */
async function waitForRefund(context: CauseContext, refundId: string): Promise<void> {
  const { server, merchant } = context;
  if (merchant.clock.frozenAt !== null) {
    await changeClock(server, merchant.id, { move: { kind: 'advance', by: 'PT3S' }, frozen: undefined });
  }
  for (let waited = 0; waited < REFUND_TIMEOUT_MS; waited += REFUND_POLL_MS) {
    const { refund } = await request<{ refund: { status: string } }>(context, 'GET', `/v2/refunds/${refundId}`);
    if (refund.status !== 'PENDING') return;
    await sleep(REFUND_POLL_MS);
  }
  throw new Refusal('WRONG_STATE', {
    detail: `Refund ${refundId} is still PENDING. Move the clock: tillhouse clock advance PT3S`,
  });
}

async function createApplication(server: ServerContext): Promise<string> {
  const request = {
    name: 'tillhouse trigger',
    clientType: 'CONFIDENTIAL' as const,
    redirectUrls: [],
    merchantId: null,
  };
  return (await registerApplication(server, request)).application.id;
}

async function clockIn(context: CauseContext): Promise<CreatedIds> {
  const register = await openRegister(context.server, context.merchant.id, {});
  const { timecard } = await request<{ timecard: { id: string } }>(
    context,
    'POST',
    '/api/register/timecards/clock-in',
    { id: randomUUID() },
    { token: register.device_token, headers: { 'tillhouse-employee-session': register.session } },
  );
  return { timecard_id: timecard.id, employee_id: register.employee_id };
}
