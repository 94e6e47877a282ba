/** `tillhouse record` as a process, and `tillhouse replay`. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DemoFile } from '../../src/demo/demo-file.js';
import type { Fixture } from '../../src/recording/fixture.js';
import { runHere } from '../support/commands.js';
import { callApi } from '../support/http.js';
import { expectOneLine, newFolder, Program, run } from '../support/process.js';
import { ServerHere } from '../support/server-here.js';

let server: ServerHere;
let demo: DemoFile;

beforeAll(async () => {
  server = await ServerHere.start();
  demo = await server.demo();
});
afterAll(() => server.stop());

/** A program that makes a payment at the address in its environment, and reads it again. */
const PAYS = `
  const { TILLHOUSE_URL, TOKEN } = process.env;
  const headers = { authorization: 'Bearer ' + TOKEN, 'content-type': 'application/json' };
  const body = { source_id: 'cnon:card-nonce-ok', idempotency_key: crypto.randomUUID(), amount_money: { amount: 725, currency: 'USD' } };
  const sent = await fetch(TILLHOUSE_URL + '/v2/payments', { method: 'POST', headers, body: JSON.stringify(body) });
  const { payment } = await sent.json();
  await fetch(TILLHOUSE_URL + '/v2/payments/' + payment.id, { headers });
  console.log(payment.status);
  process.exitCode = 3;`;

async function recordPayment(folder: string): Promise<Fixture> {
  const program = [process.execPath, '--input-type=module', '-e', PAYS];
  const env = { TOKEN: demo.access_token };
  const args = ['record', '--target', server.baseUrl, '--to', 'till', '--', ...program];
  const result = await run(args, { cwd: folder, env });
  const stderr = 'Wrote 2 exchanges and 2 stubs to till.\n';
  expect(result).toEqual({ code: 3, signal: null, stdout: 'COMPLETED\n', stderr });
  return readFixture(folder);
}

async function readFixture(folder: string): Promise<Fixture> {
  return JSON.parse(await readFile(join(folder, 'till/fixture.json'), 'utf8')) as Fixture;
}

const replayHere = (folder: string, ...flags: string[]) =>
  runHere(['replay', 'till', '--data-dir', server.dataDir, ...flags], { cwd: folder });

describe('tillhouse record', () => {
  it('runs a program with its address, returns the exit status, and the recording can be replayed', async () => {
    const folder = await newFolder();
    const fixture = await recordPayment(folder);
    expect(JSON.stringify(fixture)).not.toContain(demo.access_token);
    const sum = '2 of 2 requests are answered as recorded, 0 differently.\n';
    expect(await replayHere(folder)).toEqual({ code: 0, signal: null, stdout: sum, stderr: '' });
    for (const _ of ['once', 'twice'])
      expect(await replayHere(folder, '--token', demo.access_token)).toMatchObject({ code: 0, stdout: sum });
    const elsewhere = ['--target', server.baseUrl, '--token', demo.access_token];
    expect(await replayHere(folder, ...elsewhere)).toMatchObject({ code: 0, stdout: sum });
  });

  it('records until Ctrl-C, prints what passes without secrets, and keeps what there was if it is killed', async () => {
    const folder = await newFolder();
    for (const [index, end] of (['SIGINT', 'SIGTERM', 'SIGKILL'] as const).entries()) {
      const flags = index === 0 ? [] : ['--overwrite'];
      const program = await Program.start(['record', '--target', server.baseUrl, '--to', 'till', ...flags], {
        cwd: folder,
      });
      const [, url = ''] = await program.said(/^Recording at (\S+), for \S+ Press Ctrl-C to stop\.$/m);
      const path = `/v2/payments?limit=${index + 1}`;
      expect((await callApi(url, 'GET', path, { token: demo.access_token })).status).toBe(200);
      await program.said(/^GET \/v2\/payments {2}200 {2}\d+ ms$/m);
      if (end === 'SIGKILL') {
        const isWritten = async () => (await readFixture(folder)).exchanges[0]?.request.path === path;
        while (!(await isWritten())) await new Promise((resolve) => setTimeout(resolve, 20));
      }
      program.signal(end);
      const exit = await program.exited;
      if (end !== 'SIGKILL')
        expect([exit, program.stderr]).toEqual([{ code: 0, signal: null }, 'Wrote 1 exchange and 1 stub to till.\n']);
      expect((await readFixture(folder)).exchanges.map(({ request }) => request.path)).toEqual([path]);
    }
  });

  it.each([
    [['--to', 'x'], '--target is required'],
    [['--target', 'ftp://x'], '--target must be an http or https address'],
    [['--target', 'http://a:b@localhost'], '--target must be an address without a password'],
    [['--target', '4000', '--port', 'x'], '--port'],
    [['--target', '4000', '--to', 'package.json/x'], '--to'],
  ])('refuses %j', async (flags, reason) => {
    const folder = await newFolder();
    await writeFile(join(folder, 'package.json'), '{}');
    const { code, stderr } = await runHere(['record', ...flags], { cwd: folder });
    expect(code).toBe(2);
    expectOneLine(stderr);
    expect(stderr).toContain(reason);
  });

  it('does not write over a recording, and says which port is in use', async () => {
    const folder = await newFolder();
    await recordPayment(folder);
    const again = await runHere(['record', '--target', '4000', '--to', 'till'], { cwd: folder });
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('--overwrite') });
    const taken = await runHere(['record', '--target', '4000', '--port', String(server.port)], { cwd: folder });
    expect(taken).toMatchObject({ code: 2, stderr: expect.stringContaining(`Port ${server.port} is in use.`) });
  });
});

