/** The audit log: its events, who can read it, and its bound during a flood of refusals (decision 0120). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SecurityLog } from '../../src/identity/security-log.js';
import { findAuditEvent, listAuditEvents, type WireAuditEvent } from '../support/audit.js';
import { createOwner, PASSWORD, signIn } from '../support/dashboard.js';
import { allow, asClient, createApplication, grant } from '../support/oauth.js';
import { hire, pairDevice } from '../support/people.js';
import { OPERATOR_KEY, startTestServer, type TestServer } from '../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

describe('dashboard.listAuditEvents', () => {
  it('returns who signed in, from which address and when, newest first', async () => {
    const owner = await createOwner(server);
    await signIn(server, owner.email);
    const events = await listAuditEvents(owner);
    expect(events.map(({ kind }) => kind)).toEqual(['OWNER_SIGNED_IN', 'OWNER_SIGNED_IN', 'TOKEN_CREATED']);
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
    expect(events.map(({ kind }) => kind)).toEqual([
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
    for (const secret of [...secrets, registered.application_secret, '123456789', '246810']) {
      expect(text).not.toContain(secret);
    }
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
    expect((await listAuditEvents(owner)).map(({ kind }) => kind)).toEqual(['OWNER_SIGNED_IN', 'TOKEN_CREATED']);
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
