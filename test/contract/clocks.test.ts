import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../src/operations.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { type Business, openBusiness } from './business.js';
import { expectNamed, readRefusal } from './refusals.js';
import { goodRequest, nameOf, send } from './requests.js';
import { LAST_TIMES } from './schemas.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

describe('a clock at the latest possible time', () => {
  it('does not move beyond the times that can be stored', async () => {
    const { id, token } = await server.createMerchant({ clock: { now: '9999-12-31T23:59:59.999Z' } });
    const clock = `/api/sandbox/merchants/${id}/clock`;
    const body = { first_name: 'Last', last_name: 'Hire' };
    expect((await server.call('POST', '/v1/me/employees', { token, body })).status).toBe(200);
    expect((await server.operator('GET', clock)).body.clock.now).toBe('9999-12-31T23:59:59.999Z');
    expect((await server.operator('POST', clock, { frozen: true })).status).toBe(200);
    for (const advance of ['PT1S', 'P5Y']) {
      expectNamed(await server.operator('POST', clock, { advance }), clock, 'advance');
    }
  });
});

describe.each(LAST_TIMES)('a merchant whose clock is at %s', (now) => {
  let business: Business;

  beforeAll(async () => {
    business = await openBusiness(server);
    const { id } = business.merchant;
    await server.database.sql`
      update merchants set clock_frozen_at = ${now}::text::timestamptz where merchant_id = ${id}`;
    // Makes the server read the merchant again.
    await server.operator('PUT', `/api/sandbox/merchants/${id}/approval`, { approved: true });
  });

  it.each(operations.map((each) => [nameOf(each), each] as const))('gets a response from %s', async (_, operation) => {
    const request = await goodRequest(operation, business, server);
    const answer = await send(server, operation, request);
    if (answer.status !== 200) expect([400, 404, 422]).toContain(readRefusal(answer, operation.path).status);
  });

  it('still has its clock after all of them', async () => {
    const clock = await server.operator('GET', `/api/sandbox/merchants/${business.merchant.id}/clock`);
    expect(clock.status, clock.text).toBe(200);
  });
});
