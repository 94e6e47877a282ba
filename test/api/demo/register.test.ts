/** The register of the demo business, which a browser on the same machine uses without pairing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProduction, startTestServer, type TestServer, withServer } from '../../support/server.js';

const DEMO = { demo: true, demoHistory: false } as const;
const PATH = '/register/demo-device';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ config: DEMO });
});
afterAll(() => server.stop());

const take = (at: TestServer, headers: Record<string, string>) => at.call('POST', PATH, { headers });
const isOffered = async (at: TestServer): Promise<boolean> =>
  (await at.call('GET', '/api/register/demo-device')).body.available;

describe('POST /register/demo-device', () => {
  it('gives a device token and passcodes with which somebody of each role signs in', async () => {
    expect(await isOffered(server)).toBe(true);
    const answer = await take(server, { origin: server.baseUrl });
    expect([answer.status, answer.headers['cache-control'], answer.headers['access-control-allow-origin']]).toEqual([
      200,
      'no-store',
      undefined,
    ]);
    const { device_token: token, employees } = answer.body;
    expect((await server.call('GET', '/api/register/device', { token })).body).toMatchObject({
      name: 'Front register',
      location: { name: 'Mission Street' },
      business: { name: 'Juniper & Rye' },
    });
    const held: number[] = [];
    for (const { id: employee_id, passcode } of employees) {
      const signedIn = await server.call('POST', '/api/register/session', { token, body: { employee_id, passcode } });
      expect(signedIn.status).toBe(200);
      held.push(signedIn.body.permissions.length);
    }
    expect(held).toHaveLength(4);
    expect(new Set(held).size).toBeGreaterThan(2); // owner, manager and cashiers may do different things
    expect((await take(server, { origin: server.baseUrl })).body).toEqual(answer.body);
  });

  it.each([
    ['no origin', {}],
    ['the origin of another site', { origin: 'https://evil.example' }],
    ['an origin that the browser hides', { origin: 'null' }],
    ['a proxy', { origin: 'SELF', via: '203.0.113.7' }],
  ])('is refused with %s', async (_, headers: Record<string, string>) => {
    const own = { ...headers, ...(headers['origin'] === 'SELF' && { origin: server.baseUrl }) };
    const answer = await take(server, own);
    expect([answer.status, answer.text.includes('dev_')]).toEqual([403, false]);
  });

  it.each([
    ['listens beyond loopback', { host: '0.0.0.0', demoBeyondLoopback: true }],
    ['has no demo business', { demo: false }],
  ])('is refused by a server that %s', async (_, config) => {
    await withServer({ config: { ...DEMO, ...config } }, async (other) => {
      expect((await take(other, { origin: other.baseUrl })).status).toBe(403);
      expect(await isOffered(other)).toBe(false);
    });
  });

  it('is refused in production', async () => {
    const pair = await startProduction();
    try {
      expect((await take(pair.production, { origin: pair.production.baseUrl })).status).toBe(403);
      expect(await isOffered(pair.production)).toBe(false);
    } finally {
      await pair.stop();
    }
  });
});
