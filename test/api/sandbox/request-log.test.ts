/** The log of requests of a sandbox: what it records and hides, how it is read, and its bound (decision 0164). */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOwner, PASSWORD } from '../../support/dashboard.js';
import type { ApiResponse } from '../../support/http.js';
import { allow, createApplication } from '../../support/oauth.js';
import { Receiver } from '../../support/receiver.js';
import {
  startProduction,
  startTestServer,
  type TestMerchant,
  type TestServer,
  withServer,
} from '../../support/server.js';

let server: TestServer;
let merchant: TestMerchant;
beforeAll(async () => {
  server = await startTestServer();
  merchant = await server.createMerchant();
});
afterAll(() => server.stop());

const PATH = '/api/sandbox/requests';

function newPayment(change: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    idempotency_key: randomUUID(),
    source_id: 'cnon:card-nonce-ok',
    amount_money: { amount: 1840, currency: 'USD' },
    ...change,
  };
}

function pay(body = newPayment(), by = merchant): Promise<ApiResponse> {
  return server.call('POST', '/v2/payments', { token: by.token, body });
}

const idOf = ({ headers }: ApiResponse): string => String(headers['x-request-id']);
const detailOf = async (answer: ApiResponse, at = server) =>
  (await at.operator('GET', `${PATH}/${idOf(answer)}`)).body.request;
const list = async (query: string, at = server) => (await at.operator('GET', `${PATH}?${query}`)).body.requests;

describe('a recorded request', () => {
  it('has its merchant, operation, status, duration, headers and bodies', async () => {
    const answer = await pay();
    const { payment } = answer.body;
    const request = await detailOf(answer);
    expect(request).toMatchObject({
      ...{ id: idOf(answer), method: 'POST', path: '/v2/payments', status: 200, operation: 'v2.createPayment' },
      ...{ merchant_id: merchant.id, can_be_resent: true, notes: [], events: [] },
      records: [{ kind: 'payment', id: payment.id }],
    });
    expect(request.application_id).toMatch(/^sq0idp-/);
    expect(request.duration_ms).toBeGreaterThan(0);
    expect(Math.abs(Date.parse(request.at) - Date.now())).toBeLessThan(10_000);
    expect(JSON.parse(request.request_body.text).amount_money).toEqual({ amount: 1840, currency: 'USD' });
    expect(JSON.parse(request.response_body.text)).toEqual(answer.body);
    expect(request.response_body.text).toContain('\n  "payment"');
    const [summary] = await list(`merchant_id=${merchant.id}&limit=1`);
    expect(summary).toMatchObject({ id: idOf(answer), path: '/v2/payments', status: 200 });
  });

  it('of a refusal has its error, and of an unknown path no operation', async () => {
    const refused = await pay(newPayment({ source_id: 'nonsense' }));
    expect((await detailOf(refused)).error).toMatch(/^[A-Z_]+: ./);
    const v1 = await server.call('GET', '/v1/me/employees/nobody', { token: merchant.token });
    expect((await detailOf(v1)).error).toMatch(/not_found: ./);
    const nowhere = await server.call('GET', '/v2/paymentz?limit=1', { token: merchant.token });
    const request = await detailOf(nowhere);
    expect([request.status, request.path, request.operation]).toEqual([404, '/v2/paymentz?limit=1', undefined]);
  });

  it('with a wrong credential says what is wrong with it', async () => {
    const noteOn = async (authorization: string | undefined): Promise<string> => {
      const headers = authorization === undefined ? {} : { authorization };
      const answer = await server.call('GET', '/v2/payments', { headers });
      expect(answer.status).toBe(401);
      return (await detailOf(answer)).notes[0].text;
    };
    const token = await server.createToken(merchant.id, ['PAYMENTS_READ']);
    await server.operator('POST', '/api/sandbox/tokens/expire', { access_token: token });
    expect(await noteOn(undefined)).toContain('no Authorization header');
    expect(await noteOn(merchant.token)).toContain('must be `Bearer TOKEN`');
    expect(await noteOn('Bearer nobody-has-this')).toContain('does not know the token');
    expect(await noteOn(`Bearer ${token}`)).toContain('expired or was revoked');
  });

  it('that was refused before its body was read says so, and cannot be sent again', async () => {
    const answer = await server.call('POST', '/v2/payments', { token: 'nobody-has-this', body: newPayment() });
    const request = await detailOf(answer);
    expect(request.request_body).toBeUndefined();
    expect(request.notes.map(({ text }: { text: string }) => text).join()).toContain('before its body was read');
    const again = await server.operator('POST', `${PATH}/${idOf(answer)}/resend`);
    expect([again.status, request.can_be_resent]).toEqual([400, false]);
  });

  it('that was repeated with another idempotency key warns, and with the same key does not', async () => {
    const body = newPayment({ note: 'twice' });
    const first = await pay(body);
    const second = await pay({ ...body, idempotency_key: randomUUID() });
    const third = await pay(body);
    const [warning] = (await detailOf(second)).notes;
    expect(warning).toMatchObject({ tone: 'warning', request_id: idOf(first) });
    expect(warning.text).toContain('another idempotency key');
    const [info] = (await detailOf(third)).notes;
    expect(info).toMatchObject({ tone: 'info', request_id: idOf(first) }); // not the one just before, with another key
    expect(info.text).toContain('nothing new was made');
  });

  it('shows the events that followed', async () => {
    const receiver = await Receiver.open();
    try {
      const body = { subscription: { name: 'x', event_types: ['payment.created'], notification_url: receiver.url } };
      const subscribed = await server.call('POST', '/v2/webhooks/subscriptions', { token: merchant.token, body });
      expect(subscribed.status).toBe(200);
      const answer = await pay();
      const { events } = await detailOf(answer);
      expect(events).toMatchObject([{ event_type: 'payment.created' }]);
      const { delivery_id } = events[0];
      const path = `/api/sandbox/merchants/${merchant.id}/webhook-deliveries/${delivery_id}`;
      expect((await server.operator('GET', path)).body.delivery.entity_id).toBe(answer.body.payment.id);
    } finally {
      await receiver.close();
    }
  });

  it('shows the injected fault, also if no response was sent', async () => {
    const other = await server.createMerchant();
    const inject = (fault: Record<string, unknown>) =>
      server.operator('POST', '/api/sandbox/faults', { merchant_id: other.id, ...fault });
    await inject({ effect: 'STATUS', status: 503 });
    const failed = await pay(newPayment(), other);
    expect(failed.status).toBe(503);
    expect((await detailOf(failed)).fault).toMatch(/ STATUS$/);
    await inject({ effect: 'RESET_AFTER' });
    await expect(pay(newPayment(), other)).rejects.toThrow();
    const [reset] = await list(`merchant_id=${other.id}&status=0`);
    expect(reset).toMatchObject({
      operation: 'v2.createPayment',
      status: 0,
      fault: expect.stringMatching(/RESET_AFTER/),
    });
  });

  it('is not made of requests of the operator', async () => {
    await server.operator('GET', '/api/sandbox/faults');
    expect(await list('operation=sandbox')).toEqual([]);
  });
});

