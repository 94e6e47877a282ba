/** How a server stops, by a signal and by force, and what the next one finds. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { START_LIMIT_MS } from '../../src/cli/serve.js';
import { openDatabase } from '../../src/database/database.js';
import { shareEmbedded } from '../../src/database/embedded/embedded.js';
import {
  beginRequest,
  expectOneLine,
  killPostmaster,
  newDataDir,
  Program,
  postmasterPid,
  processesIn,
  type RequestInFlight,
  type RunningServer,
  refusesConnections,
  run,
  Server,
  until,
  usedDataDir,
} from '../support/process.js';
import { ServerHere } from '../support/server-here.js';

const NEWCOMER = { first_name: 'Late', last_name: 'Comer' };

async function beginHiring(server: RunningServer): Promise<RequestInFlight> {
  const { access_token: token } = await server.demo();
  return beginRequest(server, { method: 'POST', path: '/v1/me/employees', token, body: NEWCOMER });
}

async function hire(server: RunningServer): Promise<string> {
  const { access_token: token } = await server.demo();
  const answer = await server.call('POST', '/v1/me/employees', { token, body: NEWCOMER });
  expect(answer.status).toBe(200);
  return answer.body.id;
}

async function knows(server: RunningServer, employeeId: string): Promise<boolean> {
  const { access_token: token } = await server.demo();
  return (await server.call('GET', `/v2/employees/${employeeId}`, { token })).status === 200;
}

async function expectNothingLeft({ dataDir, program }: Server): Promise<void> {
  expect(await program.exited, program.stderr).toEqual({ code: 0, signal: null });
  expect(await processesIn(dataDir)).toEqual([]);
  expect(await readdir(dataDir)).not.toContain('server.json');
  expect(await readdir(join(dataDir, 'postgres'))).not.toContain('postmaster.pid');
}

/** What a worker or a request has claimed, so that others wait for its end. */
async function findLeases(dataDir: string): Promise<readonly unknown[]> {
  const embedded = await shareEmbedded({ dataDir });
  const database = openDatabase(embedded.url, { maxConnections: 1, requireScram: true });
  const { sql } = database;
  try {
    const claims = await sql`
      select kind as what, leased_until from due_work where leased_until is not null
      union all
      select action, leased_until from processor_calls where leased_until is not null`;
    const open = await sql`select 1 from processor_calls`;
    expect(open).toHaveLength(1);
    return claims.map((row) => ({ ...row }));
  } finally {
    await database.close();
    await embedded.stop();
  }
}

describe('a server that receives a signal', () => {
  it.each([
    ['one process', [], 'SIGINT', 130],
    ['two processes', ['--processes', '2'], 'SIGTERM', 143],
  ] as const)(
    'with --stop-delay first says that it is not ready, and still serves new connections, until a second signal breaks the request in flight: %s',
    async (_, args, second, code) => {
      const server = await Server.start({ dataDir: await usedDataDir(), args: ['--stop-delay', '300', ...args] });
      const hiring = await beginHiring(server);
      server.program.signal('SIGTERM');
      const readiness = () => server.call('GET', '/readyz', { agent: new Agent() });
      await until(async () => (await readiness()).status === 503);
      expect((await readiness()).text).toContain('The server is stopping.');
      const { access_token: token } = await server.demo();
      expect((await server.call('GET', '/v2/employees', { token, agent: new Agent() })).status).toBe(200);
      await sleep(1100); // a second signal within a second counts as the same
      server.program.signal(second);
      expect(await server.program.exited).toEqual({ code, signal: null });
      await hiring.untilBroken();
      await until(async () => (await processesIn(server.dataDir)).length === 0);
    },
  );

  it('on SIGTERM, after --stop-delay, finishes the request in flight, does not wait for idle connections, and stops all its processes', async () => {
    const server = await Server.start({ dataDir: await usedDataDir(), args: ['--stop-delay', '1'] });
    expect(await server.record()).toMatchObject({ base_url: server.baseUrl, pid: server.program.pid });
    const silent = connect(server.port, '127.0.0.1');
    const halfAsked = connect(server.port, '127.0.0.1');
    let received = '';
    for (const socket of [silent, halfAsked]) {
      socket.on('data', (chunk) => {
        received += String(chunk);
      });
      await once(socket, 'connect');
    }
    halfAsked.write('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1');
    const closed = Promise.all([once(silent, 'close'), once(halfAsked, 'close')]);
    const hiring = await beginHiring(server); // the server has accepted the earlier connections
    server.program.signal('SIGTERM');
    await until(() => refusesConnections(server.port));
    expect(await hiring.finish()).toMatchObject({ status: 200, body: NEWCOMER });
    await expectNothingLeft(server);
    await closed;
    expect(received).toBe(''); // they were closed by the stop, not by a timeout, which returns 408
  });

  it('on SIGTERM, after --stop-delay, still answers on a connection that is open, and asks to close it', async () => {
    const server = await Server.start({ dataDir: await usedDataDir(), args: ['--stop-delay', '5'] });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = () => server.call('GET', '/healthz', { agent });
    expect((await ask()).headers['connection']).toBe('keep-alive');
    server.program.signal('SIGTERM');
    await until(() => refusesConnections(server.port));
    const last = await ask();
    expect([last.status, last.headers['connection']]).toEqual([200, 'close']);
    await expectNothingLeft(server);
  });

  it('on SIGINT does the same, also when it arrives twice, as npm forwards Ctrl-C; a processor that takes a minute is not waited for', async () => {
    const server = await Server.start({ dataDir: await usedDataDir() });
    const { access_token: token, operator_key, merchant_id } = await server.demo();
    const rule = { effect: 'DELAY', delay_ms: 60_000, times: 2 };
    const rules = `/api/sandbox/merchants/${merchant_id}/processor-rules`;
    const pay = () => {
      const body = { source_id: 'cnon:card-nonce-ok', amount_money: { amount: 500, currency: 'USD' } };
      return server.call('POST', '/v2/payments', { token, body: { ...body, idempotency_key: randomUUID() } });
    };
    const { id } = (await pay()).body.payment;
    await server.call('POST', rules, { token: operator_key, body: rule });
    const body = { idempotency_key: 'r', payment_id: id, amount_money: { amount: 500, currency: 'USD' } };
    expect((await server.call('POST', '/v2/refunds', { token, body })).status).toBe(200);
    const asked = pay();
    await until(async () => {
      const { rules: left } = (await server.call('GET', rules, { token: operator_key })).body;
      return left.length === 0; // the calls for the payment and, seconds later, for the refund are in flight
    });
    const hiring = await beginHiring(server);
    const since = performance.now();
    server.program.signal('SIGINT');
    await sleep(20); // two pending signals of one kind would be merged
    server.program.signal('SIGINT');
    await until(() => refusesConnections(server.port));
    expect(await hiring.finish()).toMatchObject({ status: 200, body: NEWCOMER });
    // Its outcome is unknown.
    expect(await asked).toMatchObject({ status: 503, body: { errors: [{ code: 'TEMPORARY_ERROR' }] } });
    await expectNothingLeft(server);
    expect(performance.now() - since).toBeLessThan(30_000);
    expect(await findLeases(server.dataDir)).toEqual([]); // the next server asks again at once
  });

  it('during its first start exits as soon as the start is done, and leaves no process behind', async () => {
    const dataDir = await newDataDir();
    // Without the history: on a busy machine it takes longer than a start may take after a signal.
    const program = await Program.start(['serve', '--port', '0', '--demo-history', 'off', '--data-dir', dataDir]);
    await until(() => readdir(dataDir).then(Boolean, () => false));
    const since = performance.now();
    program.signal('SIGINT');
    program.signal('SIGINT');
    const { code } = await program.exited;
    // On a busy machine the start can take longer than it may after a signal.
    const isTooSlow = performance.now() - since > START_LIMIT_MS;
    expect(isTooSlow ? [0, 130] : [0], program.stderr).toContain(code);
    await until(async () => (await processesIn(dataDir)).length === 0);
  });
});

