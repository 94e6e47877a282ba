/** `tillhouse clock` and `tillhouse fault`: the command line's way to what the sandbox surface does. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DemoFile } from '../../src/sandbox/demo-file.js';
import { expectOneLine, newDataDir, run, Server, until } from '../support/process.js';

let server: Server;
let demo: DemoFile;

beforeAll(async () => {
  server = await Server.start({ args: ['--log-level', 'info'] });
  demo = await server.demo();
});
afterAll(() => server.stop());

async function succeed(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run([...args, '--data-dir', server.dataDir]);
  expect({ code, stderr }, args.join(' ')).toEqual({ code: 0, stderr: '' });
  return stdout.trimEnd();
}

async function refuse(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run([...args, '--data-dir', server.dataDir]);
  expect({ code, stdout }, args.join(' ')).toEqual({ code: 2, stdout: '' });
  expectOneLine(stderr);
  return stderr;
}

const me = () => server.call('GET', '/v1/me', { token: demo.access_token });

describe('tillhouse clock', () => {
  it("tells and moves the demo merchant's clock, freezes it and lets it run", async () => {
    expect(Math.abs(Date.parse(await succeed('clock', 'get')) - Date.now())).toBeLessThan(60_000);
    const frozen = await succeed('clock', 'freeze');
    expect(frozen).toMatch(/^\S+Z frozen$/);
    expect(await succeed('clock', 'get')).toBe(frozen);
    const later = (days: number) =>
      new Date(Date.parse(frozen.replace(' frozen', '')) + days * 86_400_000).toISOString();
    expect(await succeed('clock', 'advance', 'P61D')).toBe(`${later(61)} frozen`);
    expect(await succeed('clock', 'set', later(62))).toBe(`${later(62)} frozen`);
    expect(await succeed('clock', 'run')).toMatch(new RegExp(`^${later(62).slice(0, 10)}\\S+Z$`));
  });

  it.each([
    [['clock'], 'get, set, advance, freeze, run'],
    [['clock', 'advance'], 'P61D'],
    [['clock', 'advance', 'soon'], 'P61D'],
    [['clock', 'get', '--merchant', 'MNOBODY'], 'MNOBODY'],
    [['clock', 'freeze', 'now'], "'now'"],
  ])('%j is refused in one line', async (args, hint) => {
    expect(await refuse(...args)).toContain(hint);
  });
});

describe('tillhouse fault', () => {
  it('adds faults that befall requests, lists and clears them, and the log tells of each', async () => {
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
    expect(await succeed('fault', 'clear', '--merchant', demo.merchant_id)).toBe('Cleared.');
    expect(await succeed('fault', 'list')).toBe(second);
    await succeed('fault', 'clear');
    expect(await succeed('fault', 'list')).toBe('');
    expect((await me()).status).toBe(200);
  });

  it('breaks connections, of which only the log tells', async () => {
    const [id = ''] = (await succeed('fault', 'add', '--effect', 'RESET_BEFORE')).split(' ');
    await expect(me()).rejects.toMatchObject({ code: 'ECONNRESET' });
    await until(() => server.program.stderr.includes(`"fault":"${id}","effect":"RESET_BEFORE"`));
    expect(server.program.stderr).not.toContain('"level":50');
  });

  it.each([
    [['fault', 'add'], '--effect'],
    [['fault', 'add', '--effect', 'STATUS'], '429, 500 or 503'],
    [['fault', 'add', '--effect', 'STATUS', '--status', 'x'], '--status'],
    [['fault', 'add', '--effect', 'DELAY', '--delay', '1-x'], '--delay'],
    [['fault', 'add', '--effect', 'RESET_AFTER', '--operation', 'v2.pay'], 'v2.createPayment'],
    [['fault', 'break'], 'add, list, clear'],
  ])('%j is refused in one line', async (args, hint) => {
    expect(await refuse(...args)).toContain(hint);
    expect(await succeed('fault', 'list')).toBe('');
  });
});

describe('without a server', () => {
  it.each([
    ['clock', 'get'],
    ['fault', 'list'],
  ])('%s %s says so, and how to start one', async (...args) => {
    const { code, stderr } = await run([...args, '--data-dir', await newDataDir()]);
    expect(code).toBe(2);
    expectOneLine(stderr);
    expect(stderr).toContain('npm start');
  });
});

describe('a sandbox without the demo', () => {
  it('is reached with the key that lies in its data folder, and needs a merchant', async () => {
    const bare = await Server.start({ args: ['--demo', 'off'] });
    const listed = await run(['fault', 'list', '--data-dir', bare.dataDir]);
    expect(listed).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const clock = await run(['clock', 'get', '--data-dir', bare.dataDir]);
    expect(clock.stderr).toContain('--merchant');
    await bare.stop();
  });
});

describe('production', () => {
  it('has neither, and the commands say why', async () => {
    const production = await Server.start({ args: ['--mode', 'production', '--processor', 'simulator'] });
    for (const args of [
      ['clock', 'get'],
      ['fault', 'list'],
    ]) {
      const { code, stderr } = await run([...args, '--data-dir', production.dataDir]);
      expect(code).toBe(2);
      expectOneLine(stderr);
      expect(stderr).toContain('production');
    }
    await production.stop();
  });
});
