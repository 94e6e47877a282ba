/** `tillhouse serve --processes 2`: two processes that serve as one. */
import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DemoFile } from '../../src/demo/demo-file.js';
import { callApi } from '../support/http.js';
import { scrape } from '../support/metrics.js';
import {
  expectNothingLeft,
  expectOneLine,
  Program,
  processesIn,
  Server,
  until,
  usedDataDir,
} from '../support/process.js';

const TWO = ['--processes', '2', '--log-level', 'info', '--metrics', '0'];

let server: Server;
let demo: DemoFile;
let connections: readonly [Agent, Agent];

beforeAll(async () => {
  server = await Server.start({ dataDir: await usedDataDir(), args: TWO });
  demo = await server.demo();
  connections = await connectToBoth();
});

afterAll(async () => {
  for (const agent of connections) agent.destroy();
  await expectNothingLeft();
});

const metricsUrl = (of: Server): string => /^Metrics: (\S+)$/m.exec(of.program.stdout)?.[1] ?? '';

const PAYMENTS = 'tillhouse_http_requests_total{operation="v2.createPayment",status="200"}';
const DURATIONS = 'tillhouse_http_request_duration_seconds_count{operation="v2.createPayment"}';

async function countPayments(): Promise<number> {
  return (await scrape(metricsUrl(server))).value(PAYMENTS) ?? 0;
}

function connection(): Agent {
  return new Agent({ keepAlive: true, maxSockets: 1 });
}

/** The processes that serve. */
async function servingPids(of: Server): Promise<number[]> {
  const all = await processesIn(of.dataDir);
  return all
    .filter(({ pid, command }) => command.includes('main.js') && pid !== of.program.pid)
    .map(({ pid }) => pid)
    .sort();
}

/** The process that responded to a request, by its line in the log. */
async function pidOf(requestId: string): Promise<number> {
  let line: string | undefined;
  await until(() => {
    line = server.program.stderr.split('\n').find((each) => each.includes(requestId));
    return line !== undefined;
  });
  return JSON.parse(line ?? '').pid;
}

const list = (agent: Agent) => server.call('GET', '/v2/employees', { token: demo.access_token, agent });

/** Two connections, one to each process. */
async function connectToBoth(): Promise<readonly [Agent, Agent]> {
  const byPid = new Map<number, Agent>();
  while (byPid.size < 2) {
    const agent = connection();
    const answer = await list(agent);
    const pid = await pidOf(String(answer.headers['x-request-id']));
    if (byPid.has(pid)) agent.destroy();
    else byPid.set(pid, agent);
  }
  return [...byPid.values()] as [Agent, Agent];
}

const pay = (key: string, agent?: Agent) =>
  server.call('POST', '/v2/payments', {
    token: demo.access_token,
    body: { source_id: 'cnon:card-nonce-ok', idempotency_key: key, amount_money: { amount: 100, currency: 'USD' } },
    ...(agent && { agent }),
  });

const operator = (method: string, path: string, agent: Agent, body?: unknown) =>
  server.call(method, `/api/sandbox${path}`, { token: demo.operator_key, body, agent });

/** The pause between two requests. Without it the clients would use all of the CPU for the ten seconds that two restarts take. */
const PAUSE_MS = 250;

/** After this time a new process knows where to listen, but does not listen yet. On other machines this may be too long or too short. */
const TOLD_MS = 250;

/** Sends requests until `stop` is called: on connections that stay open, and on new ones. */
function startLoad(send: (agent?: Agent) => Promise<void>) {
  let isOver = false;
  const agents = Array.from({ length: 4 }, connection);
  const clients = [...agents, undefined].map(async (agent) => {
    while (!isOver) {
      const single = agent ?? new Agent({ keepAlive: false });
      await send(single);
      await sleep(PAUSE_MS);
    }
  });
  return {
    async stop() {
      isOver = true;
      await Promise.all(clients);
      for (const agent of agents) agent.destroy();
    },
  };
}

