/** Everything that only browsers on the server's own machine may do, behind proxies that show themselves in different ways (decision 0141). */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ config: { demo: true, demoHistory: false } });
});
afterAll(() => server.stop());

/** Method, path, and what a granted response contains. */
const DOORS = [
  ['POST', '/dashboard/demo-sign-in', /^HTTP\/1.1 303 /],
  ['GET', '/api/dashboard/demo-sign-in', /"available":true/],
  ['POST', '/register/demo-device', /"device_token"/],
  ['GET', '/api/register/demo-device', /"available":true/],
  ['POST', '/docs/demo-token', /"access_token"/],
  ['POST', '/api/sandbox/session', /set-cookie: tillhouse_console/],
  ['GET', '/api/sandbox/session', /"one_click":true/],
] as const;

/** What proxies, load balancers, CDNs and tunnels send. */
const HEADERS = [
  ...['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Port', 'X-Real-IP', 'X-Client-IP', 'True-Client-IP', 'Via'],
  ...['CF-Connecting-IP', 'CF-Ray', 'CDN-Loop', 'CDN-RequestId', 'Fastly-FF', 'Client-IP', 'WL-Proxy-Client-IP'],
  ...['X-Amz-Cf-Id', 'X-ARR-LOG-ID', 'X-AppEngine-User-IP', 'X-Cloud-Trace-Context', 'X-ProxyUser-Ip', 'X-Remote-Addr'],
  ...['X-Vercel-Id', 'X-NF-Client-Connection-IP', 'Akamai-Origin-Hop', 'Incap-Client-IP', 'X-Sucuri-ClientIP'],
  ...[
    'Ali-CDN-Real-IP',
    'Ngrok-Trace-Id',
    'Tailscale-User-Login',
    'X-NginX-Proxy',
    'X-Varnish',
    'Surrogate-Capability',
  ],
  ...[
    'Proxy-Connection',
    'Front-End-Https',
    'X-Scheme',
    'X-Url-Scheme',
    'X-Host',
    'X-Traefik-Router',
    'X-Accel-Internal',
  ],
];

/** The whole response to a request that a page of this server could send, as text. */
function ask(method: string, path: string, version: string, header = 'Accept: */*'): Promise<string> {
  const { hostname, port, host, origin } = new URL(server.baseUrl);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect({ host: hostname, port: Number(port) });
    socket.setEncoding('utf8').on('error', reject);
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('close', () => resolve(text));
    const lines = [
      `${method} ${path} HTTP/${version}`,
      `Host: ${host}`,
      `Origin: ${origin}`,
      'Connection: close',
      header,
    ];
    if (method === 'POST') lines.push('Content-Type: application/json', 'Content-Length: 0');
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  });
}

describe.each(DOORS)('%s %s', (method, path, granted) => {
  it('is open to a browser on this machine', async () => {
    expect(await ask(method, path, '1.1')).toMatch(granted);
  });

  it.each(['1.0', '0.9', '2.0'])(
    'is closed behind a proxy that sends no header but speaks HTTP/%s',
    async (version) => {
      expect(await ask(method, path, version)).not.toMatch(granted);
    },
  );

  it.each(HEADERS)('is closed behind a proxy that sends %s', async (header) => {
    expect(await ask(method, path, '1.1', `${header}: 203.0.113.7`)).not.toMatch(granted);
  });
});
