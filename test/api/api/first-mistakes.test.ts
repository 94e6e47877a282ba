/** What somebody gets wrong who begins, and what the answer says about it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

let server: TestServer;
let merchant: TestMerchant;

beforeAll(async () => {
  server = await startTestServer();
  merchant = await server.createMerchant();
});
afterAll(() => server.stop());

const get = (path: string) => server.call('GET', path, { token: merchant.token });
const post = (path: string, body: unknown) => server.call('POST', path, { token: merchant.token, body });

describe('a path', () => {
  it.each([
    ['/v2/payments/', '/v2/payments'],
    ['/v2/payments/?limit=1', '/v2/payments?limit=1'],
    ['/v2/locations/', '/v2/locations'],
    ['/v1/me/employees/', '/v1/me/employees'],
  ])('may end with a slash: %s', async (path, plain) => {
    const [answer, expected] = [await get(path), await get(plain)];
    expect([answer.status, answer.body]).toEqual([200, expected.body]);
  });

  it('does not lose its slash within, nor does an id', async () => {
    expect((await get('/v2/payments//')).status).toBe(404);
    expect((await get('/v2/')).status).toBe(404);
  });

  it('of a list takes a write with a slash, too', async () => {
    const body = {
      idempotency_key: 'one',
      source_id: 'cnon:card-nonce-ok',
      amount_money: { amount: 100, currency: 'USD' },
    };
    expect((await post('/v2/payments/', body)).body.payment).toMatchObject({ status: 'COMPLETED' });
  });

  it.each([
    ['/v2/v2/payments', '/v2', '/v2/payments'],
    ['/v2/v1/me/employees', '/v2', '/v1/me/employees'],
    ['/v1/v1/me/employees', '/v1', '/v1/me/employees'],
    ['/v2/oauth2/token', '/v2', '/oauth2/token'],
  ])('that has the generation twice is told of the base address: %s', async (path, base, rest) => {
    const { status, body } = await get(path);
    expect(status).toBe(404);
    const said = body.errors?.[0].detail ?? body.message;
    expect(said).toBe(
      `There is no GET ${path}. The base address of the client must not end with ${base}: it adds ${rest} itself.`,
    );
  });
});

describe('an empty body', () => {
  it('is told every field that is missing, in v2 as an error each', async () => {
    const { status, body } = await post('/v2/payments', {});
    expect(status).toBe(400);
    expect(body.errors).toEqual(
      ['source_id', 'idempotency_key', 'amount_money'].map((field) => ({
        category: 'INVALID_REQUEST_ERROR',
        code: 'MISSING_REQUIRED_PARAMETER',
        detail: `${field} is required.`,
        field,
      })),
    );
  });

  it('is told what is missing inside of an object, too', async () => {
    const { body } = await post('/v2/payments', { amount_money: {} });
    expect(body.errors.map(({ field }: { field: string }) => field)).toEqual([
      'source_id',
      'idempotency_key',
      'amount_money.amount',
      'amount_money.currency',
    ]);
  });

  it('is told all in one message of v1', async () => {
    const { status, body } = await post('/v1/me/employees', {});
    expect([status, body]).toEqual([
      400,
      {
        type: 'bad_request.missing_parameter',
        message: 'first_name is required. last_name is required.',
        field: 'first_name',
      },
    ]);
  });
});

describe('a wrong word', () => {
  const add = async (event_type: string): Promise<string> => {
    const { body } = await server.operator('POST', '/api/sandbox/faults', { effect: 'WEBHOOK_TWICE', event_type });
    return body.errors[0].detail;
  };

  it('gets the nearest right one', async () => {
    expect(await add('payment.creatd')).toMatch(/^event_type must be one of .*\. Did you mean payment\.created/);
  });

  it('gets the list alone if that is short, and if it is far too long to be misspelt', async () => {
    const { body } = await get('/v2/payments?sort_order=DSC');
    expect(body.errors[0].detail).toBe('sort_order must be one of ASC, DESC.');
    expect(await add('payment.created'.repeat(100))).not.toContain('Did you mean');
  });
});

describe('a source that does not exist', () => {
  it.each([
    ['cnon:visa-ok', 'cnon:card-nonce-ok'],
    ['ccof:mine', 'ccof:customer-card-id-ok'],
  ])('is told one that works: %s', async (source_id, working) => {
    const body = { idempotency_key: source_id, source_id, amount_money: { amount: 100, currency: 'USD' } };
    const on_file = source_id.startsWith('ccof:') ? { customer_id: 'C1' } : {};
    const refused = await post('/v2/payments', { ...body, ...on_file });
    expect(refused.body.errors).toEqual([
      {
        category: 'INVALID_REQUEST_ERROR',
        code: 'NOT_FOUND',
        detail: `There is no such payment source. One that works is ${working}.`,
        field: 'source_id',
      },
    ]);
    expect((await post('/v2/payments', { ...body, ...on_file, source_id: working })).status).toBe(200);
  });
});

describe('a subscription to events', () => {
  const subscribe = (event_types: readonly string[]) =>
    post('/v2/webhooks/subscriptions', {
      subscription: { name: 'Mine', event_types, notification_url: 'http://127.0.0.1:9/hooks' },
    });

  it('to published kinds that are never sent is accepted, and says so in a header and in the console', async () => {
    const kinds = ['customer.created', 'payment.created', 'order.updated'];
    const { status, headers, body } = await subscribe(kinds);
    expect([status, headers['tillhouse-never-sent']]).toEqual([200, 'customer.created, order.updated']);
    expect(body.subscription.event_types).toEqual(kinds);
    const shown = await get(`/v2/webhooks/subscriptions/${body.subscription.id}`);
    expect(shown.body.subscription.event_types).toEqual(kinds);
    const listed = await get('/v2/webhooks/subscriptions');
    expect(listed.body.subscriptions.map(({ id }: { id: string }) => id)).toContain(body.subscription.id);
    const recorded = await server.operator('GET', `/api/sandbox/requests/${headers['x-request-id']}`);
    const text = expect.stringContaining('could send customer.created, order.updated: these events never arrive');
    expect(recorded.body.request.notes).toContainEqual({ tone: 'warning', text });
  });

  it('to kinds that are sent says nothing', async () => {
    const { headers } = await subscribe(['payment.created']);
    expect(headers).not.toHaveProperty('tillhouse-never-sent');
  });

  it('to a misspelt kind is refused with the nearest', async () => {
    const { status, body } = await subscribe(['payment.creatd']);
    expect([status, body.errors]).toEqual([
      400,
      [
        expect.objectContaining({
          code: 'INVALID_ENUM_VALUE',
          field: 'subscription.event_types',
          detail: expect.stringContaining(
            "has 'payment.creatd', which is no kind of event. Did you mean payment.created",
          ),
        }),
      ],
    ]);
  });

  it('cannot be tested with a kind that is never sent', async () => {
    const { body } = await subscribe(['customer.created']);
    const tested = await post(`/v2/webhooks/subscriptions/${body.subscription.id}/test`, {});
    expect([tested.status, tested.body.errors[0].field]).toEqual([400, 'event_type']);
  });
});