describe('two processes', () => {
  it('serve on one port, and the record names the one that started them', async () => {
    expect(await servingPids(server)).toHaveLength(2);
    expect((await server.record()).pid).toBe(server.program.pid);
    expect(server.program.stdout).toContain('Processes: 2.');
  });

  it('report their metrics as one', async () => {
    const before = await countPayments();
    for (const agent of [...connections, ...connections, ...connections]) {
      expect((await pay(randomUUID(), agent)).status).toBe(200);
    }
    const now = await scrape(metricsUrl(server));
    expect(now.value(PAYMENTS)).toBe(before + 6);
    expect(now.value('tillhouse_processes')).toBe(2);
    expect(now.value('tillhouse_database_up')).toBe(1);
    expect(now.value('tillhouse_due_work_waiting')).toBeDefined();
  });

  it('show the requests of both in the console of either, and forget them together', async () => {
    const keys = [randomUUID(), randomUUID()];
    const made = await Promise.all(connections.map((agent, index) => pay(keys[index] ?? '', agent)));
    const ids = made.map(({ headers }) => headers['x-request-id']);
    for (const agent of connections) {
      const { body } = await operator('GET', '/requests?operation=v2.createPayment', agent);
      const listed = body.requests.map(({ id }: { id: string }) => id);
      expect(ids.filter((id) => !listed.includes(id))).toEqual([]);
      for (const id of ids) expect((await operator('GET', `/requests/${id}`, agent)).status).toBe(200);
      expect((await operator('POST', `/requests/${ids[0]}/resend`, agent)).status).toBe(200);
    }
    const [one, other] = connections;
    expect((await operator('DELETE', '/requests', one)).status).toBe(200);
    expect((await operator('GET', '/requests', other)).body.requests).toEqual([]);
  });

  it('answer by the stubs of the one at the other at once', async () => {
    const stub = { request: { path: '/only-stubbed' }, responses: [{ status: 201 }, { status: 202 }], times: 3 };
    const [one, other] = connections;
    const ask = async (agent: Agent) => (await server.call('GET', '/only-stubbed', { agent })).status;
    expect([await ask(one), await ask(other)]).toEqual([404, 404]);
    expect((await operator('POST', '/stubs', one, { stub })).status).toBe(200);
    expect([await ask(other), await ask(one), await ask(other), await ask(one)]).toEqual([201, 202, 202, 404]);
  });

  it('apply a change of the one at the other before its response is sent', async () => {
    const [one, other] = connections;
    const employees = () => server.call('GET', '/v1/me/employees', { token: demo.access_token, agent: other });
    for (let round = 0; round < 20; round++) {
      const approved = round % 2 === 1;
      const changed = await operator('PUT', `/merchants/${demo.merchant_id}/approval`, one, { approved });
      expect(changed.status).toBe(200);
      expect((await employees()).status).toBe(approved ? 200 : 403);
    }
  });
});

describe('SIGUSR2', () => {
  it('restarts them one by one, while no connection is refused and no request fails', async () => {
    const before = await servingPids(server);
    const counted = await countPayments();
    const statuses = new Map<number, number>();
    const failures: unknown[] = [];
    const load = startLoad(async (agent) => {
      const answer = await pay(randomUUID(), agent).catch((error: unknown) => void failures.push(error));
      if (answer) statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    });
    server.program.signal('SIGUSR2');
    await until(() => server.program.stderr.includes('processes: restarted'));
    await load.stop();
    expect(failures).toEqual([]);
    expect([...statuses.keys()]).toEqual([200]);
    const after = await servingPids(server);
    expect(after).toHaveLength(2);
    expect(after.filter((pid) => before.includes(pid))).toEqual([]);
    // What the old processes have counted is still there, exactly.
    const metrics = await scrape(metricsUrl(server));
    expect(metrics.value(PAYMENTS)).toBe(counted + (statuses.get(200) ?? 0));
    expect(metrics.value(DURATIONS)).toBe(metrics.value(PAYMENTS));
    expect(metrics.value('tillhouse_processes')).toBe(2);
  });
});

