/** Traces, sent by OpenTelemetry to a receiver of OTLP over HTTP in JSON. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ADAPTER_SECRET } from '../../support/adapter.js';
import { answer, Receiver, subscribe } from '../../support/receiver.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

const LATER_MS = 60_000;

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly links?: readonly { readonly spanId: string }[];
  readonly attributes: Record<string, unknown>;
  /** 2: failed. */
  readonly status: { readonly code?: number };
}

interface WireAttribute {
  readonly key: string;
  readonly value: Record<string, unknown>;
}

const toRecord = (attributes: readonly WireAttribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

let collector: Receiver;

beforeAll(async () => {
  collector = await Receiver.open();
});
afterAll(() => collector.close());
afterEach(() => {
  vi.unstubAllEnvs();
  collector.received.length = 0;
});

/** OpenTelemetry reads the environment when the server starts. */
function configureTraces(settings: Record<string, string> = {}): void {
  const all = {
    OTEL_EXPORTER_OTLP_ENDPOINT: new URL(collector.url).origin,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '50',
    ...settings,
  };
  for (const [name, value] of Object.entries(all)) vi.stubEnv(name, value);
}

function spans(): Span[] {
  const batches = collector.received.flatMap(({ body }) => body.resourceSpans);
  return batches
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap((scope) => scope.spans)
    .map((span) => ({ ...span, attributes: toRecord(span.attributes) }));
}

async function untilSpan(isWanted: (span: Span) => boolean): Promise<Span> {
  await expect.poll(() => spans().some(isWanted), { timeout: 30_000 }).toBe(true);
  return spans().find(isWanted) as Span;
}

function pay(
  server: TestServer,
  shop: TestMerchant,
  headers: Record<string, string> = {},
  source = 'cnon:card-nonce-ok',
) {
  const body = { source_id: source, idempotency_key: randomUUID(), amount_money: { amount: 100, currency: 'USD' } };
  return server.call('POST', '/v2/payments', { token: shop.token, body, headers });
}

const traceparentOf = ({ traceId, spanId }: Span): string => `00-${traceId}-${spanId}-01`;

describe('a payment', () => {
  it('is a trace: the request of a client, the statement, the call of the processor, and its webhook', async () => {
    configureTraces({ OTEL_SERVICE_NAME: 'pos-of-the-test' });
    const [adapter, hook] = [await Receiver.open(), await Receiver.open()];
    const card = { brand: 'VISA', last_4: '1111' };
    adapter.answering = answer(200, JSON.stringify({ outcome: 'approved', amount: 100, card }));
    const server = await startTestServer({ config: { traces: true, adapter: { ...addressOf(adapter) } } });
    const shop = await server.createMerchant();
    const { signature_key } = await subscribe(server, shop, hook.url);
    const [traceId, client] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
    const paid = await pay(server, shop, { traceparent: `00-${traceId}-${client}-01`, baggage: 'card=stolen' });
    expect(paid.status, paid.text).toBe(200);

    const request = await untilSpan((span) => span.traceId === traceId && span.parentSpanId === client);
    expect(request).toMatchObject({
      name: 'POST /v2/payments',
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/v2/payments',
        'http.response.status_code': 200,
        'tillhouse.operation': 'v2.createPayment',
        'tillhouse.request_id': paid.headers['x-request-id'],
        'tillhouse.merchant_id': shop.id,
      },
    });
    const call = await untilSpan(({ name }) => name === 'processor authorize');
    expect(call).toMatchObject({ traceId, parentSpanId: request.spanId, status: {} });
    expect(adapter.received[0]?.headers['traceparent']).toBe(traceparentOf(call));
    expect(adapter.received[0]?.headers).not.toHaveProperty('baggage');

    const delivery = await untilSpan(({ name }) => name === 'webhook delivery');
    expect(delivery.traceId).not.toBe(traceId);
    expect(delivery.attributes).toMatchObject({ 'http.response.status_code': 200, 'server.address': '127.0.0.1' });
    const delivered = hook.received.map(({ headers }) => headers['traceparent']);
    expect(delivered).toContain(traceparentOf(delivery));

    const all = JSON.stringify(collector.received.map(({ body }) => body));
    expect(all).toContain('pos-of-the-test');
    const secrets = [
      shop.token,
      signature_key,
      ADAPTER_SECRET,
      'cnon:card',
      paid.body.payment.id,
      '/hook',
      'postgres:',
    ];
    expect(secrets.filter((each) => all.includes(each))).toEqual([]);
    await server.stop();
    await Promise.all([adapter.close(), hook.close()]);
  });

  it('has the statement that did it for several requests, linked to each', async () => {
    configureTraces();
    const server = await startTestServer({ config: { traces: true } });
    const shop = await server.createMerchant();
    let statement: Span | undefined;
    while (!statement) {
      await Promise.all(Array.from({ length: 20 }, () => pay(server, shop)));
      await untilSpan(({ attributes }) => attributes['db.system.name'] === 'postgresql');
      statement = spans().find(({ attributes }) => Number(attributes['db.operation.batch.size']) > 1);
    }
    const size = Number(statement.attributes['db.operation.batch.size']);
    expect(statement.name).toBe(statement.attributes['db.operation.name']);
    expect(statement.links).toHaveLength(size - 1);
    const causes = [statement.parentSpanId, ...(statement.links ?? []).map(({ spanId }) => spanId)];
    for (const id of causes) expect((await untilSpan(({ spanId }) => spanId === id)).name).toBe('POST /v2/payments');
    await server.stop();
  });
});

describe('a server with traces', () => {
  it('sends what is left when it stops', async () => {
    configureTraces({ OTEL_BSP_SCHEDULE_DELAY: `${LATER_MS}` });
    const server = await startTestServer({ config: { traces: true } });
    await server.call('GET', '/healthz');
    expect(collector.received).toEqual([]);
    await server.stop();
    expect(spans().map(({ name }) => name)).toContain('GET /healthz');
  });

  it('samples as the environment says', async () => {
    configureTraces({ OTEL_TRACES_SAMPLER: 'always_off' });
    const server = await startTestServer({ config: { traces: true } });
    await server.call('GET', '/healthz');
    await server.stop();
    expect(collector.received).toEqual([]);
  });

  it('serves and stops while nobody receives them, and keeps a bounded number', async () => {
    configureTraces({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_BSP_MAX_QUEUE_SIZE: '4' });
    const server = await startTestServer({ config: { traces: true } });
    const statuses = await Promise.all(Array.from({ length: 30 }, () => server.call('GET', '/healthz')));
    expect(statuses.filter(({ status }) => status !== 200)).toEqual([]);
    await server.stop();
  });
});

function addressOf(adapter: Receiver) {
  return { url: new URL(adapter.url).origin, secret: ADAPTER_SECRET };
}
