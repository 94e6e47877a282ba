/** The recorder between a program and a server: what it passes on, and what it keeps. */
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { type Recorder, type SeenExchange, startRecorder } from '../../../src/recording/recorder.js';
import { callApi } from '../../support/http.js';
import { freePort } from '../../support/ports.js';
import { until } from '../../support/process.js';

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

interface Between {
  readonly recorder: Recorder;
  readonly kept: SeenExchange[];
  readonly problems: string[];
  /** What the server got. */
  readonly got: { readonly request: IncomingMessage; readonly body: string }[];
  readonly target: string;
}

/** A server that answers, and the recorder before it. */
async function between(answer: RequestListener, path = ''): Promise<Between> {
  const got: { request: IncomingMessage; body: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      got.push({ request, body });
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  endings.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { ...(await recordAt(target)), got };
}

async function recordAt(target: string): Promise<Omit<Between, 'got'>> {
  const kept: SeenExchange[] = [];
  const problems: string[] = [];
  const recorder = await startRecorder({
    target: new URL(target),
    port: 0,
    onExchange: (exchange) => kept.push(exchange),
    onProblem: (line) => problems.push(line),
  });
  endings.push(() => recorder.stop());
  return { recorder, kept, problems, target };
}

describe('what is passed on', () => {
  it('is the method, the path, the headers and the body, to the host of the server, and the response unchanged', async () => {
    const { recorder, kept, got, target } = await between(
      (_, response) => response.writeHead(418, 'Teapot', { 'X-Two': ['a', 'b'] }).end('{"a":1}'),
      '/base/',
    );
    const sent = { method: 'PUT', path: '/v2/x?a=%20b', body: '{"n":1}', headers: { 'x-own': 'Yes' } };
    const answer = await callApi(recorder.url, sent.method, sent.path, { body: sent.body, headers: sent.headers });
    expect(answer).toMatchObject({ status: 418, headers: { 'x-two': 'a, b' }, text: '{"a":1}' });
    const [{ request, body } = { request: undefined, body: '' }] = got;
    expect(request).toMatchObject({ method: 'PUT', url: '/base/v2/x?a=%20b', headers: { 'x-own': 'Yes' } });
    expect(request?.headers.host).toBe(new URL(target).host);
    expect(body).toBe(sent.body);
    expect(kept).toMatchObject([{ method: 'PUT', path: '/v2/x?a=%20b', status: 418 }]);
    expect(kept.map(({ request: seen, response }) => [String(seen.body), String(response.body)])).toEqual([
      [sent.body, '{"a":1}'],
    ]);
  });

  it('has no headers of one connection, also not those that the connection names', async () => {
    const { recorder, got } = await between((_, response) =>
      response
        .writeHead(200, { Connection: 'x-hop', 'X-Hop': '1', 'Proxy-Authenticate': 'Basic', Kept: '1' })
        .end('ok'),
    );
    const headers = {
      connection: 'x-gone, close',
      'x-gone': '1',
      te: 'trailers',
      'proxy-authorization': 'x',
      kept: '1',
    };
    const answer = await callApi(recorder.url, 'GET', '/', { headers });
    expect(got[0]?.request.headers).toMatchObject({ kept: '1' });
    for (const name of ['x-gone', 'te', 'proxy-authorization'])
      expect(got[0]?.request.headers).not.toHaveProperty(name);
    expect(answer.headers).toMatchObject({ kept: '1' });
    for (const name of ['x-hop', 'proxy-authenticate']) expect(answer.headers).not.toHaveProperty(name);
  });

  it('leads links of the server through the recorder', async () => {
    const own = await between((request, response) => {
      const next = `<http://${request.headers.host}/v1/x?batch_token=b>;rel='next'`;
      response.writeHead(200, { link: next }).end('[]');
    });
    const { headers } = await callApi(own.recorder.url, 'GET', '/v1/x');
    expect(headers['link']).toBe(`<${own.recorder.url}/v1/x?batch_token=b>;rel='next'`);
  });

  it('goes to the server even if the request names another one, as one for a proxy does', async () => {
    const { recorder, got } = await between((_, response) => response.end());
    const socket = connect(Number(new URL(recorder.url).port), '127.0.0.1');
    socket.write(
      'GET http://elsewhere.example/v2/x?a=1 HTTP/1.1\r\nHost: elsewhere.example\r\nConnection: close\r\n\r\n',
    );
    await new Promise((resolve) => socket.resume().once('close', resolve));
    expect(got[0]?.request.url).toBe('/v2/x?a=1');
  });

  it('is a long body too, which is not recorded', async () => {
    const long = 'x'.repeat(3_000_000);
    const { recorder, kept, problems } = await between((_, response) => response.end(long));
    expect((await callApi(recorder.url, 'POST', '/v2/long', { body: '{}' })).text).toBe(long);
    await until(() => problems.length > 0);
    expect(kept).toEqual([]);
    expect(problems).toEqual(['POST /v2/long  200  not recorded: a body is longer than 1000000 bytes.']);
  });
});

describe('compressed bodies', () => {
  const codings = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync } as const;
  it.each(Object.entries(codings))('are passed on as they are, and recorded as text: %s', async (coding, compress) => {
    const body = compress(Buffer.from('{"name":"Amélie"}'));
    const { recorder, kept, got } = await between((_, response) =>
      response.writeHead(200, { 'content-encoding': coding }).end(body),
    );
    const answer = await fetch(recorder.url, { headers: { 'accept-encoding': 'zstd' } });
    expect(await answer.json()).toEqual({ name: 'Amélie' });
    expect(got[0]?.request.headers['accept-encoding']).toBe('identity');
    expect(kept.map(({ response }) => String(response.body))).toEqual(['{"name":"Amélie"}']);
  });

  it.each([
    ['an unknown coding', 'zstd', Buffer.from('abc'), 'a body is compressed by zstd, which is not known here.'],
    ['a body that is not what its header says', 'gzip', Buffer.from('abc'), 'a body is no text.'],
    ['one that becomes too long', 'gzip', gzipSync(Buffer.alloc(5_000_000)), 'a body is longer than 1000000 bytes.'],
    ['a picture', undefined, Buffer.from([0xff, 0xd8, 0xff]), 'a body is no text.'],
  ])('are not recorded if they cannot be read: %s', async (_name, coding, body, reason) => {
    const { recorder, kept, problems } = await between((_, response) =>
      response.writeHead(200, coding === undefined ? {} : { 'content-encoding': coding }).end(body),
    );
    await callApi(recorder.url, 'GET', '/v2/x');
    await until(() => problems.length > 0);
    expect({ kept, problems }).toEqual({ kept: [], problems: [`GET /v2/x  200  not recorded: ${reason}`] });
  });
});

