/** `tillhouse clock`, `fault`, `merchant snapshot|reset`, `trigger` and `events`: the commands for the sandbox surface. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DemoFile } from '../../src/demo/demo-file.js';
import { connectTillhouse, type Tillhouse, type WebhookInbox, type WebhookType } from '../../src/testing/index.js';
import { runHere } from '../support/commands.js';
import { isLong } from '../support/long.js';
import { PATIENT } from '../support/patient.js';
import {
  expectOneLine,
  migratedDataDir,
  newDataDir,
  newFolder,
  run,
  Server,
  until,
  usedDataDir,
} from '../support/process.js';
import { ServerHere } from '../support/server-here.js';

let server: Server;
let demo: DemoFile;
/** The test kit, which receives the webhooks that the commands cause. */
let kit: Tillhouse;

beforeAll(async () => {
  server = await Server.start({ dataDir: await usedDataDir(), args: ['--log-level', 'info'] });
  demo = await server.demo();
  kit = connectTillhouse({ url: server.baseUrl, operatorKey: demo.operator_key });
});
afterAll(async () => {
  await kit.stop();
  await server.stop();
});

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

const me = () => server.call('GET', '/v1/me', { token: demo.access_token });

describe('tillhouse clock', () => {
  it("shows and moves the demo merchant's clock, freezes it and lets it run", async () => {
    expect(Math.abs(Date.parse(await succeed('clock', 'get')) - Date.now())).toBeLessThan(60_000);
    const frozen = await succeed('clock', 'freeze');
    expect(frozen).toMatch(/^\S+Z frozen$/);
    expect(await succeed('clock', 'get')).toBe(frozen);
    expect(JSON.parse(await succeed('clock', 'get', '-o', 'json'))).toMatchObject({ frozen: true });
    const later = (days: number) =>
      new Date(Date.parse(frozen.replace(' frozen', '')) + days * 86_400_000).toISOString();
    expect(await succeed('clock', 'advance', 'P61D')).toBe(`${later(61)} frozen`);
    expect(await succeed('clock', 'set', later(62))).toBe(`${later(62)} frozen`);
    expect(await succeed('clock', 'run')).toMatch(new RegExp(`^${later(62).slice(0, 10)}\\S+Z$`));
  });

  it.each([
    [['clock'], 'get, set, advance, freeze, run'],
    [['clock', 'advance'], 'P61D'],
    [['clock', 'advance', 'soon'], 'DURATION must be an ISO 8601 duration such as P61D'],
    [['clock', 'set', 'soon'], 'TIME must be a time'],
    [
      ['clock', 'get', '--merchent', 'M1'],
      'Unknown flag --merchent. Did you mean --merchant? Known flags: --merchant, --output, --data-dir',
    ],
    [['clock', 'get', '--merchant', '--output'], '--merchant requires a value'],
    [['clock', 'get', '--merchant', 'MNOBODY'], 'MNOBODY'],
    [['clock', 'freeze', 'now'], "'now'"],
  ])('%j is refused in one line', async (args, hint) => {
    expect(await refuse(...args)).toContain(hint);
  });
});

describe('tillhouse merchant snapshot and reset', () => {
  it('keep the records of a merchant with its clock, and put them back', async () => {
    const { id, accessToken: token } = await kit.createMerchant({ now: '2020-02-26T10:00:00Z', frozen: true });
    expect(await refuse('merchant', 'reset', id)).toContain('The merchant has no snapshot');
    expect(await succeed('merchant', 'snapshot', id)).toMatch(
      /^Kept \d+ records, with the clock at 2020-02-26T10:00:00.000Z\.$/,
    );
    await succeed('clock', 'advance', 'P61D', '--merchant', id);
    expect(await succeed('merchant', 'reset', id)).toMatch(/^Back at the snapshot of \S+: .* at 2020-02-26T10:00:00/);
    const answer = JSON.parse(await succeed('merchant', 'reset', id, '-o', 'json'));
    expect(answer).toMatchObject({ clock: { frozen: true }, snapshot: { now: '2020-02-26T10:00:00.000Z' } });
    expect((await server.call('GET', '/v1/me', { token })).status).toBe(200);
    expect(await refuse('merchant', 'snapshot')).toContain('The merchant id is missing');
    expect(await refuse('merchant', 'snapshot', 'MNOBODY')).toContain('MNOBODY');
  });
});