describe('the list', () => {
  it('is filtered by merchant, operation, status and text, and paged from the newest', async () => {
    const own = await server.createMerchant();
    const call = (path: string) => server.call('GET', path, { token: own.token });
    const answers = [await call('/v2/payments'), await call('/v1/me/roles'), await call('/v2/refunds/needle-in-hay')];
    const ids = answers.map(idOf).toReversed();
    const found = async (query: string): Promise<string[]> =>
      (await list(`merchant_id=${own.id}&${query}`)).map(({ id }: { id: string }) => id);
    expect(await found('')).toEqual(ids);
    expect(await found('operation=v2.listPayments')).toEqual([ids[2]]);
    expect(await found('operation=v2')).toEqual([ids[0], ids[2]]);
    expect(await found('status=404')).toEqual([ids[0]]);
    expect(await found('status=2xx')).toEqual([ids[1], ids[2]]);
    expect(await found('text=NEEDLE-in')).toEqual([ids[0]]);
    expect(await found('text=not-there')).toEqual([]);
    const first = (await server.operator('GET', `${PATH}?merchant_id=${own.id}&limit=2`)).body;
    await call('/v2/payments'); // a new one does not move the page
    const second = (await server.operator('GET', `${PATH}?cursor=${first.cursor}`)).body;
    expect([...first.requests, ...second.requests].map(({ id }) => id)).toEqual(ids);
    expect(second.cursor).toBeUndefined();
  });

  it('has the requests of pages and commands of Tillhouse with their sender, and shows them apart from those of programs', async () => {
    const own = await server.createMerchant();
    const call = (headers = {}) => server.call('GET', '/v2/payments', { token: own.token, headers });
    const byProgram = idOf(await call());
    const byCommand = await call({ 'tillhouse-sent-by': 'command' });
    const byOther = idOf(await call({ 'tillhouse-sent-by': 'my program' }));
    const found = async (query: string) =>
      (await list(`merchant_id=${own.id}&${query}`)).map(({ id, sent_by }: { id: string; sent_by?: string }) => [
        id,
        sent_by,
      ]);
    expect(await found('sent_by=program')).toEqual([
      [byOther, undefined],
      [byProgram, undefined],
    ]);
    expect(await found('sent_by=tillhouse')).toEqual([[idOf(byCommand), 'command']]);
    expect(await found('')).toHaveLength(3);
    const { curl, sent_by } = await detailOf(byCommand);
    expect([sent_by, curl]).toEqual(['command', expect.not.stringContaining('tillhouse-sent-by')]);
  });

  it('has what the console sends again among the requests of programs', async () => {
    const own = await server.createMerchant();
    const first = await server.call('GET', '/v2/payments', { token: own.token });
    const { request } = (await server.operator('POST', `${PATH}/${idOf(first)}/resend`)).body;
    expect((await list(`merchant_id=${own.id}&sent_by=program`)).map(({ id }: { id: string }) => id)).toEqual([
      request.id,
      idOf(first),
    ]);
  });

  it('refuses a status that is none', async () => {
    for (const status of ['9xx', 'ok', '20']) {
      expect((await server.operator('GET', `${PATH}?status=${status}`)).status).toBe(400);
    }
  });
});

