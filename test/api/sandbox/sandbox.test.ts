/** The operator's operations in a sandbox: create merchants, approve them, issue and expire tokens. Clocks: sandbox-clock.test.ts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashSecret } from '../../../src/base/secrets.js';
import { newOwnerEmail, PASSWORD, signIn } from '../../support/dashboard.js';
import { createEmployee } from '../../support/employees.js';
import { idsOf } from '../../support/lists.js';
import { OPERATOR_KEY, startTestServer, type TestServer } from '../../support/server.js';

const MERCHANTS = '/api/sandbox/merchants';
const MISSING = 'M000000000000';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const make = (body?: unknown) => server.operator('POST', MERCHANTS, body);
const get = (path: string, token: string) => server.call('GET', path, { token });

async function countMerchants(): Promise<number> {
  const [row] = await server.database.sql<{ count: number }[]>`select count(*) from merchants`;
  return row?.count ?? -1;
}

describe('sandbox.createMerchant', () => {
  it('creates a usable merchant from an empty request', async () => {
    const before = Date.now();
    const answer = await make();
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      merchant: {
        id: expect.stringMatching(/^M[A-Z0-9]{12}$/),
        business_name: 'Sandbox business',
        country: 'US',
        currency: 'USD',
        approved: true,
        clock: { now: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/), frozen: false, offset_ms: 0 },
        locations: [{ id: expect.stringMatching(/^L[A-Z0-9]{12}$/), name: 'Main', timezone: 'America/Los_Angeles' }],
      },
      access_token: expect.stringMatching(/^EAAA[\w-]{60}$/),
    });
    const now = Date.parse(answer.body.merchant.clock.now);
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(Date.now());
  });

  it('accepts every option', async () => {
    const email = newOwnerEmail();
    const answer = await make({
      business_name: 'Bäckerei Süß',
      country: 'JP',
      currency: 'JPY',
      language_code: 'ja-JP',
      timezone: 'Asia/Tokyo',
      approved: false,
      locations: [{ name: 'Ginza' }, { timezone: 'Europe/London' }, {}],
      owner: { email, password: PASSWORD },
      clock: { now: '2020-02-26T10:00:00.250+09:00', frozen: true },
    });
    const { merchant, access_token } = answer.body;
    expect(merchant).toEqual({
      id: expect.any(String),
      business_name: 'Bäckerei Süß',
      country: 'JP',
      currency: 'JPY',
      approved: false,
      clock: { now: '2020-02-26T01:00:00.250Z', frozen: true, offset_ms: 0 },
      locations: [
        { id: expect.any(String), name: 'Ginza', timezone: 'Asia/Tokyo' },
        { id: expect.any(String), name: 'Location 2', timezone: 'Europe/London' },
        { id: expect.any(String), name: 'Location 3', timezone: 'Asia/Tokyo' },
      ],
    });
    expect(new Set(idsOf(merchant.locations)).size).toBe(3);
    expect((await signIn(server, email)).body).toEqual({ merchant_id: merchant.id, email });
    expect((await get('/v1/me', access_token)).body).toMatchObject({
      email,
      language_code: 'ja-JP',
      currency_code: 'JPY',
      account_capabilities: ['CREDIT_CARD_PROCESSING'],
    });
    expect((await get('/v1/me/employees', access_token)).status).toBe(403);
  });

  it('starts a clock at another time and lets it run, or freezes the current time', async () => {
    const running = (await make({ clock: { now: '2015-01-01' } })).body.merchant.clock;
    expect(running.frozen).toBe(false);
    expect(running.now.slice(0, 17)).toBe('2015-01-01T00:00:');
    const frozen = (await make({ clock: { frozen: true } })).body.merchant.clock;
    expect(frozen.frozen).toBe(true);
    expect(Math.abs(Date.parse(frozen.now) - Date.now())).toBeLessThan(5000);
    expect((await make({ clock: {} })).body.merchant.clock).toMatchObject({ frozen: false, offset_ms: 0 });
  });

  it('returns a token with all permissions', async () => {
    const { access_token: token } = (await make()).body;
    const role = await server.call('POST', '/v1/me/roles', { token, body: { name: 'A', permissions: [] } });
    expect(role.status).toBe(200);
    for (const path of ['/v1/me', '/v2/locations', '/v1/me/employees', '/v2/employees']) {
      expect((await get(path, token)).status).toBe(200);
    }
  });

  it.each([
    ['an unknown time zone', { timezone: 'Mars/Olympus' }, 'INVALID_VALUE', 'timezone'],
    ['an empty time zone', { timezone: '' }, 'VALUE_EMPTY', 'timezone'],
    [
      'an unknown time zone of a location',
      { locations: [{ timezone: 'Nowhere' }] },
      'INVALID_VALUE',
      'locations.timezone',
    ],
    ['no locations', { locations: [] }, 'ARRAY_LENGTH_TOO_SHORT', 'locations'],
    ['too many locations', { locations: Array(51).fill({}) }, 'ARRAY_LENGTH_TOO_LONG', 'locations'],
    ['a location that is text', { locations: ['Main'] }, 'EXPECTED_OBJECT', 'locations'],
    [
      'a location name that is too long',
      { locations: [{ name: 'x'.repeat(256) }] },
      'VALUE_TOO_LONG',
      'locations.name',
    ],
    ['an empty business name', { business_name: '' }, 'VALUE_EMPTY', 'business_name'],
    ['a name that is too long', { business_name: 'x'.repeat(256) }, 'VALUE_TOO_LONG', 'business_name'],
    ['a country of three letters', { country: 'USA' }, 'VALUE_REGEX_MISMATCH', 'country'],
    ['a currency in lower case', { currency: 'usd' }, 'VALUE_REGEX_MISMATCH', 'currency'],
    ['text for approved', { approved: 'no' }, 'EXPECTED_BOOLEAN', 'approved'],
    ['an invalid clock', { clock: { now: '2026-02-30' } }, 'INVALID_TIME', 'clock.now'],
    ['text for frozen', { clock: { frozen: 'yes' } }, 'EXPECTED_BOOLEAN', 'clock.frozen'],
    [
      'an owner without a password',
      { owner: { email: 'a@b.example' } },
      'MISSING_REQUIRED_PARAMETER',
      'owner.password',
    ],
    ['an owner without an email', { owner: { password: PASSWORD } }, 'MISSING_REQUIRED_PARAMETER', 'owner.email'],
    [
      'a password of seven characters',
      { owner: { email: 'a@b.example', password: 'seven77' } },
      'VALUE_TOO_SHORT',
      'owner.password',
    ],
    ['a NUL', { business_name: 'a\0' }, 'INVALID_VALUE', 'business_name'],
    [
      'an address line that is a number',
      { locations: [{ address: { locality: 5 } }] },
      'EXPECTED_STRING',
      'locations.address.locality',
    ],
  ])('refuses %s, names the field and writes nothing', async (_what, body, code, field) => {
    const before = await countMerchants();
    const answer = await make(body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0]).toMatchObject({ category: 'INVALID_REQUEST_ERROR', code, field });
    expect(await countMerchants()).toBe(before);
  });

  it("refuses an owner's email that is in use, in any case, with 409 naming it, and writes nothing", async () => {
    const email = newOwnerEmail();
    await make({ owner: { email, password: PASSWORD } });
    const before = await countMerchants();
    for (const again of [email, email.toUpperCase()]) {
      const answer = await make({ owner: { email: again, password: PASSWORD } });
      expect(answer.status).toBe(409);
      expect(answer.body.errors[0]).toMatchObject({ code: 'CONFLICT', field: 'owner.email' });
    }
    expect(await countMerchants()).toBe(before);
  });

  it('creates fifty merchants concurrently, each isolated from the others', async () => {
    const before = await countMerchants();
    const merchants = await Promise.all(Array.from({ length: 50 }, () => server.createMerchant()));
    expect(await countMerchants()).toBe(before + 50);
    for (const ids of [
      idsOf(merchants),
      merchants.map(({ token }) => token),
      merchants.flatMap((m) => m.locationIds),
    ]) {
      expect(new Set(ids).size).toBe(50);
    }
    const hired = await Promise.all(merchants.map((merchant) => createEmployee(server, merchant)));
    const lists = await Promise.all(merchants.map(({ token }) => get('/v1/me/employees', token)));
    expect(lists.map(({ body }) => body)).toEqual(hired.map((employee) => [employee]));
  });
});

describe('sandbox.retrieveMerchant', () => {
  it('returns what createMerchant returned', async () => {
    const { merchant } = (await make({ clock: { now: '2020-02-26T10:00:00Z', frozen: true }, approved: false })).body;
    const answer = await server.operator('GET', `${MERCHANTS}/${merchant.id}`);
    expect([answer.status, answer.body]).toEqual([200, { merchant }]);
  });

  it.each([MISSING, '%00', 'x'.repeat(10_000)])('returns 404 for %s', async (id) => {
    expect((await server.operator('GET', `${MERCHANTS}/${id}`)).status).toBe(404);
  });
});

describe('sandbox.setApproval', () => {
  it('removes and restores the approval, effective from the next request', async () => {
    const merchant = await server.createMerchant();
    const set = (approved: boolean) => server.operator('PUT', `${MERCHANTS}/${merchant.id}/approval`, { approved });
    const status = async () => (await get('/v1/me/employees', merchant.token)).status;
    expect(await status()).toBe(200);
    for (const approved of [false, true, false, false, true]) {
      const answer = await set(approved);
      expect([answer.status, answer.body]).toEqual([200, { approved }]);
      expect(await status()).toBe(approved ? 200 : 403);
      expect((await server.operator('GET', `${MERCHANTS}/${merchant.id}`)).body.merchant.approved).toBe(approved);
    }
  });

  it('refuses an unknown merchant, and a body without a value', async () => {
    const merchant = await server.createMerchant();
    expect((await server.operator('PUT', `${MERCHANTS}/${MISSING}/approval`, { approved: true })).status).toBe(404);
    for (const body of [{}, { approved: 'true' }, { approved: null }]) {
      const answer = await server.operator('PUT', `${MERCHANTS}/${merchant.id}/approval`, body);
      expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'approved']);
    }
  });
});

describe('sandbox.createToken', () => {
  it('returns a token with few permissions, which allows only those', async () => {
    const merchant = await server.createMerchant();
    const token = await server.createToken(merchant.id, ['EMPLOYEES_READ']);
    expect((await get('/v1/me/employees', token)).status).toBe(200);
    const v1 = await server.call('POST', '/v1/me/employees', { token, body: {} });
    expect([v1.status, v1.body]).toEqual([403, { type: 'forbidden', message: 'Missing permission: EMPLOYEES_WRITE' }]);
    const v2 = await get('/v2/locations', token);
    expect([v2.status, v2.body.errors[0]]).toEqual([
      403,
      {
        category: 'AUTHENTICATION_ERROR',
        code: 'INSUFFICIENT_SCOPES',
        detail: 'Missing permission: MERCHANT_PROFILE_READ',
      },
    ]);
  });

  it('grants all permissions by default, and none for an empty list', async () => {
    const merchant = await server.createMerchant();
    const all = (await server.operator('POST', `${MERCHANTS}/${merchant.id}/tokens`, {})).body.access_token;
    expect((await get('/v1/me', all)).body.id).toBe(merchant.id);
    expect((await get('/v1/me', await server.createToken(merchant.id, []))).status).toBe(403);
  });

  it('stores only the hash of a token (decision 0001)', async () => {
    const merchant = await server.createMerchant();
    const rows = await server.database.sql`
      select * from access_tokens where token_hash = ${hashSecret(merchant.token)}`;
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(merchant.token);
  });

  it('creates a token that expires in real time, not on the clock of the merchant (decision 0040)', async () => {
    const merchant = await server.createMerchant();
    const tokenUntil = async (time: number) => {
      const expires_at = new Date(time).toISOString();
      return (await server.operator('POST', `${MERCHANTS}/${merchant.id}/tokens`, { expires_at })).body.access_token;
    };
    const [past, future] = [await tokenUntil(Date.now() - 1000), await tokenUntil(Date.now() + 3_600_000)];
    expect((await get('/v2/locations', past)).body.errors[0].code).toBe('ACCESS_TOKEN_EXPIRED');
    await server.operator('POST', `${MERCHANTS}/${merchant.id}/clock`, { advance: 'P1D' });
    expect((await get('/v2/locations', future)).status).toBe(200);
    const soon = await tokenUntil(Date.now() + 3000);
    expect((await get('/v2/locations', soon)).status).toBe(200);
    await expect.poll(async () => (await get('/v2/locations', soon)).status, { timeout: 10_000 }).toBe(401);
  });

  it.each([
    ['an unknown permission', { permissions: ['FLY'] }, 'permissions'],
    ['a permission as text', { permissions: 'EMPLOYEES_READ' }, 'permissions'],
    ['an invalid time', { expires_at: 'tomorrow' }, 'expires_at'],
  ])('refuses %s with 400 naming it', async (_what, body, field) => {
    const merchant = await server.createMerchant();
    const answer = await server.operator('POST', `${MERCHANTS}/${merchant.id}/tokens`, body);
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, field]);
  });

  it('returns 404 for an unknown merchant', async () => {
    expect((await server.operator('POST', `${MERCHANTS}/${MISSING}/tokens`, {})).status).toBe(404);
  });
});

describe('sandbox.expireToken', () => {
  const expire = (access_token: unknown) => server.operator('POST', '/api/sandbox/tokens/expire', { access_token });

  it('expires a token for the next request, and no other token', async () => {
    const merchant = await server.createMerchant();
    const token = await server.createToken(merchant.id, ['EMPLOYEES_READ']);
    expect((await get('/v2/employees', token)).status).toBe(200);
    const answer = await expire(token);
    expect([answer.status, answer.body]).toEqual([200, {}]);
    const [v1, v2] = [await get('/v1/me/employees', token), await get('/v2/employees', token)];
    expect([v1.status, v1.body.type]).toEqual([401, 'oauth.expired']);
    expect([v2.status, v2.body.errors[0].code]).toEqual([401, 'ACCESS_TOKEN_EXPIRED']);
    expect((await get('/v2/employees', merchant.token)).status).toBe(200);
    expect((await expire(token)).status).toBe(200);
  });

  it('returns 404 naming the field for an unknown token, and 400 for an empty body', async () => {
    for (const token of ['EAAAnothing', OPERATOR_KEY]) {
      const answer = await expire(token);
      expect([answer.status, answer.body.errors[0].field]).toEqual([404, 'access_token']);
    }
    for (const token of [undefined, '', 5, 'x'.repeat(1025)]) {
      const answer = await expire(token);
      expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'access_token']);
    }
  });
});

describe('the sandbox surface', () => {
  it.each([
    ['POST', MERCHANTS],
    ['GET', `${MERCHANTS}/ID`],
    ['PUT', `${MERCHANTS}/ID/approval`],
    ['GET', `${MERCHANTS}/ID/clock`],
    ['POST', `${MERCHANTS}/ID/clock`],
    ['POST', `${MERCHANTS}/ID/tokens`],
    ['POST', '/api/sandbox/tokens/expire'],
  ])('%s %s requires the operator key (decision 0052)', async (method, path) => {
    const merchant = await server.createMerchant();
    const before = await countMerchants();
    const guesses = [undefined, '', 'guess', merchant.token, `${OPERATOR_KEY}x`, OPERATOR_KEY.slice(0, -1)];
    for (const guess of guesses) {
      const headers = guess === undefined ? {} : { authorization: `Bearer ${guess}` };
      const answer = await server.call(method, path.replace('ID', merchant.id), { headers, body: {} });
      expect([answer.status, answer.body.errors[0].code]).toEqual([401, 'UNAUTHORIZED']);
    }
    const basic = { authorization: `Basic ${OPERATOR_KEY}` };
    expect((await server.call(method, path.replace('ID', merchant.id), { headers: basic })).status).toBe(401);
    expect(await countMerchants()).toBe(before);
  });

  it('is the only surface that accepts the operator key', async () => {
    for (const path of ['/v1/me', '/v2/employees', '/api/dashboard/session']) {
      expect((await get(path, OPERATOR_KEY)).status).toBe(401);
    }
  });
});