describe('tillhouse merchant export and import', () => {
  it('print a merchant as a file, and create the same one from it', async () => {
    const { id, locationId } = await kit.createMerchant({ now: '2020-02-26T10:00:00Z', frozen: true });
    const printed = await succeed('merchant', 'export', id);
    const file = join(await newFolder(), 'merchant.json');
    await writeFile(file, printed);
    const created = JSON.parse(await succeed('merchant', 'import', file));
    expect(created).toMatchObject({ merchant_id: expect.not.stringContaining(id), location_ids: [locationId] });
    expect((await server.call('GET', '/v1/me', { token: created.access_token })).status).toBe(200);
    expect(await succeed('merchant', 'export', created.merchant_id)).toBe(printed);
    await writeFile(file, printed.replace('"frozen": true', '"frozen": 1'));
    expect(await refuse('merchant', 'import', file)).toContain('file.clock.frozen must be true or false');
    await writeFile(file, '{');
    expect(await refuse('merchant', 'import', file)).toContain('is not JSON');
    expect(await refuse('merchant', 'import', `${file}.none`)).toContain('cannot be read (ENOENT)');
    expect(await refuse('merchant', 'export', 'MNOBODY')).toContain('MNOBODY');
  });
});

describe('tillhouse stub', () => {
  it('adds stubs by flags and from files, lists, removes and resets them', async () => {
    const flags = ['--method', 'get', '--path', '/x/{id}', '--body', '{"id": "{{request.path.id}}"}', '--times', '2'];
    const added = await succeed('stub', 'add', ...flags);
    const [id = ''] = added.split(' ');
    expect(added).toBe(`${id}  GET /x/{id}  200  all merchants  used 0 of 2`);
    expect((await server.call('GET', '/x/1')).body).toEqual({ id: '1' });
    const file = join(await newFolder(), 'stubs.json');
    await writeFile(file, JSON.stringify([{ name: 'one', request: { path: '/y' }, responses: [{ status: 503 }, {}] }]));
    const second = await succeed('stub', 'add', '--file', file, '--merchant', demo.merchant_id);
    expect(second).toMatch(new RegExp(`^\\S+  any method /y  503, 200  ${demo.merchant_id}  used 0  one$`));
    expect(await succeed('stub', 'list')).toBe(`${second}\n${added.replace('used 0', 'used 1')}`);
    const listed = JSON.parse(await succeed('stub', 'list', '-o', 'json', '--merchant', demo.merchant_id));
    expect(listed).toMatchObject([{ name: 'one', used: 0 }]);
    expect(await succeed('stub', 'remove', id)).toBe('Removed.');
    expect(await succeed('stub', 'reset')).toBe('Reset.');
    expect(await succeed('stub', 'list')).toBe('');
    await writeFile(file, JSON.stringify({ request: { path: 'y' }, response: {} }));
    expect(await refuse('stub', 'add', '--file', file)).toContain('stubs.json: request.path must begin with a slash.');
  });

  it.each([
    [['stub', 'add'], '--file with the stub is required, or --path.'],
    [['stub', 'add', '--path', '/a', '--status', 'x'], 'response.status must be a whole number'],
    [['stub', 'add', '--file', '/none.json'], '/none.json cannot be read'],
    [['stub', 'remove'], 'The stub id is missing'],
    [['stub', 'remove', 'NONE'], 'NONE'],
  ])('%j is refused in one line', async (args, hint) => {
    expect(await refuse(...args)).toContain(hint);
  });
});

