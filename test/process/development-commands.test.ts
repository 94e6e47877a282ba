/** `tillhouse get|post|put|delete`, `open`, `doctor`, `completion`, `trigger --set` and what wrong usage says: the tools of a developer. */
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { explainOldNode, OLDEST_NODE } from '../../src/base/oldest-node.js';
import type { DemoFile } from '../../src/demo/demo-file.js';
import { runHere } from '../support/commands.js';
import { expectOneLine, newFolder, run } from '../support/process.js';
import { ServerHere } from '../support/server-here.js';

let server: ServerHere;
let demo: DemoFile;

beforeAll(async () => {
  server = await ServerHere.start();
  demo = await server.demo();
});
afterAll(() => server.stop());

const here = (...args: string[]) => runHere([...args, '--data-dir', server.dataDir]);

async function succeed(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await here(...args);
  expect({ code, stderr }, args.join(' ')).toEqual({ code: 0, stderr: '' });
  return stdout.trimEnd();
}

async function refuse(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await here(...args);
  expect({ code, stdout }, args.join(' ')).toEqual({ code: 2, stdout: '' });
  expectOneLine(stderr);
  return stderr;
}

const sandbox = (method: string, path: string, body?: unknown) =>
  server.call(method, `/api/sandbox/${path}`, { token: demo.operator_key, body });

const PAYMENT = { source_id: 'cnon:card-nonce-ok', amount_money: { amount: 725, currency: 'USD' } };

describe('tillhouse get, post, put and delete', () => {
  it('send a request with the token of the demo merchant, of --merchant or of --token, and print the response', async () => {
    const { merchant, access_token } = (await sandbox('POST', 'merchants', { business_name: 'Other' })).body;
    const nameOf = async (...flags: string[]) =>
      JSON.parse(await succeed('get', '/v2/merchants/me', ...flags)).merchant.id;
    expect(await nameOf()).toBe(demo.merchant_id);
    expect(await nameOf('--merchant', merchant.id)).toBe(merchant.id);
    expect(await nameOf('--token', access_token)).toBe(merchant.id);
    const merchants = JSON.parse(await succeed('get', '/api/sandbox/merchants?text=Other'));
    expect(merchants.merchants).toMatchObject([{ id: merchant.id }]);
  });

  it('take a body from the command line or from a file', async () => {
    const file = join(await newFolder(), 'payment.json');
    await writeFile(file, JSON.stringify({ ...PAYMENT, idempotency_key: 'from a file' }));
    const given = JSON.stringify({ ...PAYMENT, idempotency_key: 'from a word' });
    for (const body of [`@${file}`, given]) {
      const { payment } = JSON.parse(await succeed('post', '/v2/payments', body));
      expect(payment).toMatchObject({ status: 'COMPLETED', amount_money: PAYMENT.amount_money });
    }
    const { role } = {
      role: JSON.parse(await succeed('post', '/v1/me/roles', '{"name": "Baker", "permissions": []}')),
    };
    const path = `/v1/me/roles/${role.id}`;
    expect(JSON.parse(await succeed('put', path, '{"name": "Chef"}'))).toMatchObject({ name: 'Chef' });
  });

  it('print a refused response too, say its status, and exit with 1', async () => {
    const { code, stdout, stderr } = await here('get', '/v2/payments/none', '-i');
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toMatch(/^404\n[\s\S]*content-type: application\/json\n[\s\S]*"NOT_FOUND"/);
    expect(await here('delete', '/v1/me/timecards/none')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('responded with 404'),
    });
  });

  it('use up no fault, and are no request of a program', async () => {
    await sandbox('POST', 'faults', { merchant_id: demo.merchant_id, effect: 'STATUS', status: 500 });
    await succeed('get', '/v2/locations?by=command');
    expect((await server.call('GET', '/v2/locations?by=program', { token: demo.access_token })).status).toBe(500);
    const lines = await succeed('logs');
    expect([lines.includes('by=command'), lines.includes('by=program')]).toEqual([false, true]);
  });

  it.each([
    [['get', 'v2/payments'], 'must begin with a slash'],
    [['get'], 'The path is missing: tillhouse get /v2/payments'],
    [['post', '/v2/payments', '{amount: 1}'], 'The body is not JSON'],
    [['post', '/v2/payments', '@/nowhere.json'], '@/nowhere.json cannot be read (ENOENT)'],
    [['post', '/v2/payments', '{"a":', '1}'], 'Put JSON in quotes'],
    [['get', '/v2/payments', 'extra'], "Unexpected argument 'extra'"],
  ])('%j is refused in one line', async (args, hint) => {
    expect(await refuse(...args)).toContain(hint);
  });
});

