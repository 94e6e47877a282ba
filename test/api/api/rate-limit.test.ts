import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectRefusal } from '../../support/payments.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

/** So few that no request is refilled between two requests, even on a slow machine. */
const LIMIT = 2;
const CROWD = 12;

let server: TestServer;
let merchant: TestMerchant;

beforeAll(async () => {
  server = await startTestServer({ config: { rateLimit: LIMIT } });
  merchant = await server.createMerchant();
});
afterAll(() => server.stop());

const crowd = (path: string, token: string, at = server) =>
  Promise.all(Array.from({ length: CROWD }, () => at.call('GET', path, { token })));

describe('the rate limit of a token', () => {
  it.each([
    ['v1', '/v1/me', { type: 'rate_limited', message: expect.any(String) }],
    ['v2', '/v2/locations', undefined],
  ])('returns 429 in the format of %s, with Retry-After', async (_, path, body) => {
    const answers = await crowd(path, await server.createToken(merchant.id, ['MERCHANT_PROFILE_READ']));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThanOrEqual(CROWD - LIMIT);
    for (const answer of refused) {
      if (body) expect([answer.status, answer.body]).toEqual([429, body]);
      else expectRefusal(answer, { status: 429, code: 'RATE_LIMITED', category: 'RATE_LIMIT_ERROR' });
      expect(answer.headers['retry-after']).toBe('1');
    }
  });

  it('does not affect other tokens', async () => {
    await crowd('/v1/me', merchant.token);
    const token = await server.createToken(merchant.id, ['MERCHANT_PROFILE_READ']);
    expect((await server.call('GET', '/v1/me', { token })).status).toBe(200);
  });

  it('counts every spelling of the header together', async () => {
    const token = await server.createToken(merchant.id, ['MERCHANT_PROFILE_READ']);
    const spellings = ['Bearer', 'bearer', 'BEARER', 'bEaReR', 'BeArEr', 'Bearer ', 'bearer  ', 'beareR'];
    const answers = await Promise.all(
      spellings.map((scheme) => server.call('GET', '/v1/me', { headers: { authorization: `${scheme} ${token}` } })),
    );
    expect(answers.map(({ status }) => status)).toContain(429);
  });

  it('returns 401 for an unknown token, after any number of requests', async () => {
    for (const { status } of await crowd('/v1/me', 'nobody')) expect(status).toBe(401);
  });

  it('does not apply to the operator', async () => {
    for (const { status } of await crowd(`/api/sandbox/merchants/${merchant.id}`, 'operator-key-of-the-tests')) {
      expect(status).toBe(200);
    }
  });
});

describe('a sandbox', () => {
  it('has no rate limit by default', async () => {
    const free = await startTestServer({ databaseUrl: server.databaseUrl });
    try {
      const statuses = new Set<number>();
      for (let round = 0; round < 20; round++) {
        for (const { status } of await crowd('/v1/me', merchant.token, free)) statuses.add(status);
      }
      expect([...statuses]).toEqual([200]);
    } finally {
      await free.stop();
    }
  });
});