describe('tillhouse fault', () => {
  it('adds faults that are injected into requests, lists and clears them, and the log records each', async () => {
    const added = await succeed(
      ...['fault', 'add', '--effect', 'STATUS', '--status', '429', '--retry-after', '7'],
      ...['--operation', 'v1.retrieveBusiness', '--merchant', demo.merchant_id, '--times', '2'],
    );
    const [id = ''] = added.split(' ');
    const details = 'STATUS status=429 retry_after_seconds=7';
    expect(added).toBe(`${id}  ${details}  v1.retrieveBusiness  ${demo.merchant_id}  2 left`);
    const answer = await me();
    expect([answer.status, answer.headers['retry-after'], answer.headers['tillhouse-fault']]).toEqual([
      429,
      '7',
      `${id} STATUS`,
    ]);
    const isLogged = () =>
      server.program.stderr
        .split('\n')
        .some((line) => line.includes(`"fault":"${id}"`) && line.includes('"level":30') && line.includes('STATUS'));
    await until(isLogged);
    const second = await succeed('fault', 'add', '--effect', 'DELAY', '--delay', '1-3');
    expect(second).toMatch(/ {2}DELAY min_delay_ms=1 max_delay_ms=3 {2}any operation {2}all merchants {2}1 left$/);
    expect(await succeed('fault', 'list')).toBe(`${added.replace('2 left', '1 left')}\n${second}`);
    const listed = JSON.parse(await succeed('fault', 'list', '-o', 'json', '--merchant', demo.merchant_id));
    expect(listed).toMatchObject([{ id, effect: 'STATUS', status: 429, remaining: 1 }]);
    expect(await succeed('fault', 'clear', '--merchant', demo.merchant_id)).toBe('Cleared.');
    expect(await succeed('fault', 'list')).toBe(second);
    await succeed('fault', 'clear');
    expect(await succeed('fault', 'list')).toBe('');
    expect((await me()).status).toBe(200);
  });

  it('delays or duplicates webhooks, and the log records each', async () => {
    const late = ['--effect', 'WEBHOOK_LATE', '--delay', '3600000', '--event', 'refund.created', '--times', '2'];
    expect(await succeed('fault', 'add', ...late)).toMatch(
      / {2}WEBHOOK_LATE delay_ms=3600000 {2}refund.created {2}all merchants {2}2 left$/,
    );
    const merchant = await kit.createMerchant();
    const inbox = await merchant.catchWebhooks();
    const twice = await succeed('fault', 'add', '--effect', 'WEBHOOK_TWICE', '--merchant', merchant.id);
    expect(twice).toMatch(new RegExp(`WEBHOOK_TWICE {2}any event {2}${merchant.id} {2}1 left$`));
    await succeed('trigger', 'payment.created', '--merchant', merchant.id);
    expect((await inbox.next(undefined, PATIENT)).body).toBe((await inbox.next(undefined, PATIENT)).body);
    const [id] = twice.split(' ');
    await until(() => server.program.stderr.includes(`"event_type":"payment.created","fault":"${id}"`));
    await succeed('fault', 'clear');
  });

  it('breaks connections, which only the log shows', async () => {
    const [id = ''] = (await succeed('fault', 'add', '--effect', 'RESET_BEFORE')).split(' ');
    await expect(me()).rejects.toMatchObject({ code: 'ECONNRESET' });
    await until(() => server.program.stderr.includes(`"fault":"${id}","effect":"RESET_BEFORE"`));
    expect(server.program.stderr).not.toContain('"level":50');
  });

  it.each([
    [['fault', 'add'], '--effect'],
    [['fault', 'add', '--effect', 'STATUS'], '--status, such as 503'],
    [['fault', 'add', '--effect', 'SLOW'], '--effect must be one of DELAY'],
    [['fault', 'add', '--effect', 'DELAY'], 'DELAY needs --delay'],
    [['fault', 'add', '--effect', 'WEBHOOK_TWICE', '--event', 'x'], '--event must be one of payment.created'],
    [['fault', 'add', '--effect', 'RESET_BEFORE', '--times', '0'], '--times must be'],
    [['fault', 'add', '--effect', 'STATUS', '--status', 'x'], '--status'],
    [['fault', 'add', '--effect', 'DELAY', '--delay', '1-x'], '--delay'],
    [['fault', 'add', '--effect', 'RESET_AFTER', '--operation', 'v2.pay'], 'v2.createPayment'],
    [['fault', 'break'], 'add, list, clear'],
  ])('%j is refused in one line', async (args, hint) => {
    expect(await refuse(...args)).toContain(hint);
    expect(await succeed('fault', 'list')).toBe('');
  });
});