describe('tillhouse trigger', () => {
  it('puts values of --set into the request that causes the event', async () => {
    const set = ['--set', 'data.object.payment.amount_money.amount=500', '--set', 'payment.note=two words'];
    const { made } = JSON.parse(await succeed('trigger', 'refund.created', ...set, '-o', 'json'));
    const { payment } = (await server.call('GET', `/v2/payments/${made.payment_id}`, { token: demo.access_token }))
      .body;
    expect(payment).toMatchObject({
      amount_money: { amount: 500 },
      note: 'two words',
      refunded_money: { amount: 500 },
    });
  });

  it('causes the events of a file, one after the other', async () => {
    const file = join(await newFolder(), 'events.json');
    await writeFile(
      file,
      JSON.stringify([{ kind: 'payment.created', set: { 'payment.note': 'first' } }, { kind: 'refund.created' }]),
    );
    const all = JSON.parse(await succeed('trigger', `@${file}`, '-o', 'json'));
    expect(all).toMatchObject([{ event_type: 'payment.created' }, { event_type: 'refund.created' }]);
    expect(await succeed('trigger', `@${file}`)).toMatch(/^payment_id .*\n.*\npayment_id .*\nrefund_id /);
  });

  it('says how the event would be received', async () => {
    expect(await succeed('trigger', 'PAYMENT_UPDATED')).toContain(
      `run in another terminal: tillhouse listen --events PAYMENT_UPDATED --data-dir ${server.dataDir}`,
    );
    expect(await succeed('trigger', 'oauth.authorization.revoked')).toContain('name it with --application');
  });

  it.each([
    [['trigger', 'payment.created', '--set', 'payment.amont_money=1'], 'Did you mean amount_money'],
    [['trigger', 'payment.created', '--set', 'payment.status=FAILED'], 'a request for a payment has no status'],
    [['trigger', 'payment.created', '--set', 'refund.reason=x'], 'payment.created has no refund'],
    [['trigger', 'payment.created', '--set', 'note'], '--set must be PATH=VALUE'],
    [['trigger', 'payment.creatd'], 'Did you mean payment.created'],
    [['trigger', '@/nowhere.json'], 'cannot be read (ENOENT)'],
  ])('%j is refused in one line', async (args, hint) => {
    expect(await refuse(...args)).toContain(hint);
  });
});

describe('tillhouse open', () => {
  it('prints the address of the console or of another page', async () => {
    expect(await succeed('open')).toBe(`${server.baseUrl}/console`);
    expect(await succeed('open', 'docs', '--print')).toBe(`${server.baseUrl}/docs`);
    expect(await refuse('open', 'kitchen')).toContain('console, dashboard, register, docs, start');
  });
});

