/** Long responses are compressed for clients that ask for it (decision 0188). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MIN_COMPRESSED_LENGTH } from '../../../src/api/compression.js';
import { pay } from '../../support/payments.js';
import { OPERATOR_KEY, startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

let server: TestServer;
let merchant: TestMerchant;
beforeAll(async () => {
  server = await startTestServer();
  merchant = await server.createMerchant();
  await Promise.all(Array.from({ length: 20 }, () => pay(server, merchant)));
});
afterAll(() => server.stop());

/** `fetch` decompresses the body, and shows the headers as received. */
async function ask(path: string, acceptEncoding: string, method = 'GET') {
  const headers = { authorization: `Bearer ${merchant.token}`, 'accept-encoding': acceptEncoding };
  const response = await fetch(server.baseUrl + path, { method, headers });
  const header = (name: string) => response.headers.get(name);
  return {
    status: response.status,
    id: header('x-request-id'),
    coding: header('content-encoding'),
    vary: header('vary'),
    type: header('content-type'),
    length: Number(header('content-length')),
    text: await response.text(),
  };
}

describe('a long response', () => {
  // Sent as bytes, as text, and as a file.
  const lists = () => [`/v1/${merchant.locationIds[0]}/payments`, '/v2/payments', '/openapi.json'];

  it('is the same for every coding, shorter when it is compressed, and differs by Accept-Encoding', async () => {
    for (const path of lists()) {
      const plain = await ask(path, 'identity');
      expect([path, plain.status, plain.coding, plain.vary]).toEqual([path, 200, null, 'accept-encoding']);
      expect(plain.length).toBeGreaterThan(MIN_COMPRESSED_LENGTH);
      for (const coding of ['gzip', 'br']) {
        const compressed = await ask(path, coding);
        expect(compressed).toMatchObject({ status: 200, coding, vary: 'accept-encoding', type: plain.type });
        expect(compressed.text).toBe(plain.text);
        expect(compressed.length).toBeLessThan(plain.length / 2);
      }
    }
  });

  it('has the same headers for HEAD', async () => {
    const [got, head] = [await ask('/v2/payments', 'gzip'), await ask('/v2/payments', 'gzip', 'HEAD')];
    expect(head).toEqual({ ...got, id: head.id, text: '' });
  });

  it('is readable in the log of requests', async () => {
    const { id, text } = await ask('/v2/payments', 'br');
    const { request } = (await server.operator('GET', `/api/sandbox/requests/${id}`)).body;
    expect(JSON.parse(request.response_body.text)).toEqual(JSON.parse(text));
  });
});

describe('a description of the API', () => {
  it('is sent again only if it has changed, in each coding', async () => {
    const tags = new Set<string>();
    for (const coding of ['identity', 'gzip', 'br']) {
      const headers = { 'accept-encoding': coding };
      const tag = (await fetch(`${server.baseUrl}/openapi.json`, { headers })).headers.get('etag') ?? '';
      tags.add(tag);
      const again = await fetch(`${server.baseUrl}/openapi.json`, { headers: { ...headers, 'if-none-match': tag } });
      expect([again.status, again.headers.get('content-encoding'), await again.text()]).toEqual([304, null, '']);
    }
    expect(tags.size).toBe(3);
  });
});

describe('the server does not compress', () => {
  it('short responses and refusals', async () => {
    for (const path of ['/v2/payments?limit=1', '/v2/payments/none', '/nothing']) {
      const { coding, vary } = await ask(path, 'gzip, br');
      expect([path, coding, vary]).toEqual([path, null, null]);
    }
  });

  it('streams of events', async () => {
    const headers = { authorization: `Bearer ${OPERATOR_KEY}`, 'accept-encoding': 'gzip, br' };
    const aborted = new AbortController();
    const { status, headers: received } = await fetch(`${server.baseUrl}/api/sandbox/changes`, {
      headers,
      signal: aborted.signal,
    });
    aborted.abort();
    expect([status, received.get('content-type'), received.get('content-encoding')]).toEqual([
      200,
      'text/event-stream',
      null,
    ]);
  });
});
