/** The audit log: its events, who can read it, its bound during a flood of refusals, and events about applications (decision 0120). */

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SecurityLog } from '../../../src/identity/security-log.js';
import { findAuditEvent, listAuditEvents, listKinds, type WireAuditEvent } from '../../support/audit.js';
import { createOwner, PASSWORD, signIn, type TestOwner } from '../../support/dashboard.js';
import {
  allow,
  allowPublic,
  asClient,
  createApplication,
  createPublicApplication,
  credentialsOf,
  grant,
  obtainToken,
} from '../../support/oauth.js';
import { hire, pairDevice } from '../../support/people.js';
import { subscribe } from '../../support/receiver.js';
import { OPERATOR_KEY, startTestServer, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

describe('the audit log', () => {
  describe('dashboard.listAuditEvents', () => {
    it('returns who signed in, from which address and when, newest first', async () => {
      const owner = await createOwner(server);
      await signIn(server, owner.email);
      const events = await listAuditEvents(owner);
      expect(await listKinds(owner)).toEqual(['OWNER_SIGNED_IN', 'OWNER_SIGNED_IN', 'TOKEN_CREATED']);
      expect(events[0]).toEqual({
        id: expect.any(String),
        kind: 'OWNER_SIGNED_IN',
        occurred_at: expect.stringMatching(/^\d{4}-.*Z$/),
        occurrences: 1,
        merchant_id: owner.merchant.id,
        address: '127.0.0.1',
        account_id: expect.any(String),
        details: { surface: 'dashboard' },
      });
    });

    it('returns every change of a key, a device, a passcode, a bank account, a password and a session', async () => {
      const owner = await createOwner(server);
      const [location_id] = owner.merchant.locationIds;
      const employee = await hire(server, owner);
      const device = await pairDevice(server, owner);
      await device.signIn(employee.id);
      await owner.call('DELETE', `/api/dashboard/devices/${device.id}`);
      const { body: made } = await owner.call('POST', '/api/dashboard/publishable-keys', { body: { location_id } });
      await owner.call('DELETE', `/api/dashboard/publishable-keys/${made.key.id}`);
      const bank = { bank_name: 'B', name: 'N', type: 'BUSINESS_CHECKING', routing_number: '021000021' };
      await owner.call('POST', '/api/dashboard/bank-accounts', { body: { ...bank, account_number: '123456789' } });
      const app = { name: 'Bot', redirect_urls: ['https://app.example/'] };
      const { body: registered } = await owner.call('POST', '/api/dashboard/applications', { body: app });
      await owner.call('POST', `/api/dashboard/applications/${registered.application.id}/secret`);
      const [token] = (await owner.call('GET', '/api/dashboard/tokens')).body.tokens;
      await owner.call('DELETE', `/api/dashboard/tokens/${token.id}`);
      await owner.call('POST', '/api/dashboard/session/confirm', { body: { password: PASSWORD } });
      const passwords = { old_password: PASSWORD, new_password: 'a new and long password' };
      await owner.call('PUT', '/api/dashboard/password', { body: passwords });
      const events = await listAuditEvents(owner);
      expect(await listKinds(owner)).toEqual([
        'PASSWORD_CHANGED',
        'PASSWORD_CONFIRMED',
        'TOKEN_REVOKED',
        'APPLICATION_SECRET_ROTATED',
        'APPLICATION_REGISTERED',
        'BANK_ACCOUNT_LINKED',
        'PUBLISHABLE_KEY_REVOKED',
        'PUBLISHABLE_KEY_CREATED',
        'DEVICE_UNPAIRED',
        'EMPLOYEE_SIGNED_IN',
        'DEVICE_PAIRED',
        'PASSCODE_SET',
        'OWNER_SIGNED_IN',
        'TOKEN_CREATED',
      ]);
      const byKind = new Map(events.map((event) => [event.kind, event]));
      expect(byKind.get('EMPLOYEE_SIGNED_IN')).toMatchObject({ employee_id: employee.id, device_id: device.id });
      expect(byKind.get('APPLICATION_SECRET_ROTATED')?.application_id).toBe(registered.application.id);
      expect(byKind.get('TOKEN_REVOKED')?.details).toMatchObject({ token_id: token.id });
      const secrets = [PASSWORD, passwords.new_password, made.publishable_key, device.token, owner.merchant.token];
      const text = JSON.stringify(events);
      for (const secret of [...secrets, registered.application_secret]) expect(text).not.toContain(secret);
      // The account number and the passcode. A random id may have such digits inside.
      expect(text).not.toMatch(/\b(?:123456789|246810)\b/);
    });

    it('returns the grant and the revocation of an authorization', async () => {
      const [application, owner] = [await createApplication(server), await createOwner(server)];
      await allow(server, application, owner);
      const granted = await findAuditEvent(owner, 'AUTHORIZATION_GRANTED');
      expect(granted).toMatchObject({ application_id: application.id, address: '127.0.0.1' });
      expect(granted.account_id).toBeDefined();
      await owner.call('DELETE', `/api/dashboard/authorizations/${application.id}`);
      expect((await findAuditEvent(owner, 'AUTHORIZATION_REVOKED')).details).toEqual({ by: 'owner' });
    });

    it('returns the address from which an application revoked its authorization or a token', async () => {
      const [application, owner] = [await createApplication(server), await createOwner(server)];
      const [first, second] = [
        await grant(server, application, owner.merchant.id),
        await grant(server, application, owner.merchant.id),
      ];
      const revoke = (fields: object) => {
        const body = { client_id: application.id, ...fields };
        return server.call('POST', '/oauth2/revoke', { body, ...asClient(application) });
      };
      const from = { application_id: application.id, address: '127.0.0.1' };
      expect((await revoke({ access_token: first.access_token, revoke_only_access_token: true })).status).toBe(200);
      expect(await findAuditEvent(owner, 'TOKEN_REVOKED')).toMatchObject(from);
      expect((await revoke({ access_token: second.access_token })).status).toBe(200);
      expect(await findAuditEvent(owner, 'AUTHORIZATION_REVOKED')).toMatchObject({
        ...from,
        details: { by: 'application' },
      });
    });

    it('returns who adjusted a settlement, and from which address', async () => {
      const owner = await createOwner(server);
      const [location_id = ''] = owner.merchant.locationIds;
      const adjustment = { location_id, amount_money: { amount: -500 }, reason: 'A gift', idempotency_key: 'gift' };
      expect((await owner.call('POST', '/api/dashboard/adjustments', { body: adjustment })).status).toBe(200);
      expect(await findAuditEvent(owner, 'ADJUSTMENT_CREATED')).toMatchObject({
        address: '127.0.0.1',
        account_id: expect.any(String),
        details: { location_id, amount: '-500', made_by: 'OWNER' },
      });
    });

    it('returns failed sign-ins and refusals', async () => {
      const owner = await createOwner(server);
      await signIn(server, owner.email, 'a wrong guess');
      expect(await findAuditEvent(owner, 'OWNER_SIGN_IN_FAILED')).toMatchObject({
        address: '127.0.0.1',
        details: { reason: 'wrong password' },
      });
      const token = await server.createToken(owner.merchant.id, ['EMPLOYEES_READ']);
      expect((await server.call('GET', '/v2/payments', { token })).status).toBe(403);
      expect(await findAuditEvent(owner, 'ACCESS_REFUSED')).toMatchObject({
        address: '127.0.0.1',
        application_id: expect.any(String),
        details: { reason: 'INSUFFICIENT_SCOPES', operation: 'v2.listPayments' },
      });
    });

    it('returns page by page, and nothing of another merchant', async () => {
      const [owner, stranger] = [await createOwner(server), await createOwner(server)];
      for (let time = 0; time < 3; time++) await signIn(server, owner.email);
      const all = await listAuditEvents(owner);
      const seen: WireAuditEvent[] = [];
      let cursor: string | undefined;
      do {
        const search = `?limit=2${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
        const { body } = await owner.call('GET', `/api/dashboard/audit-events${search}`);
        seen.push(...body.audit_events);
        cursor = body.cursor;
      } while (cursor !== undefined);
      expect(seen).toEqual(all);
      const others = await listAuditEvents(stranger);
      expect(others.filter(({ id }) => all.some((event) => event.id === id))).toEqual([]);
      expect((await owner.call('GET', '/api/dashboard/audit-events?kind=NONSENSE')).status).toBe(400);
    });
  });

  describe('a change that fails', () => {
    it('is not in the log', async () => {
      const owner = await createOwner(server);
      expect((await owner.call('DELETE', '/api/dashboard/devices/nobody')).status).toBe(404);
      expect((await owner.call('DELETE', '/api/dashboard/publishable-keys/nobody')).status).toBe(404);
      expect(await listKinds(owner)).toEqual(['OWNER_SIGNED_IN', 'TOKEN_CREATED']);
    });
  });

  describe('a flood of refusals', () => {
    const countOf = async (at: TestServer, kind: string) => {
      const [row] = await at.database.sql<{ rows: number; times: number }[]>`
      select count(*)::int as rows, coalesce(sum(occurrences), 0)::int as times
      from audit_events
      where kind = ${kind}`;
      return row;
    };

    it('becomes a few rows with their counts, written at the latest when the server stops', async () => {
      const floodedServer = await startTestServer();
      const second = await startTestServer({ databaseUrl: floodedServer.databaseUrl });
      try {
        await Promise.all(Array.from({ length: 200 }, () => second.call('GET', '/v1/me', { token: 'guess' })));
        await second.stop();
        expect(await countOf(floodedServer, 'ACCESS_REFUSED')).toEqual({ rows: 2, times: 200 });
      } finally {
        await floodedServer.stop();
      }
    });

    it('from many addresses is bounded too', async () => {
      const own = await startTestServer();
      try {
        const log = new SecurityLog(own.database, (error) => {
          throw error;
        });
        for (let client = 0; client < 5000; client++) {
          log.record({ kind: 'ACCESS_REFUSED', address: `2001:db8::${client.toString(16)}` });
        }
        await log.close();
        expect(await countOf(own, 'ACCESS_REFUSED')).toEqual({ rows: 202, times: 5000 });
        const others = await own.database.sql<{ details: unknown }[]>`
        select distinct details
        from audit_events
        where kind = 'ACCESS_REFUSED' and address is null`;
        expect(others).toEqual([{ details: { note: 'many different sources' } }]);
      } finally {
        await own.stop();
      }
    });
  });

  describe('the mode of the database', () => {
    it('is logged when it is recorded and when it is changed', async () => {
      const own = await startTestServer();
      const production = await startTestServer({
        databaseUrl: own.databaseUrl,
        config: { mode: 'production', changeMode: true },
      });
      try {
        const rows = await own.database.sql<{ kind: string; details: unknown }[]>`
        select kind, details
        from audit_events
        where merchant_id = '' and kind like 'MODE%'
        order by occurred_at`;
        expect(rows).toEqual([
          { kind: 'MODE_RECORDED', details: { mode: 'sandbox' } },
          { kind: 'MODE_CHANGED', details: { mode: 'production', before: 'sandbox' } },
        ]);
        expect((await production.call('GET', '/api/sandbox/merchants', { token: OPERATOR_KEY })).status).toBe(404);
      } finally {
        await production.stop();
        await own.stop();
      }
    });
  });
});

describe('events about applications', () => {
  const ADDRESS = '127.0.0.1';
  const RECEIVER = 'http://127.0.0.1:9/hook';

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
});
