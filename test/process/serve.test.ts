/** `tillhouse serve` as a process: what it prints, what it writes, and what stays the same from start to start. */
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DemoFile } from '../../src/demo/demo-file.js';
import { operations } from '../../src/operations.js';
import { type ApiResponse, callApi } from '../support/http.js';
import { listeningAddresses } from '../support/ports.js';
import {
  copyAll,
  migratedDataDir,
  newDataDir,
  newFolder,
  Program,
  type RunningServer,
  Server,
} from '../support/process.js';
import { ServerHere } from '../support/server-here.js';

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

async function signIn(
  server: RunningServer,
  dashboard: DemoFile['dashboard'],
): Promise<{ status: number; cookie: string }> {
  const { status, headers } = await server.call('POST', '/api/dashboard/session', { body: dashboard });
  return { status, cookie: String(headers['set-cookie']).split(';', 1)[0] ?? '' };
}

/** The port is different after each start here, and the cookie is named after it. */
async function sessionStatus(server: RunningServer, cookie: string): Promise<number> {
  const renamed = cookie.replace(/_\d+=/, `_${new URL(server.baseUrl).port}=`);
  return (await server.call('GET', '/api/dashboard/session', { headers: { cookie: renamed } })).status;
}

async function statusWith(server: RunningServer, token: string, path: string): Promise<number> {
  return (await server.call('GET', path, { token })).status;
}

let first: Server;
let folder: string;
let left: Promise<Left> | undefined;

interface Left {
  readonly dataDir: string;
  readonly demo: DemoFile;
  readonly cookie: string;
  readonly employee: { readonly id: string };
}

beforeAll(async () => {
  folder = await newFolder();
  const program = await Program.start(['serve', '--port', '0'], { cwd: folder });
  first = await Server.ready(program, join(folder, '.tillhouse'));
});
afterAll(() => leaveFirst());

/** Stops the first start, so that the next ones find its data. */
function leaveFirst(): Promise<Left> {
  left ??= endFirst();
  return left;
}

async function endFirst(): Promise<Left> {
  const demo = await first.demo();
  const { cookie } = await signIn(first, demo.dashboard);
  const body = { first_name: 'Kept', last_name: 'On' };
  const made = await first.call('POST', '/v1/me/employees', { token: demo.access_token, body });
  await first.stop();
  expect(first.program.stderr).toBe(''); // a sandbox does not log requests, successful or not
  return { dataDir: first.dataDir, demo, cookie, employee: made.body };
}

async function copyOfLeft(): Promise<Left> {
  const [original, dataDir] = [await leaveFirst(), await newDataDir()];
  await copyAll(original.dataDir, dataDir);
  return { ...original, dataDir };
}

