/** The operator's commands for owners and security events, and how commands check the mode of a database. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runHere } from '../support/commands.js';
import { expectOneLine, migratedDataDir, run } from '../support/process.js';
import { ServerHere } from '../support/server-here.js';

const PRODUCTION = ['--mode', 'production', '--processor', 'simulator'];
const EMAIL = 'owner@example.com';

let server: ServerHere;
let merchantId: string;

interface Made {
  readonly merchant_id: string;
  readonly dashboard: { readonly email: string; readonly password: string };
}

/** What reads its input is a process of its own. */
const command = (args: readonly string[], input?: string) => {
  const all = [...args, '--data-dir', server.dataDir];
  return input === undefined ? runHere(all) : run(all, { input });
};

async function succeed(args: readonly string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await command(args, input);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

async function refuse(args: readonly string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await command(args, input);
  expect([code, stdout]).toEqual([2, '']);
  expectOneLine(stderr);
  return stderr;
}

const signIn = (password: string) =>
  server.call('POST', '/api/dashboard/session', { body: { email: EMAIL, password } }).then(({ status }) => status);

beforeAll(async () => {
  server = await ServerHere.start({ dataDir: await migratedDataDir(), args: PRODUCTION });
  const made: Made = JSON.parse(await succeed(['merchant', 'create', '--name', 'Real', '--owner-email', EMAIL]));
  merchantId = made.merchant_id;
});
afterAll(() => server.stop());

describe('tillhouse owner reset-password', () => {
  it('prints a new password, ends every session and unlocks a locked owner', async () => {
    const first: Made = JSON.parse(await succeed(['owner', 'reset-password', EMAIL]));
    expect(first).toEqual({ merchant_id: merchantId, dashboard: { email: EMAIL, password: expect.any(String) } });
    const signedIn = await server.call('POST', '/api/dashboard/session', { body: first.dashboard });
    const cookie = String(signedIn.headers['set-cookie']).split(';', 1)[0] ?? '';
    const show = async () => (await server.call('GET', '/api/dashboard/session', { headers: { cookie } })).status;
    expect(await show()).toBe(200);
    for (let guess = 0; guess < 5; guess++) expect(await signIn('a wrong guess')).toBe(401);
    expect(await signIn(first.dashboard.password)).toBe(429);
    const second: Made = JSON.parse(await succeed(['owner', 'reset-password', EMAIL]));
    expect(await signIn(second.dashboard.password)).toBe(200);
    await expect.poll(show, { timeout: 10_000 }).toBe(401);
    expect(await signIn(first.dashboard.password)).toBe(401);
  });

  it('reads a password from standard input, and does not print it', async () => {
    const password = 'read from standard input';
    const stdout = await succeed(['owner', 'reset-password', EMAIL, '--password-stdin'], `${password}\n`);
    expect(stdout).not.toContain(password);
    expect(await signIn(password)).toBe(200);
  });

  it('refuses an unknown owner, a password that is too short, and wrong options', async () => {
    expect(await refuse(['owner', 'reset-password', 'nobody@example.com'])).toContain('nobody@example.com');
    expect(await refuse(['owner', 'reset-password', EMAIL, '--password-stdin'], 'short\n')).toContain('12');
    expect(await refuse(['owner', 'reset-password'])).toContain('EMAIL');
    expect(await refuse(['owner', 'destroy'])).toContain('reset-password');
  });
});

describe('tillhouse audit', () => {
  it('shows the security events of all merchants or of one, as text or JSON', async () => {
    await signIn('a wrong guess');
    const lines = (await succeed(['audit', '--limit', '1000'])).trimEnd().split('\n');
    const kinds = lines.map((line) => line.split('  ')[1]);
    expect(kinds).toEqual(expect.arrayContaining(['MODE_RECORDED', 'TOKEN_CREATED', 'PASSWORD_RESET']));
    expect(kinds).toEqual(expect.arrayContaining(['OWNER_SIGNED_IN', 'OWNER_SIGN_IN_FAILED']));
    const own = JSON.parse(
      await succeed(['audit', '--merchant', merchantId, '--kind', 'PASSWORD_RESET', '-o', 'json']),
    );
    expect(own.length).toBeGreaterThan(0);
    for (const event of own) {
      expect(event).toMatchObject({ merchant_id: merchantId, kind: 'PASSWORD_RESET', account_id: expect.any(String) });
    }
    expect(await refuse(['audit', '--kind', 'NONSENSE'])).toContain('OWNER_SIGNED_IN');
    expect(await refuse(['audit', '--limit', '0'])).toContain('--limit');
  });
});

describe('a production database', () => {
  it('is refused by seed, gives applications production ids, and is not opened by a sandbox', async () => {
    expect(await refuse(['seed', '--days', '1'])).toContain('production');
    const flags = ['app', 'create', '--name', 'App', '--redirect-urls', 'https://app.example/'];
    expect(JSON.parse(await succeed(flags)).application_id).toMatch(/^sq0idp-[\w-]{22}$/);
    expect(await refuse([...flags, '--mode', 'sandbox'])).toContain('belongs to a production server');
    await server.stop();
    const { code, stderr } = await runHere(['serve', '--port', '0', '--data-dir', server.dataDir]);
    expect(code).toBe(2);
    expectOneLine(stderr);
    expect(stderr).toContain('--change-mode');
    server = await ServerHere.start({ dataDir: server.dataDir, args: PRODUCTION });
    expect(await signIn('a wrong guess')).toBe(401);
  });
});
