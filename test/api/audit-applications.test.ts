/** Audit events about applications, their keys and their refusals, with address, merchant and application (decision 0120). */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findAuditEvent, listAuditEvents } from '../support/audit.js';
import { createOwner, type TestOwner } from '../support/dashboard.js';
import {
  allow,
  allowPublic,
  asClient,
  createApplication,
  createPublicApplication,
  credentialsOf,
  grant,
  obtainToken,
} from '../support/oauth.js';
import { hire, pairDevice } from '../support/people.js';
import { subscribe } from '../support/receiver.js';
import { startTestServer, type TestServer } from '../support/server.js';

const ADDRESS = '127.0.0.1';
const RECEIVER = 'http://127.0.0.1:9/hook';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

async function kindsOf(owner: TestOwner, prefix: string): Promise<string[]> {
  return (await listAuditEvents(owner)).map(({ kind }) => kind).filter((kind) => kind.startsWith(prefix));
}

describe('a webhook subscription', () => {
  it('is logged when it is created, changed and deleted, and when its key is rotated', async () => {
    const [application, owner] = [await createApplication(server), await createOwner(server)];
    const { access_token: token } = await grant(server, application, owner.merchant.id);
    const { id, signature_key } = await subscribe(server, { token }, RECEIVER);
    const path = `/v2/webhooks/subscriptions/${id}`;
    const renewal = { token, body: { idempotency_key: randomUUID() } };
    const { body: renewed } = await server.call('POST', `${path}/signature-key`, renewal);
    await server.call('POST', `${path}/signature-key`, renewal); // a retry of the same request rotates nothing
    await server.call('PUT', path, { token, body: { subscription: { name: 'Other' } } });
    await server.call('DELETE', path, { token });
    await server.call('DELETE', path, { token });
    expect(await kindsOf(owner, 'WEBHOOK_')).toEqual([
      'WEBHOOK_SUBSCRIPTION_ENDED',
      'WEBHOOK_SUBSCRIPTION_CHANGED',
      'WEBHOOK_KEY_ROTATED',
      'WEBHOOK_SUBSCRIPTION_CREATED',
    ]);
    expect(await findAuditEvent(owner, 'WEBHOOK_KEY_ROTATED')).toMatchObject({
      address: ADDRESS,
      application_id: application.id,
      details: { subscription_id: id },
    });
    const text = JSON.stringify(await listAuditEvents(owner));
    for (const secret of [signature_key, renewed.signature_key, token]) expect(text).not.toContain(secret);
  });

  it("of an owner's application is in the log of that owner", async () => {
    const owner = await createOwner(server);
    const app = { name: 'Bot', redirect_urls: ['https://app.example/'] };
    const { body } = await owner.call('POST', '/api/dashboard/applications', { body: app });
    const path = `/api/dashboard/applications/${body.application.id}`;
    const subscription = { name: 'Ours', event_types: ['payment.created'], notification_url: RECEIVER };
    await owner.call('POST', `${path}/webhook-subscriptions`, { body: { subscription } });
    await owner.call('PUT', `${path}/v1-webhook`, { body: { notification_url: RECEIVER } });
    expect(await kindsOf(owner, 'WEBHOOK_')).toEqual(['WEBHOOK_ADDRESS_SET', 'WEBHOOK_SUBSCRIPTION_CREATED']);
    const made = await findAuditEvent(owner, 'WEBHOOK_SUBSCRIPTION_CREATED');
    expect(made).toMatchObject({ address: ADDRESS, application_id: body.application.id });
    expect(made.account_id).toBeDefined();
  });
});

describe('the tokens of an application', () => {
  it('are logged when they are issued, with the address of the caller', async () => {
    const [application, owner] = [await createApplication(server), await createOwner(server)];
    const code = await allow(server, application, owner);
    const { body: tokens } = await obtainToken(server, { ...credentialsOf(application), code });
    const who = { address: ADDRESS, application_id: application.id };
    const of = (reason: string) =>
      findAuditEvent(owner, 'TOKEN_CREATED', ({ details }) => details['reason'] === reason);
    expect(await of('authorization code')).toMatchObject(who);
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
    await obtainToken(server, { ...credentialsOf(application), ...refresh });
    expect(await of('refresh token')).toMatchObject(who);
    const path = `/oauth2/clients/${application.id}/access-token/renew`;
    const body = { access_token: tokens.access_token };
    expect((await server.call('POST', path, { body, ...asClient(application) })).status).toBe(200);
    expect(await of('renewal')).toMatchObject(who);
  });

  it('are logged when they are revoked, with the address of the caller', async () => {
    const [application, owner] = [await createApplication(server), await createOwner(server)];
    const { access_token } = await grant(server, application, owner.merchant.id);
    const revoke = (more = {}) =>
      server.call('POST', '/oauth2/revoke', {
        body: { client_id: application.id, access_token, ...more },
        ...asClient(application),
      });
    await revoke({ revoke_only_access_token: true });
    await revoke();
    const who = { address: ADDRESS, application_id: application.id };
    expect(await findAuditEvent(owner, 'TOKEN_REVOKED')).toMatchObject(who);
    expect(await findAuditEvent(owner, 'AUTHORIZATION_REVOKED')).toMatchObject(who);
  });

  it('are logged when a reused refresh token revokes them, with the address of its sender', async () => {
    const [application, owner] = [await createPublicApplication(server), await createOwner(server)];
    const { refresh_token } = await allowPublic(server, application, owner);
    const body = { client_id: application.id, grant_type: 'refresh_token', refresh_token };
    expect((await obtainToken(server, body)).status).toBe(200);
    expect((await obtainToken(server, body)).status).toBe(401);
    expect(await findAuditEvent(owner, 'AUTHORIZATION_REVOKED')).toMatchObject({
      address: ADDRESS,
      application_id: application.id,
      details: { by: 'a spent refresh token' },
    });
  });

  it('are logged when the operator expires them', async () => {
    const owner = await createOwner(server);
    await server.operator('POST', '/api/sandbox/tokens/expire', { access_token: owner.merchant.token });
    expect((await findAuditEvent(owner, 'TOKEN_REVOKED')).details['by']).toBe('expiry');
  });
});