describe('sending again', () => {
  it('uses the same credential and body, and is recorded with its origin', async () => {
    const first = await pay();
    const { status, body } = await server.operator('POST', `${PATH}/${idOf(first)}/resend`);
    expect([status, body.request.status, body.request.resent_from]).toEqual([200, 200, idOf(first)]);
    const again = (await server.operator('GET', `${PATH}/${body.request.id}`)).body.request;
    expect(JSON.parse(again.response_body.text).payment.id).toBe(first.body.payment.id); // the key is the same
    expect((await server.operator('POST', `${PATH}/${randomUUID()}/resend`)).status).toBe(404);
  });
});

describe('as a command of curl', () => {
  it('has everything but the credential', async () => {
    const answer = await pay(newPayment({ note: "it's" }));
    const { curl } = await detailOf(answer);
    expect(curl).toContain(`curl -X POST '${server.baseUrl}/v2/payments'`);
    expect(curl).toContain('"authorization: Bearer $ACCESS_TOKEN"');
    expect(curl).toContain(`"note":"it'\\''s"`);
    expect(curl).not.toContain(merchant.token);
  });
});

describe('secrets', () => {
  const PLANTED = {
    password: 'planted-password-1',
    passcode: '739261',
    client_secret: 'planted-client-secret-2-of-some-length',
    refresh_token: 'planted-refresh-token-3-of-some-length',
    code: 'planted-code-4-of-some-length',
    code_verifier: 'planted-verifier-5-of-some-length',
    signature_key: 'planted-signature-key-6',
  };

  /** All that the log shows of a request. */
  async function shownOf(answer: ApiResponse): Promise<string> {
    const detail = JSON.stringify(await detailOf(answer));
    const [summary] = await list(`text=${idOf(answer)}`);
    expect(summary.id).toBe(idOf(answer));
    return detail + JSON.stringify(summary);
  }

  it.each([
    ['in JSON', JSON.stringify({ deep: [PLANTED], ...PLANTED })],
    ['in broken JSON', `${JSON.stringify({ deep: [PLANTED], ...PLANTED })}}`],
    ['in JSON that ends too early', JSON.stringify(PLANTED).slice(0, -2)],
  ])('are hidden %s', async (_, body) => {
    const shown = await shownOf(await server.call('POST', '/oauth2/token', { body }));
    for (const secret of Object.values(PLANTED)) expect(shown).not.toContain(secret);
    expect(shown).toContain('client_secret');
  });

  it('are hidden in forms, in queries and in the address of a redirect', async () => {
    const form = new URLSearchParams(PLANTED).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const byForm = await server.call('POST', '/oauth2/token', { body: form, headers });
    const byQuery = await server.call('GET', `/oauth2/authorize?${form}`);
    for (const answer of [byForm, byQuery]) {
      const shown = await shownOf(answer);
      for (const secret of Object.values(PLANTED)) expect(shown).not.toContain(secret);
    }
  });

  it('are hidden in headers and cookies, and wherever they stand again', async () => {
    const cookie = 'tillhouse_session_1=planted-session-7-of-some-length; other=planted-other-8-of-some-length';
    const headers = { cookie, 'tillhouse-employee-session': 'planted-employee-9-of-some-length' };
    const path = `/v2/payments/${merchant.token}`;
    const shown = await shownOf(await server.call('GET', path, { token: merchant.token, headers }));
    expect(shown).not.toMatch(/planted-/);
    expect(shown).not.toContain(merchant.token);
    expect(shown).toContain(`Bearer ****${merchant.token.slice(-4)}`);
    expect(shown).toContain('tillhouse_session_1=****');
  });

  it('are hidden in responses: passwords of owners, sessions, tokens of devices and orders', async () => {
    const owner = { email: `${randomUUID()}@example.com`, password: 'planted-owner-password' };
    await server.createMerchant({ owner });
    const signIn = await server.call('POST', '/api/dashboard/session', { body: owner });
    expect(signIn.status).toBe(200);
    const session = /=([^;]+)/.exec(String(signIn.headers['set-cookie']))?.[1] ?? '';
    const shown = await shownOf(signIn);
    for (const secret of [owner.password, session]) expect(shown).not.toContain(secret);
    const pairing = await server.call('POST', '/api/register/pairing-codes');
    expect(pairing.body.device_token.length).toBeGreaterThan(20);
    expect(await shownOf(pairing)).not.toContain(pairing.body.device_token);
    const order = await server.call('GET', '/api/checkout/orders/planted-order-token-of-some-length', { token: 'x' });
    expect(await shownOf(order)).not.toContain('planted-order-token');
  });

  it('are hidden on the way through the authorization page: the password, and the code in the redirect', async () => {
    const [application, owner] = [await createApplication(server), await createOwner(server)];
    const code = await allow(server, application, owner);
    expect(code.length).toBeGreaterThan(12);
    const found = (await server.operator('GET', `${PATH}?text=oauth2/authorize`)).body.requests;
    expect(found.map(({ status }: { status: number }) => status)).toContain(303);
    for (const { id } of found) {
      const { text } = await server.operator('GET', `${PATH}/${id}`);
      for (const secret of [code, PASSWORD]) expect(text).not.toContain(secret);
    }
  });

  it('cannot be searched for', async () => {
    const answer = await pay();
    expect(await list(`text=${merchant.token.slice(0, 20)}`)).toEqual([]);
    expect(await list(`text=${merchant.token}`)).toEqual([]);
    expect((await list(`text=${answer.body.payment.id}`)).length).toBeGreaterThan(0);
  });
});