describe('tillhouse trigger', () => {
  const catchEvents = async (types?: readonly WebhookType[]): Promise<{ id: string; inbox: WebhookInbox }> => {
    const merchant = await kit.createMerchant({ frozen: true }); // also completes refunds on a frozen clock
    return { id: merchant.id, inbox: await merchant.catchWebhooks({ ...(types && { types }) }) };
  };

  it.each([
    ['payment.created', ['payment_id'], { status: 'COMPLETED' }],
    ['payment.updated', ['payment_id'], { status: 'COMPLETED' }],
    ['refund.created', ['payment_id', 'refund_id'], { status: 'PENDING' }],
    ['refund.updated', ['payment_id', 'refund_id'], { status: 'COMPLETED' }],
  ] as const)('%s causes the real event, and prints the created records', async (kind, names, object) => {
    const { id, inbox } = await catchEvents();
    const printed = JSON.parse(await succeed('trigger', kind, '--merchant', id, '-o', 'json'));
    const { event } = await inbox.next(kind, PATIENT);
    expect(printed).toEqual({
      event_type: kind,
      merchant_id: id,
      made: Object.fromEntries(names.map((name) => [name, expect.any(String)])),
      event_ids: [event.event_id],
    });
    expect(event.data.id).toBe(printed.made[names.at(-1) ?? '']);
    expect(Object.values(event.data.object)).toEqual([expect.objectContaining(object)]);
  });

  it.each([
    ['PAYMENT_UPDATED', 'payment_id'],
    ['TIMECARD_UPDATED', 'timecard_id'],
  ] as const)('%s is published as a v1 event', async (kind, name) => {
    const { id, inbox } = await catchEvents([kind]);
    const lines = (await succeed('trigger', kind, '--merchant', id)).split('\n');
    const { event } = await inbox.next(kind, PATIENT);
    expect(lines[0]).toBe(`${name}  ${event.entity_id}`);
    expect(lines.at(-1)).toMatch(/^Sent to 1 subscription: event \S+$/);
  });

  it('oauth.authorization.revoked revokes the authorization of an application, which is notified', async () => {
    const { id, inbox } = await catchEvents();
    const kind = 'oauth.authorization.revoked';
    const args = ['trigger', kind, '--merchant', id, '--application', inbox.applicationId, '-o', 'json'];
    const { made, event_ids } = JSON.parse(await succeed(...args));
    expect(made).toEqual({ application_id: inbox.applicationId });
    expect((await inbox.next(kind, PATIENT)).event.event_id).toBe(event_ids[0]);
  });

  it('applies to the merchant of a token, or to the demo, and reports when there is no subscription', async () => {
    const { accessToken, id } = await kit.createMerchant();
    const printed = JSON.parse(await succeed('trigger', 'payment.created', '--token', accessToken, '-o', 'json'));
    expect(printed).toMatchObject({ merchant_id: id, event_ids: [] });
    const [payment, note] = (await succeed('trigger', 'payment.created')).split('\n');
    const path = `/v2/payments/${payment?.split('  ')[1]}`;
    expect((await server.call('GET', path, { token: demo.access_token })).status).toBe(200);
    expect(note).toContain('tillhouse listen');
  });

  it.each([
    [['trigger'], 'payment.created, payment.updated'],
    [['trigger', 'payment.lost'], "TIMECARD_UPDATED, not 'payment.lost'"],
    [['trigger', 'INVENTORY_UPDATED'], 'there is no inventory'],
    [['trigger', 'payment.created', '--token', 'nobody'], 'access token'],
    [['trigger', 'payment.created', '--merchant', 'MNOBODY'], 'MNOBODY'],
    [['events', 'resend'], 'EVENT_ID'],
    [['events', 'resend', 'nonsense'], 'nonsense'],
    [['events', 'list', '--limit', 'x'], 'limit'],
  ])('%j is refused in one line', async (args, hint) => {
    expect(await refuse(...args)).toContain(hint);
  });
});