describe('a refusal', () => {
  it('of a revoked token is logged with its merchant and its application', async () => {
    const [application, owner] = [await createApplication(server), await createOwner(server)];
    const { access_token: token } = await grant(server, application, owner.merchant.id);
    await owner.call('DELETE', `/api/dashboard/authorizations/${application.id}`);
    expect((await server.call('GET', '/v2/payments', { token })).status).toBe(401);
    expect(await findAuditEvent(owner, 'ACCESS_REFUSED')).toMatchObject({
      address: ADDRESS,
      application_id: application.id,
      details: { reason: 'ACCESS_TOKEN_REVOKED' },
    });
  });

  it('by the handler of an operation is logged too', async () => {
    const owner = await createOwner(server);
    const { id } = await subscribe(server, owner.merchant, RECEIVER, { event_types: ['payment.created'] });
    const token = await server.createToken(owner.merchant.id, ['TIMECARDS_READ']);
    expect((await server.call('GET', `/v2/webhooks/subscriptions/${id}`, { token })).status).toBe(403);
    expect(await findAuditEvent(owner, 'ACCESS_REFUSED')).toMatchObject({
      address: ADDRESS,
      details: { reason: 'INSUFFICIENT_SCOPES', operation: 'v2.retrieveWebhookSubscription' },
    });
  });

  it('of a wrong application secret or code is logged with the application', async () => {
    const application = await createApplication(server);
    const attempts = [
      { ...credentialsOf(application), client_secret: 'a guess', code: 'x' },
      { ...credentialsOf(application), code: 'a guess' },
    ];
    for (const body of attempts) expect((await obtainToken(server, body)).status).toBe(401);
    const find = () =>
      server.database.sql<{ address: string; details: Record<string, string> }[]>`
        select address, details
        from audit_events
        where application_id = ${application.id} and kind = 'ACCESS_REFUSED'`;
    await expect
      .poll(find, { timeout: 10_000 })
      .toEqual([{ address: ADDRESS, details: { reason: 'UNAUTHORIZED', operation: 'oauth2.obtainToken' } }]);
  });

  it('of an employee who may not sign in, or has too many failed attempts, is logged', async () => {
    const owner = await createOwner(server);
    const [gone, employee] = [await hire(server, owner, { active: false }), await hire(server, owner)];
    const device = await pairDevice(server, owner);
    const of = (reason: string) =>
      findAuditEvent(owner, 'EMPLOYEE_SIGN_IN_FAILED', ({ details }) => details['reason'] === reason);
    expect((await device.signIn(gone.id)).status).toBe(403);
    expect(await of('FORBIDDEN')).toMatchObject({ employee_id: gone.id, device_id: device.id, address: ADDRESS });
    for (let time = 0; time < 6; time++) await device.signIn(employee.id, '000000');
    expect(await of('wrong passcode')).toMatchObject({ employee_id: employee.id });
    expect(await of('RATE_LIMITED')).toMatchObject({ employee_id: employee.id, device_id: device.id });
  });
});

describe('an adjustment', () => {
  it('is logged with its author and address', async () => {
    const owner = await createOwner(server);
    const { id, locationIds } = owner.merchant;
    const adjust = (amount: number) => ({
      idempotency_key: randomUUID(),
      location_id: locationIds[0],
      amount_money: { amount, currency: 'USD' },
      reason: 'Fee',
    });
    await owner.call('POST', '/api/dashboard/adjustments', { body: adjust(-250) });
    const adjustment = await findAuditEvent(owner, 'ADJUSTMENT_CREATED');
    expect(adjustment).toMatchObject({ address: ADDRESS, details: { made_by: 'OWNER', amount: '-250' } });
    expect(adjustment.account_id).toBeDefined();
    await server.operator('POST', `/api/sandbox/merchants/${id}/adjustments`, adjust(300));
    expect((await findAuditEvent(owner, 'ADJUSTMENT_CREATED')).details).toMatchObject({ made_by: 'OPERATOR' });
  });
});
