/** `tillhouse logs`, `events show`, `merchant list|show`, `app list` and `token list`: what the console shows, on the command line. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DemoFile } from '../../src/demo/demo-file.js';
import { runHere } from '../support/commands.js';
import { expectOneLine, Program, until } from '../support/process.js';
import { ServerHere } from '../support/server-here.js';

let server: ServerHere;
let demo: DemoFile;

beforeAll(async () => {
  server = await ServerHere.start();
  demo = await server.demo();
});
afterAll(() => server.stop());

async function succeed(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runHere([...args, '--data-dir', server.dataDir]);
  expect({ code, stderr }, args.join(' ')).toEqual({ code: 0, stderr: '' });
  return stdout.trimEnd();
}

async function refuse(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runHere([...args, '--data-dir', server.dataDir]);
  expect({ code, stdout }, args.join(' ')).toEqual({ code: 2, stdout: '' });
  expectOneLine(stderr);
  return stderr;
}

const send = (path: string) => server.call('GET', path, { token: demo.access_token });

describe('tillhouse logs', () => {
  it('prints recorded requests, the newest last, as text and JSON, and filters them', async () => {
    await send('/v2/locations');
    await send('/v2/payments/none-such');
    const [first = '', second = ''] = (await succeed('logs')).split('\n').slice(-2);
    expect(first).toMatch(/^\S+Z {2}200 {2}v2\.listLocations +GET \/v2\/locations {2}[\d.]+ ms {2}M/);
    expect(second).toContain('NOT_FOUND: There is no payment');
    expect(second).not.toContain(demo.access_token);
    const found = JSON.parse(await succeed('logs', '--status', '4xx', '--operation', 'v2.getPayment', '-o', 'json'));
    expect(found).toMatchObject([{ status: 404, operation: 'v2.getPayment', merchant_id: demo.merchant_id }]);
    expect(await succeed('logs', '--text', 'nothing-like-this')).toBe('');
    expect(await refuse('logs', '--status', 'ok')).toContain('--status');
  });

  it('prints bodies with --bodies, and always in JSON', async () => {
    const body = { source_id: 'cnon:card-nonce-ok', amount_money: { amount: 517, currency: 'USD' } };
    await server.call('POST', '/v2/payments', { token: demo.access_token, body });
    const text = await succeed('logs', '--limit', '1', '--bodies');
    expect(text.split('\n').slice(1)).toEqual(expect.arrayContaining(['  > {', '  >     "amount": 517,', '  < {']));
    expect(await succeed('logs', '--limit', '1')).not.toContain('"amount"');
    const [found] = JSON.parse(await succeed('logs', '--limit', '1', '-o', 'json'));
    expect([found.request_body, found.response_body.errors[0].field]).toEqual([body, 'idempotency_key']);
  });

  it('leaves out what commands and the console sent, except with --all', async () => {
    await send('/v2/payments/by-a-program');
    await server.call('GET', '/v2/payments/by-the-console', {
      token: demo.access_token,
      headers: { 'tillhouse-sent-by': 'console' },
    });
    const usual = await succeed('logs');
    expect([usual.includes('by-a-program'), usual.includes('by-the-console')]).toEqual([true, false]);
    expect(await succeed('logs', '--all', '--limit', '1')).toMatch(/by-the-console .*sent by console/);
  });

  it('follows: prints what comes', async () => {
    const program = await Program.start([
      'logs',
      '--follow',
      '-o',
      'json',
      '--text',
      'followed',
      '--data-dir',
      server.dataDir,
    ]);
    try {
      await send('/v2/payments/followed-1');
      await until(() => program.stdout.includes('followed-1'));
      await send('/v2/payments/followed-2');
      await until(() => program.stdout.includes('followed-2'));
      const lines = program.stdout.trimEnd().split('\n');
      expect(lines.map((line) => JSON.parse(line).path)).toEqual([
        '/v2/payments/followed-1',
        '/v2/payments/followed-2',
      ]);
    } finally {
      program.signal('SIGTERM');
      await program.exited;
    }
  });
});

describe('tillhouse events show', () => {
  it('shows an event with its body and every attempt', async () => {
    const sandbox = (path: string, body: unknown) =>
      server.call('POST', `/api/sandbox/merchants/${demo.merchant_id}/${path}`, { token: demo.operator_key, body });
    await sandbox('receiver', {});
    await succeed('trigger', 'payment.created');
    const listed = async () => JSON.parse(await succeed('events', 'list', '-o', 'json'));
    await until(async () => (await listed())[0]?.state === 'DELIVERED');
    const [{ event_id, entity_id }] = await listed();
    const shown = await succeed('events', 'show', event_id);
    expect(shown).toContain(`${event_id}  about ${entity_id}`);
    expect(shown).toMatch(/1\. \S+Z {2}200 in \d+ ms/);
    const [{ delivery, attempts }] = JSON.parse(await succeed('events', 'show', event_id, '-o', 'json'));
    expect([delivery.event_id, attempts[0].status_code]).toEqual([event_id, 200]);
    expect(await refuse('events', 'show')).toContain('EVENT_ID');
    expect(await refuse('events', 'show', 'nothing')).toContain('There is no event nothing');
  });
});

describe('the lists', () => {
  it('show merchants', async () => {
    expect(await succeed('merchant', 'list')).toContain(demo.merchant_id);
    const [first] = JSON.parse(await succeed('merchant', 'list', '--name', 'juniper', '-o', 'json'));
    expect(first).toMatchObject({ merchant_id: demo.merchant_id, is_demo: true, currency: 'USD' });
    const shown = JSON.parse(await succeed('merchant', 'show', demo.merchant_id, '-o', 'json'));
    expect(shown.locations.length).toBeGreaterThan(0);
    expect(await succeed('merchant', 'show', demo.merchant_id)).toContain(shown.locations[0].location_id);
    expect(await refuse('merchant', 'show', 'MNOBODY')).toContain('MNOBODY');
    expect(await refuse('merchant', 'show')).toContain('MERCHANT_ID');
  });

  it('show applications', async () => {
    const created = JSON.parse(
      await succeed('app', 'create', '--name', 'Books', '--redirect-urls', 'http://localhost/'),
    );
    expect(await succeed('app', 'list')).toContain(`${created.application_id}  `);
    expect(JSON.parse(await succeed('app', 'list', '-o', 'json'))[0]).toMatchObject({ name: 'Books' });
  });

  it('show tokens with expiry and permissions', async () => {
    await succeed('token', 'create', '--permissions', 'PAYMENTS_READ', '--expires-in', 'P30D', '--label', 'books');
    const line = (await succeed('token', 'list')).split('\n').find((each) => each.includes('books')) ?? '';
    expect(line).toMatch(/^[0-9a-f]{16} {2}valid {4}\S+Z {2}expires \S+Z {2}PAYMENTS_READ {2}books$/);
    const listed = JSON.parse(await succeed('token', 'list', '-o', 'json'));
    expect(listed.at(-1)).toMatchObject({ label: 'books', state: 'valid', permissions: ['PAYMENTS_READ'] });
  });
});