describe('a first start with no flag but the port', () => {
  it('prints in its first two lines its URL and the token of the demo business', async () => {
    const { access_token } = await first.demo();
    const [line, nextLine] = first.program.stdout.split('\n');
    expect(line).toBe(`Tillhouse is ready at ${first.baseUrl}   (docs at /docs)`);
    expect(nextLine).toBe(`Demo merchant: Juniper & Rye, 2 locations. Access token: ${access_token}`);
    expect(first.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  it('prints where the secrets and the data are, what is insecure, and a call to try', async () => {
    const { stdout } = first.program;
    expect(stdout).toContain(`${first.dataDir}/demo.json`);
    expect(stdout).toContain(`Data: ${first.dataDir}\n`);
    expect(stdout).toContain('--mode production');
    const [, header = '', url = ''] = /^Try: curl -H "([^"]+)" (\S+)$/m.exec(stdout) ?? [];
    const answer = await fetch(url, { headers: [header.split(': ') as [string, string]] });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toHaveProperty('employees');
  });

  it('keeps its data in .tillhouse of the working folder, closed to other users', async () => {
    expect(await readdir(folder)).toEqual(['.tillhouse']);
    expect(await modeOf(first.dataDir)).toBe('700');
    expect(await modeOf(join(first.dataDir, 'postgres-password'))).toBe('600');
  });

  it('writes demo.json, readable for its owner only, with all that a script needs', async () => {
    expect(await modeOf(join(first.dataDir, 'demo.json'))).toBe('600');
    const demo = await first.demo();
    expect(demo).toEqual({
      base_url: first.baseUrl,
      merchant_id: expect.any(String),
      location_ids: [expect.any(String), expect.any(String)],
      access_token: expect.stringMatching(/^EAAA/),
      operator_key: expect.any(String),
      dashboard: { email: expect.stringContaining('@'), password: expect.any(String) },
      publishable_key: expect.stringMatching(/^pub_/),
      register: {
        device_id: expect.any(String),
        device_token: expect.stringMatching(/^dev_/),
        employees: expect.arrayContaining([{ id: expect.any(String), name: 'Priya Raman', passcode: '3333' }]),
      },
    });
    const { body: me } = await first.call('GET', '/v2/merchants/me', { token: demo.access_token });
    expect(me.merchant).toMatchObject({ id: demo.merchant_id, business_name: 'Juniper & Rye' });
    const { body: places } = await first.call('GET', '/v2/locations', { token: demo.access_token });
    expect(places.locations.map(({ id }: { id: string }) => id)).toEqual(demo.location_ids);
  });

  it('accepts for each surface its own secret of demo.json', async () => {
    const { access_token, operator_key, merchant_id, dashboard } = await first.demo();
    const sandbox = `/api/sandbox/merchants/${merchant_id}`;
    expect(await statusWith(first, access_token, '/v2/employees')).toBe(200);
    expect(await statusWith(first, access_token, sandbox)).toBe(401);
    expect(await statusWith(first, operator_key, sandbox)).toBe(200);
    expect(await statusWith(first, operator_key, '/v2/employees')).toBe(401);
    const { status, cookie } = await signIn(first, dashboard);
    expect(status).toBe(200);
    const { body } = await first.call('GET', '/api/dashboard/session', { headers: { cookie } });
    expect(body).toEqual({ merchant_id, email: dashboard.email });
  });

  it('listens on loopback only, and rejects other Host headers', async () => {
    if (process.platform === 'linux') expect(await listeningAddresses(first.port)).toEqual(['0100007F']);
    expect(first.program.stdout).not.toContain('without TLS');
    const { status } = await first.call('GET', '/healthz', { headers: { host: 'rebound.example' } });
    expect(status).toBe(403);
  });

  it('is alive and ready', async () => {
    expect((await first.call('GET', '/healthz')).status).toBe(200);
    expect((await first.call('GET', '/readyz')).status).toBe(200);
  });
});

describe('the next start', () => {
  it('keeps every secret, session and record, and only rewrites the URL', async () => {
    const { dataDir, demo: before, cookie, employee } = await copyOfLeft();
    const server = await ServerHere.start({ dataDir });
    const demo = await server.demo();
    expect(demo).toEqual({ ...before, base_url: server.baseUrl });
    const kept = await server.call('GET', `/v1/me/employees/${employee.id}`, { token: demo.access_token });
    expect(kept.body).toEqual(employee);
    expect(await statusWith(server, demo.operator_key, `/api/sandbox/merchants/${demo.merchant_id}`)).toBe(200);
    expect(await sessionStatus(server, cookie)).toBe(200);
    expect((await signIn(server, demo.dashboard)).status).toBe(200);
    await server.stop();
  });

  it('creates new secrets if demo.json is missing, and rejects the old ones', async () => {
    const { dataDir, demo: old, cookie } = await copyOfLeft();
    await rm(join(dataDir, 'demo.json'));
    const server = await Server.start({ dataDir });
    const demo = await server.demo();
    expect(demo.merchant_id).toBe(old.merchant_id);
    expect(server.program.stdout).toContain(demo.access_token);
    expect(await statusWith(server, demo.access_token, '/v2/employees')).toBe(200);
    expect((await signIn(server, demo.dashboard)).status).toBe(200);

    const refused = await server.call('GET', '/v2/employees', { token: old.access_token });
    expect(refused.status).toBe(401);
    expect(refused.body.errors[0].code).toBe('ACCESS_TOKEN_REVOKED');
    expect(await statusWith(server, old.operator_key, `/api/sandbox/merchants/${old.merchant_id}`)).toBe(401);
    expect((await signIn(server, old.dashboard)).status).toBe(401);
    expect(await sessionStatus(server, cookie)).toBe(401);
    await server.stop();
  });

  it('creates new secrets if demo.json is damaged', async () => {
    const { dataDir, demo: old } = await copyOfLeft();
    await writeFile(join(dataDir, 'demo.json'), '{"access_token": "EAAA');
    const server = await ServerHere.start({ dataDir });
    expect(await statusWith(server, (await server.demo()).access_token, '/v2/employees')).toBe(200);
    expect(await statusWith(server, old.access_token, '/v2/employees')).toBe(401);
    await server.stop();
  });
});

describe('--demo off', () => {
  it('writes no demo.json, prints where the operator key is, and keeps it from start to start', async () => {
    const server = await Server.start({ dataDir: await migratedDataDir(), args: ['--demo', 'off'] });
    const { dataDir } = server;
    const path = join(dataDir, 'operator-key');
    expect(await readdir(dataDir)).not.toContain('demo.json');
    expect(server.program.stdout).toContain('No demo business.');
    expect(server.program.stdout).toContain(path);
    expect(await modeOf(path)).toBe('600');
    const token = (await readFile(path, 'utf8')).trim();
    expect((await server.call('POST', '/api/sandbox/merchants', { token })).status).toBe(200);
    await server.stop();

    // There is a merchant now, so a start without the flag does not create the demo.
    const next = await ServerHere.start({ dataDir });
    expect(await readdir(dataDir)).not.toContain('demo.json');
    expect((await readFile(path, 'utf8')).trim()).toBe(token);
    expect((await next.call('POST', '/api/sandbox/merchants', { token })).status).toBe(200);
    await next.stop();
  });
});

describe('TILLHOUSE_OPERATOR_KEY', () => {
  const env = { TILLHOUSE_OPERATOR_KEY: 'opk_7VxQ2mLp9RtZ4KcN8sWy' };

  it('is the operator key, with the demo and without', async () => {
    const { dataDir, demo } = await copyOfLeft();
    const { operator_key: generated, merchant_id } = demo;
    const withDemo = await ServerHere.start({ dataDir, env });
    expect((await withDemo.demo()).operator_key).toBe(env.TILLHOUSE_OPERATOR_KEY);
    expect(await statusWith(withDemo, env.TILLHOUSE_OPERATOR_KEY, `/api/sandbox/merchants/${merchant_id}`)).toBe(200);
    expect(await statusWith(withDemo, generated, `/api/sandbox/merchants/${merchant_id}`)).toBe(401);
    await withDemo.stop();

    const without = await Server.start({ dataDir, env, args: ['--demo', 'off'] });
    expect(await readdir(dataDir)).not.toContain('operator-key');
    expect(without.program.stdout).toContain('TILLHOUSE_OPERATOR_KEY');
    expect(without.program.stdout).not.toContain(env.TILLHOUSE_OPERATOR_KEY);
    expect(await statusWith(without, env.TILLHOUSE_OPERATOR_KEY, `/api/sandbox/merchants/${merchant_id}`)).toBe(200);
    await without.stop();
  });
});

describe('--mode production', () => {
  it('has no sandbox, no demo and no operator key, reports that no money moves, and logs each request', async () => {
    const args = ['--mode', 'production', '--processor', 'simulator'];
    const server = await Server.start({ dataDir: await migratedDataDir(), args });
    const { stdout } = server.program;
    expect(stdout).not.toMatch(/demo merchant/i);
    expect(stdout).toContain('no money moves');
    expect(stdout).toContain('tillhouse merchant create');
    const files = await readdir(server.dataDir);
    expect(files).not.toContain('demo.json');
    expect(files).not.toContain('operator-key');
    const answer = await server.call('POST', '/api/sandbox/merchants', { token: 'whatever', body: {} });
    expect(answer.status).toBe(404);
    const { body: description } = await server.call('GET', '/openapi.json');
    expect(Object.keys(description.paths).filter((path) => path.startsWith('/api/sandbox'))).toEqual([]);
    await server.stop();
    const lines = server.program.stderr.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ request_id: answer.headers['x-request-id'], status: 404 }),
    );
  });
});