describe('tillhouse doctor', () => {
  it('finds nothing wrong beside a running server', async () => {
    const findings = JSON.parse(await succeed('doctor', '-o', 'json')) as {
      check: string;
      level: string;
      text: string;
    }[];
    expect(findings.map(({ check, level }) => [check, level])).toEqual(
      ['version', 'node', 'server', 'folder', 'disk', 'database', 'clock'].map((check) => [check, 'ok']),
    );
    expect(findings.find(({ check }) => check === 'server')?.text).toContain(server.baseUrl);
  });

  it('says before a first start what it will find, and changes nothing', async () => {
    const dataDir = join(await newFolder(), 'new');
    const { code, stdout } = await runHere(['doctor', '--port', `${server.port}`, '--data-dir', dataDir]);
    expect(code).toBe(1);
    expect(stdout).toMatch(new RegExp(`^problem  port +Port ${server.port} on 127.0.0.1 is in use`, 'm'));
    expect(stdout).toMatch(/^ok +database +there is none yet/m);
    await expect(access(dataDir)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('tillhouse completion', () => {
  it('completes commands, actions, flags and their values in bash', async () => {
    const { stdout: script } = await runHere(['completion', 'bash']);
    const complete = async (...words: string[]): Promise<string[]> => {
      const list = words.map((word) => `'${word}'`).join(' ');
      const shell = `${script}\nCOMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _tillhouse; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return (await run([], { command: ['bash', '-c', shell] })).stdout.trim().split('\n');
    };
    expect(await complete('tillhouse', 'tr')).toEqual(['trigger']);
    expect(await complete('tillhouse', 'clock', 'a')).toEqual(['advance']);
    expect(await complete('tillhouse', 'serve', '--mo')).toEqual(['--mode']);
    expect(await complete('tillhouse', 'serve', '--mode', '')).toEqual(['sandbox', 'production']);
    expect(await complete('tillhouse', 'serve', '--data-dir', '')).toEqual(['']); // files
  });

  it('prints the same for zsh and fish', async () => {
    for (const shell of ['zsh', 'fish']) {
      const { stdout } = await runHere(['completion', shell]);
      for (const word of ['trigger', 'advance', 'data-dir', 'production']) expect(stdout).toContain(word);
    }
  });
});

describe('wrong usage', () => {
  it.each([
    [['lisen'], "There is no command 'lisen'. Did you mean listen?"],
    [['clock', 'advanse', 'P1D'], 'Did you mean advance?'],
    [['logs', '--folow'], 'Did you mean --follow?'],
    [['listen', '--forward-to', 'ftp://here'], "must be an http or https address, not 'ftp://here'"],
  ])('%j is refused with what was probably meant', async (args, hint) => {
    expect(await refuse(...args)).toContain(hint);
  });

  it('of restore with a missing file says what to name', async () => {
    const dataDir = join(await newFolder(), 'new');
    const { code, stderr } = await runHere(['restore', '/nowhere.backup', '--data-dir', dataDir]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('There is no file /nowhere.backup. Name a backup')]);
  });
});

describe('a data folder', () => {
  it('is left out by git', async () => {
    expect(await readFile(join(server.dataDir, '.gitignore'), 'utf8')).toBe('*\n');
  });

  it('is not made if the port is in use, and the message is one line', async () => {
    const dataDir = join(await newFolder(), 'new');
    const { code, stderr } = await runHere(['serve', '--port', `${server.port}`, '--data-dir', dataDir]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`Port ${server.port} on 127.0.0.1 is in use`)]);
    expectOneLine(stderr);
    await expect(access(dataDir)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('with files of somebody else gets no file for git', async () => {
    const folder = await newFolder();
    await writeFile(join(folder, 'package.json'), '{}');
    const { makeDataFolder } = await import('../../src/base/data-folder.js');
    await makeDataFolder(folder);
    await expect(access(join(folder, '.gitignore'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('an old Node.js', () => {
  it('is told in one line which version is needed', async () => {
    expect(explainOldNode('18.20.4')).toBe(`Tillhouse needs Node.js ${OLDEST_NODE} or newer, and this is 18.20.4.`);
    expect([explainOldNode('20.18.9'), explainOldNode('20.19.0'), explainOldNode('26.0.0')]).toEqual([
      expect.stringContaining('20.18.9'),
      undefined,
      undefined,
    ]);
    const { engines } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(engines.node).toBe(`>=${OLDEST_NODE}`);
  });
});