describe('a process that is killed', () => {
  it('is replaced, on the port that it had, and nothing that it acknowledged is lost; the other one is killed meanwhile', async () => {
    const before = await servingPids(server);
    const [one = 0, other = 0] = before;
    const acknowledged = new Map<string, string>();
    const load = startLoad(async (agent) => {
      const key = randomUUID();
      const answer = await pay(key, agent).catch(() => undefined);
      if (answer?.status === 200) acknowledged.set(key, answer.body.payment.id);
    });
    await until(() => acknowledged.size > 20);
    let counted = await countPayments();
    process.kill(one, 'SIGKILL');
    const served = acknowledged.size;
    await until(async () => (await servingPids(server)).some((pid) => !before.includes(pid)));
    await sleep(TOLD_MS);
    process.kill(other, 'SIGKILL');
    // Counters never fall, so that no alert takes what was counted before for new.
    await until(async () => {
      await sleep(PAUSE_MS);
      const metrics = await scrape(metricsUrl(server));
      const now = metrics.value(PAYMENTS) ?? 0;
      expect(now).toBeGreaterThanOrEqual(counted);
      counted = now;
      return metrics.value('tillhouse_processes') === 2;
    });
    await until(() => acknowledged.size > served + 20);
    await load.stop();
    for (const [key, id] of acknowledged) {
      expect((await pay(key)).body.payment.id).toBe(id);
    }
    const after = await servingPids(server);
    expect(after).toHaveLength(2);
    expect(after.filter((pid) => before.includes(pid))).toEqual([]);
    await until(() => server.program.stderr.split('process: died, will be replaced').length > 2);
    expect((await list(new Agent())).status).toBe(200);
  });
});

describe('a start of two processes', () => {
  it('ends at once, with one line, if the port is in use', async () => {
    const args = ['serve', '--processes', '2', '--port', `${server.port}`, '--data-dir', await usedDataDir()];
    const program = await Program.start(args);
    expect((await program.exited).code).toBe(1);
    expectOneLine(program.stderr);
    expect(program.stderr).toContain(`Port ${server.port} on 127.0.0.1 is in use`);
  });
});

describe('two processes with a rate limit, behind a proxy, after the first process of others was ended by kill -9', () => {
  const LIMIT = 50;
  const PUBLIC_URL = 'https://till.example';
  let next: Server;
  /** The address of the two processes themselves. */
  let localUrl: string;

  beforeAll(async () => {
    await server.crash();
    await until(async () => (await servingPids(server)).length === 0);
    const args = ['--processes', '2', '--rate-limit', `${LIMIT}`, '--public-url', PUBLIC_URL];
    next = await Server.start({ dataDir: server.dataDir, args, detached: true });
    localUrl = (await next.record()).local_url;
  });

  it('apply it together', async () => {
    const { access_token: token } = await next.demo();
    const agents = Array.from({ length: 4 }, connection);
    for (const agent of agents) await callApi(localUrl, 'GET', '/healthz', { agent });
    const startedAt = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 400 }, (_, index) => {
        const agent = agents[index % agents.length];
        return callApi(localUrl, 'GET', '/v2/employees', { token, ...(agent && { agent }) });
      }),
    );
    const seconds = (performance.now() - startedAt) / 1000;
    const allowed = answers.filter(({ status }) => status === 200).length;
    // The counts of the other process arrive a little later.
    const late = LIMIT / 2;
    expect(allowed).toBeLessThan(LIMIT + LIMIT * seconds + late);
    expect(allowed).toBeGreaterThanOrEqual(LIMIT);
    for (const agent of agents) agent.destroy();
  });

  it('are reached by commands at their own address, and serve there again after both were killed', async () => {
    const { base_url } = await next.record();
    expect(base_url).toBe(PUBLIC_URL);
    expect(localUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const killed = await servingPids(next);
    for (const pid of killed) process.kill(pid, 'SIGKILL');
    await until(async () => {
      await sleep(PAUSE_MS);
      const pids = await servingPids(next);
      const answer = await callApi(localUrl, 'GET', '/readyz').catch(() => undefined);
      return answer?.status === 200 && pids.length === 2 && !pids.some((pid) => killed.includes(pid));
    });
  });

  it('end cleanly by Ctrl-C, which all processes get', async () => {
    next.program.interruptGroup();
    expect(await next.program.exited).toEqual({ code: 0, signal: null });
    expect(await processesIn(next.dataDir)).toEqual([]);
  });
});
