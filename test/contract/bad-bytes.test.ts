import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.js';
import type { Json } from './business.js';
import { readRefusal } from './refusals.js';
import { writingNothing } from './stored.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

describe('invalid headers', () => {
  it.each([
    ['cookie', 'tillhouse_session'],
    ['cookie', '=;=;;=%00; tillhouse_session=%'],
    ['cookie', `tillhouse_session=${'x'.repeat(5000)}`],
    ['authorization', `Bearer ${'x'.repeat(5000)}`],
    ['authorization', 'Bearer \u00e9\u00ff'],
    ['content-type', 'application/json; charset=\u00ff'],
    ['tillhouse-employee-session', 'x'.repeat(5000)],
    ['tillhouse-employee-session', '\u00e9\u00ff'],
    ['accept', 'image/png'],
    ['origin', 'null'],
  ])('%s: %s get a 4xx response', async (name, value) => {
    for (const [method, path] of [
      ['GET', '/api/dashboard/employees'],
      ['GET', '/v1/me/employees'],
      ['POST', '/v2/payments'],
      ['GET', '/api/register/device'],
      ['POST', '/api/register/timecards/clock-in'],
      ['POST', '/api/sandbox/merchants'],
      ['POST', '/oauth2/revoke'],
      ['POST', '/oauth2/token/status'],
    ] as const) {
      const { status } = readRefusal(await server.call(method, path, { headers: { [name]: value } }), path);
      expect([401, 403]).toContain(status);
    }
  });
});

/** Sends raw bytes and returns everything that is received before the connection closes. */
function talk(bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(server.baseUrl);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setTimeout(5000, () => socket.destroy(new Error('the server neither answered nor hung up')));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve(Buffer.concat(chunks).toString());
      else reject(error);
    });
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
  });
}

describe('bytes that are not a request', () => {
  const ask = (line: string, ...headers: string[]): string => [line, ...headers, '', ''].join('\r\n');
  const host = 'Host: localhost';

  it.each([
    ['garbage', 'garbage\r\n\r\n', 400],
    ['binary', Buffer.from([0x16, 0x03, 0x01, 0x00, 0xff, 0x0d, 0x0a, 0x0d, 0x0a]), 400],
    ['an unknown method', ask('BREW /v2/employees HTTP/1.1', host), 400],
    ['an unknown version', ask('GET /v2/employees HTTP/9.9', host), 400],
    ['a blank in a header name', ask('GET /v2/employees HTTP/1.1', host, 'bad header: x'), 400],
    ['a blank in a header name of a v1 request', ask('GET /v1/me HTTP/1.1', host, 'bad header: x'), 400],
    ['a NUL in a header', ask('GET /v2/employees HTTP/1.1', host, 'x: a\0b'), 400],
    ['a negative length', ask('POST /v2/payments HTTP/1.1', host, 'Content-Length: -1'), 400],
    ['two lengths', ask('POST /v2/payments HTTP/1.1', host, 'Content-Length: 1', 'Content-Length: 2'), 400],
    [
      'a length and chunks',
      ask('POST /v2/payments HTTP/1.1', host, 'Content-Length: 5', 'Transfer-Encoding: chunked'),
      400,
    ],
    ['a header over 16 KiB', ask('GET /v2/employees HTTP/1.1', host, `x: ${'x'.repeat(17 * 1024)}`), 431],
    [
      'many headers over 16 KiB',
      ask('GET /v1/me HTTP/1.1', host, ...Array.from({ length: 1500 }, (_, n) => `x-${n}: 0123456789`)),
      431,
    ],
    ['a path over 16 KiB', ask(`GET /v1/${'x'.repeat(17 * 1024)} HTTP/1.1`, host), 431],
  ])('%s gets a 4xx response, and the connection is closed', async (_, bytes, status) => {
    const answer = await talk(bytes);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    for (const line of ['x-content-type-options: nosniff', 'content-type: application/json\r\n', 'connection: close']) {
      expect(head.toLowerCase()).toContain(line);
    }
    expect(head.toLowerCase()).toMatch(/^x-request-id: [0-9a-f-]{36}$/m);
    const said = JSON.parse(body) as { errors?: Json[] };
    const isFirst = / \/v1\//.test(bytes.toString().slice(0, 20));
    expect(Object.keys(said)).toEqual(isFirst ? ['type', 'message'] : ['errors']);
    if (!isFirst) expect(Object.keys(said.errors?.[0] ?? {})).toEqual(['category', 'code', 'detail']);
    expect(body).not.toMatch(/HPE_|parse|postgres|node_modules/i);
  });

  it.each([
    ['HTTP/1.1 without a host', ask('GET /v2/employees HTTP/1.1')],
    ['a request in absolute form', ask('GET http://localhost/v1/me HTTP/1.1', host, 'Connection: close')],
    ['OPTIONS *', ask('OPTIONS * HTTP/1.1', host, 'Connection: close')],
    ['a foreign host name', ask('GET /v1/me HTTP/1.1', 'Host: evil.example', 'Connection: close')],
    ['HTTP/1.0 without a host', ask('GET /v1/me HTTP/1.0')],
    ['a path that does not begin with a slash', ask('GET v1/me HTTP/1.1', host, 'Connection: close')],
    ['an upgrade', ask('GET /v1/me HTTP/1.1', host, 'Connection: upgrade, close', 'Upgrade: websocket')],
    [
      'broken chunks',
      `${ask('POST /api/sandbox/merchants HTTP/1.1', host, 'Authorization: Bearer operator-key-of-the-tests', 'Content-Type: application/json', 'Transfer-Encoding: chunked')}zz\r\nnope\r\n`,
    ],
  ])('%s gets a 4xx response', (_, bytes) =>
    writingNothing(server, async () => {
      expect(await talk(bytes)).toMatch(/^HTTP\/1\.1 4\d\d /);
    }),
  );

  it('an unknown Expect header is ignored', async () => {
    const bytes = ask('POST /v2/payments HTTP/1.1', host, 'Expect: miracles', 'Content-Length: 0', 'Connection: close');
    const answer = await talk(bytes);
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer).toContain('"UNAUTHORIZED"');
  });

  it('an aborted request writes nothing, and the server keeps running', () =>
    writingNothing(server, async () => {
      const { hostname, port } = new URL(server.baseUrl);
      const head = ask(
        'POST /api/sandbox/merchants HTTP/1.1',
        host,
        'Authorization: Bearer operator-key-of-the-tests',
        'Content-Type: application/json',
        'Content-Length: 1000',
      );
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname, () => {
          socket.write(`${head}{"business_name":`, () => socket.destroy());
        });
        socket.on('close', () => resolve());
      });
      expect((await server.call('GET', '/readyz')).status).toBe(200);
    }));
});