describe('--retired gone and --public-url', () => {
  let server: ServerHere;
  let callWith: (method: string, path: string) => Promise<ApiResponse>;

  beforeAll(async () => {
    const flags = ['--retired', 'gone', '--public-url', 'https://pos.example/'];
    const { dataDir, demo } = await copyOfLeft();
    server = await ServerHere.start({ dataDir, args: flags });
    const { local_url } = await server.record();
    callWith = (method, path) => callApi(local_url, method, path, { token: demo.access_token });
  });
  afterAll(() => server.stop());

  it('return 410 for each of the ten deprecated operations and do not affect the others', async () => {
    const deprecated = operations.filter((operation) => operation.deprecated);
    expect(deprecated).toHaveLength(10);
    for (const { method, path, name } of deprecated) {
      const answer = await callWith(method, path.replaceAll(/\{\w+\}/g, 'x'));
      expect(answer.status, name).toBe(410);
      expect(answer.headers, name).toHaveProperty('sunset');
    }
    expect((await callWith('GET', '/v1/me/employees')).status).toBe(200);
  });

  it('show people, scripts and clients the public URL', async () => {
    expect(server.baseUrl).toBe('https://pos.example');
    expect((await server.demo()).base_url).toBe('https://pos.example');
    const { headers } = await callWith('GET', '/v1/me/employees?limit=1');
    expect(headers['link']).toMatch(
      /^<https:\/\/pos\.example\/v1\/me\/employees\?batch_token=[\w-]+&limit=1>;rel='next'$/,
    );
  });
});