describe('tillhouse replay', () => {
  it('prints the differences and returns 1, as text and as JSON', async () => {
    const folder = await newFolder();
    const fixture = await recordPayment(folder);
    const other = JSON.parse(
      JSON.stringify(fixture).replace('"amount_money":{"amount":725', '"amount_money":{"amount":0'),
    );
    await writeFile(join(folder, 'till/fixture.json'), JSON.stringify(other));
    const { code, stdout, stderr } = await replayHere(folder);
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toMatch(/^1 {2}POST \/v2\/payments\n {5}status: recorded 200, now 400\n {5}body: new, .*amount.*\n/);
    expect(stdout).toMatch(
      /^2 {2}GET \/v2\/payments\/\w+\n {5}left out: it needs \w+, and request 1 was answered differently\n/m,
    );
    expect(stdout).toMatch(/^0 of 2 requests are answered as recorded, 1 differently, 1 left out\.\n$/m);
    const json = await replayHere(folder, '-o', 'json');
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({
      ...{ same: 0, different: 1, skipped: 1 },
      results: [{ number: 1, differences: [{ place: 'status', recorded: 200, now: 400 }, { place: 'body' }] }, {}],
    });
  });

  it.each([
    ['nothing', undefined, 'till cannot be read (ENOENT)'],
    ['no JSON', '{', 'till is not JSON'],
    ['something else', '[]', 'till is no fixture'],
    ['a newer format', '{"tillhouse_fixture": 9, "exchanges": []}', 'till has version 9'],
    [
      'a wrong exchange',
      '{"tillhouse_fixture": 1, "exchanges": [{"at": "x"}]}',
      'till: exchanges[0].at must be a time',
    ],
  ])('says what is wrong with a file that has %s', async (_name, text, reason) => {
    const folder = await newFolder();
    if (text !== undefined) await writeFile(join(folder, 'till'), text);
    const { code, stderr } = await replayHere(folder);
    expect(code).toBe(2);
    expectOneLine(stderr);
    expect(stderr).toContain(reason);
  });

  it.each([
    [['--target', 'localhost:1'], '--token is required'],
    [['--map', 'A'], '--map must be RECORDED=ID'],
    [['--data-dir', 'none'], 'No Tillhouse server runs'],
  ])('refuses %j', async (flags, reason) => {
    const folder = await newFolder();
    await recordPayment(folder);
    const { code, stderr } = await replayHere(folder, ...flags);
    expect(code).toBe(2);
    expect(stderr).toContain(reason);
  });
});