describe('tillhouse events', () => {
  it('lists the published events, and delivers them again', async () => {
    const merchant = await kit.createMerchant();
    const inbox = await merchant.catchWebhooks({ types: ['payment.created'] });
    await succeed('trigger', 'payment.created', '--merchant', merchant.id);
    const { event, body } = await inbox.next('payment.created', PATIENT);
    const list = () => succeed('events', 'list', '--merchant', merchant.id, '--state', 'DELIVERED');
    await until(async () => (await list()) !== '');
    expect(await list()).toMatch(
      new RegExp(`Z {2}payment.created +${event.event_id} {2}${event.data.id} {2}DELIVERED after \\d+ attempts?$`),
    );
    const resend = ['events', 'resend', event.event_id, '--merchant', merchant.id];
    expect(await succeed(...resend)).toBe('Sending again to 1 subscription.');
    expect((await inbox.next(undefined, PATIENT)).body).toBe(body);
    expect(JSON.parse(await succeed(...resend, '-o', 'json'))).toEqual({ event_id: event.event_id, deliveries: 1 });
    await inbox.next(undefined, PATIENT);
    const [listed] = JSON.parse(await succeed('events', 'list', '--merchant', merchant.id, '-o', 'json'));
    expect(listed).toMatchObject({ event_type: 'payment.created', event_id: event.event_id, entity_id: event.data.id });
  });
});

describe('a command as a process', () => {
  /** A text, JSON, and a refusal. */
  const KINDS = [
    [['clock', 'freeze'], 0],
    [['fault', 'list', '-o', 'json'], 0],
    [['trigger', 'payment.created', '--merchant', 'MNOBODY'], 2],
  ] as const;
  const MORE = [
    [['events', 'list', '--limit', '1'], 0],
    [['fault', 'add'], 2],
  ] as const;

  it.each([...KINDS, ...(isLong ? MORE : [])])('prints the same and has the same exit code: %j', async (args, code) => {
    const command = [...args, '--data-dir', server.dataDir];
    const here = await runHere(command);
    expect(here.code).toBe(code);
    expect(await run(command)).toEqual(here);
  });
});

describe('without a server', () => {
  it.each([
    ['clock', 'get'],
    ['fault', 'list'],
    ['trigger', 'payment.created'],
  ])('%s %s reports it, and how to start one', async (...args) => {
    const { code, stderr } = await runHere([...args, '--data-dir', await newDataDir()]);
    expect(code).toBe(2);
    expectOneLine(stderr);
    expect(stderr).toContain('npm start');
  });
});

describe('a sandbox without the demo', () => {
  it('is reached with the key in its data folder, and needs a merchant', async () => {
    const bare = await ServerHere.start({ dataDir: await migratedDataDir(), args: ['--demo', 'off'] });
    const listed = await runHere(['fault', 'list', '--data-dir', bare.dataDir]);
    expect(listed).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const clock = await runHere(['clock', 'get', '--data-dir', bare.dataDir]);
    expect(clock.stderr).toContain('--merchant');
    await bare.stop();
  });
});

describe('production', () => {
  it('has neither, and the commands explain why', async () => {
    const args = ['--mode', 'production', '--processor', 'simulator'];
    const production = await ServerHere.start({ dataDir: await migratedDataDir(), args });
    for (const command of [
      ['clock', 'get'],
      ['fault', 'list'],
    ]) {
      const { code, stderr } = await runHere([...command, '--data-dir', production.dataDir]);
      expect(code).toBe(2);
      expectOneLine(stderr);
      expect(stderr).toContain('production');
    }
    await production.stop();
  });
});