describe('a command that receives a signal', () => {
  it('stops the PostgreSQL that was started for it', async () => {
    const dataDir = await usedDataDir();
    const program = await Program.start(['check', '--data-dir', dataDir]);
    await until(() => postmasterPid(dataDir).then(Boolean, () => false));
    program.signal('SIGTERM');
    expect(await program.exited, program.stderr).toEqual({ code: 143, signal: null });
    await until(async () => (await processesIn(dataDir)).length === 0);
  });
});

describe('kill -9', () => {
  it('of the server, then also of PostgreSQL, keeps data and secrets for the next start, which restarts a killed PostgreSQL', async () => {
    const first = await Server.start({ dataDir: await usedDataDir() });
    const { dataDir } = first;
    const [demo, id] = [await first.demo(), await hire(first)];
    await first.crash();
    expect(await processesIn(dataDir)).not.toEqual([]);

    const second = await Server.start({ dataDir });
    expect(await second.demo()).toEqual({ ...demo, base_url: second.baseUrl });
    expect(await knows(second, id)).toBe(true);
    const secondId = await hire(second);
    await second.crash();
    await killPostmaster(dataDir);

    const third = await ServerHere.start({ dataDir });
    expect(await third.demo()).toEqual({ ...demo, base_url: third.baseUrl });
    expect([await knows(third, id), await knows(third, secondId)]).toEqual([true, true]);

    const postmaster = await postmasterPid(dataDir);
    await killPostmaster(dataDir);
    await until(async () => (await postmasterPid(dataDir).catch(() => postmaster)) !== postmaster);
    await until(async () => (await third.call('GET', '/readyz')).status === 200);
    await until(() => knows(third, secondId));
    await third.stop();
  });
});

describe('a second server', () => {
  let first: ServerHere;
  let before: string[];
  const filesOfFirst = () =>
    Promise.all(['demo.json', 'server.json'].map((name) => readFile(join(first.dataDir, name), 'utf8')));

  beforeAll(async () => {
    first = await ServerHere.start();
    before = await filesOfFirst();
  });
  afterAll(async () => {
    expect(await filesOfFirst()).toEqual(before);
    expect(await knows(first, await hire(first))).toBe(true);
    await first.stop();
  });

  it('on the same data folder is refused in one line, and the first is not affected', async () => {
    const { dataDir } = first;
    const pid = await postmasterPid(dataDir);
    const second = await run(['serve', '--port', '0', '--data-dir', dataDir]);
    expect(second).toMatchObject({ code: 1, stdout: '' });
    expectOneLine(second.stderr);
    expect(second.stderr).toContain(`The data folder ${dataDir} is in use`);
    expect(second.stderr).toContain(`process ${process.pid}`);
    expect(await postmasterPid(dataDir)).toBe(pid);
  });

  it('on the same port is refused in one line, and stops its own PostgreSQL', async () => {
    const dataDir = await usedDataDir();
    const second = await run(['serve', '--port', String(first.port), '--data-dir', dataDir]);
    expect(second).toMatchObject({ code: 1, stdout: '' });
    expectOneLine(second.stderr);
    expect(second.stderr).toContain(`Port ${first.port}`);
    expect(second.stderr).toContain('--port');
    expect(await processesIn(dataDir)).toEqual([]);
    expect(await readdir(dataDir)).not.toContain('server.json');
  });
});