describe('a server or a program that is gone', () => {
  it('gets 502 with the reason while nobody listens, and the recorder goes on', async () => {
    const { recorder, kept, problems } = await recordAt(`http://127.0.0.1:${await freePort()}`);
    for (const path of ['/v2/a', '/v2/b']) {
      const { status, body } = await callApi(recorder.url, 'POST', path, { body: '{}' });
      expect(status).toBe(502);
      expect(body.errors[0]).toMatchObject({ code: 'BAD_GATEWAY', detail: expect.stringContaining('ECONNREFUSED') });
    }
    expect(kept).toEqual([]);
    expect(problems).toHaveLength(2);
  });

  it('does not record a response that breaks off, and breaks it off for the program too', async () => {
    const { recorder, kept, problems } = await between((_, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('half');
      setTimeout(() => response.destroy(), 20);
    });
    await expect(fetch(recorder.url).then((answer) => answer.text())).rejects.toThrow();
    await until(() => problems.length > 0);
    expect(kept).toEqual([]);
    expect(problems[0]).toMatch(/^GET \/ {2}not recorded: http:\/\/127\.0\.0\.1:\d+ has broken off its response\.$/);
  });

  it('ends the request to the server when the program closes its connection', async () => {
    let isClosed = false;
    const { recorder, kept, problems, got } = await between((_, response) => {
      response.once('close', () => {
        isClosed = true;
      });
    });
    const abort = new AbortController();
    const asked = fetch(recorder.url, { signal: abort.signal }).catch(() => {});
    await until(() => got.length > 0);
    abort.abort();
    await asked;
    await until(() => isClosed);
    expect(kept).toEqual([]);
    expect(problems).toEqual(['GET /  not recorded: the program has closed the connection.']);
  });

  it('finishes the exchange in flight before it stops', async () => {
    const { recorder, kept, got } = await between((_, response) => void setTimeout(() => response.end('{}'), 200));
    const answer = callApi(recorder.url, 'GET', '/v2/slow');
    await until(() => got.length > 0);
    await recorder.stop();
    expect((await answer).text).toBe('{}');
    expect(kept).toHaveLength(1);
  });
});