describe('the bound', () => {
  it('is a number of requests: the oldest go first', async () => {
    await withServer({ requestLog: { maxRequests: 3, maxBytes: 1_000_000 } }, async (small) => {
      for (const name of ['a', 'b', 'c', 'd']) await small.call('GET', `/v2/payments/${name}`);
      const paths = (await list('', small)).map(({ path }: { path: string }) => path);
      expect(paths).toEqual(['/v2/payments/d', '/v2/payments/c', '/v2/payments/b']);
      await small.operator('DELETE', PATH);
      expect(await list('', small)).toEqual([]);
    });
  });

  it('is a number of bytes too, and of a long body only the beginning is kept', async () => {
    await withServer({ requestLog: { maxRequests: 1000, maxBytes: 1024 * 1024 } }, async (small) => {
      const { token } = await small.createMerchant();
      const note = 'x'.repeat(200_000);
      const send = () => small.call('POST', '/v2/payments', { token, body: newPayment({ note }) });
      const answer = await send();
      expect((await detailOf(answer, small)).request_body).toMatchObject({ is_cut: true });
      expect((await detailOf(answer, small)).can_be_resent).toBe(false);
      for (let count = 0; count < 10; count++) await send();
      // Two blocks of half a megabyte, with three of these in each.
      expect((await list('', small)).length).toBeLessThanOrEqual(6);
      expect((await list('', small)).length).toBeGreaterThanOrEqual(3);
    });
  });
});

describe('the stream of changes', () => {
  it('tells of a new request, and ends with the server', async () => {
    await withServer({}, async (own) => {
      const { token, id } = await own.createMerchant();
      const headers = { authorization: 'Bearer operator-key-of-the-tests' };
      const response = await fetch(`${own.baseUrl}/api/sandbox/changes`, { headers });
      expect(response.headers.get('content-type')).toBe('text/event-stream');
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      let heard = '';
      const until = async (word: string): Promise<void> => {
        while (!heard.includes(word)) {
          const { value, done } = await reader.read();
          if (done) throw new Error(`ended without ${word}: ${heard}`);
          heard += Buffer.from(value).toString();
        }
      };
      await until('ready');
      await own.call('GET', '/v2/payments', { token });
      await until('"requests"');
      await own.operator('PUT', `/api/sandbox/merchants/${id}/approval`, { approved: true });
      await until('"all"');
      await own.stopServer();
      expect((await reader.read()).done).toBe(true);
    });
  });

  it('requires the operator', async () => {
    expect((await server.call('GET', '/api/sandbox/changes')).status).toBe(401);
    expect((await server.call('GET', '/api/sandbox/changes', { token: merchant.token })).status).toBe(401);
  });
});

describe('in production', () => {
  it('there is no log, no stream and no console', async () => {
    const pair = await startProduction();
    try {
      for (const path of [PATH, '/api/sandbox/changes', '/api/sandbox/session', '/console']) {
        const { status } = await pair.production.call('GET', path, { token: 'operator-key-of-the-tests' });
        expect([path, status]).toEqual([path, 404]);
      }
    } finally {
      await pair.stop();
    }
  });
});
