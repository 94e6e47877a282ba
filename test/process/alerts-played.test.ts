/** Alerts as somebody on call sees them: a real Prometheus scrapes real servers while a table is locked, and while one of them is down. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.js';
import { pollUntil } from '../support/clock.js';
import { ensurePrograms, findProgram } from '../support/debian-programs.js';
import { tryToPay } from '../support/payments.js';
import { freePort } from '../support/ports.js';
import { expectNothingLeft, newFolder, Program } from '../support/process.js';
import { startTestServer, type TestServer } from '../support/server.js';

const PATIENCE_MS = 60_000;

/** The rules, with all times one second: the expressions are what is played. */
async function startPrometheus(port: number, servers: readonly TestServer[]): Promise<Program> {
  const folder = await newFolder();
  const rules = await readFile(new URL('../../deploy/prometheus-alerts.yml', import.meta.url), 'utf8');
  await writeFile(join(folder, 'rules.yml'), rules.replaceAll(/^( +for:) \w+$/gm, '$1 1s'));
  const targets = servers.map(({ metricsUrl = '' }) => `'${new URL(metricsUrl).host}'`);
  await writeFile(
    join(folder, 'prometheus.yml'),
    `global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }
rule_files: [rules.yml]
scrape_configs: [{ job_name: tillhouse, static_configs: [{ targets: [${targets.join(', ')}] }] }]
`,
  );
  const flags = [`--config.file=${join(folder, 'prometheus.yml')}`, `--storage.tsdb.path=${join(folder, 'data')}`];
  return Program.start([...flags, `--web.listen-address=127.0.0.1:${port}`], {
    command: [findProgram('prometheus') ?? ''],
  });
}

describe.skipIf(!ensurePrograms(['prometheus']))('Prometheus', () => {
  let servers: readonly [TestServer, TestServer];
  let prometheus: Program;
  let port: number;

  async function listFiring(): Promise<string[]> {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/alerts`).catch(() => undefined);
    if (!response?.ok) return ['not started'];
    const { data } = (await response.json()) as {
      data: { alerts: { state: string; labels: { alertname: string } }[] };
    };
    return data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname);
  }

  beforeAll(async () => {
    const config = { metrics: { host: '127.0.0.1', port: 0 } };
    servers = [await startTestServer({ config }), await startTestServer({ config })];
    port = await freePort();
    prometheus = await startPrometheus(port, servers);
  });
  afterAll(async () => {
    await servers[0].stop();
    prometheus.signal('SIGTERM');
    await prometheus.exited;
    await expectNothingLeft();
  });

  it('raises nothing for servers that work', { timeout: 2 * PATIENCE_MS }, async () => {
    const firing = await pollUntil(listFiring, (alerts) => alerts.length === 0, PATIENCE_MS);
    expect(firing).toEqual([]);
  });

  it('says that statements are blocked while somebody locks a table', { timeout: 2 * PATIENCE_MS }, async () => {
    const [server] = servers;
    const shop = await server.createMerchant();
    const tool = openDatabase(server.databaseUrl, { maxConnections: 1, applicationName: 'a tool' });
    let isOver = false;
    const pay = async (): Promise<void> => {
      while (!isOver) await tryToPay(server, shop);
    };
    const paying: Promise<void>[] = [];
    await tool.transaction(async (tx) => {
      await tx.unsafe('lock table payments in share mode');
      paying.push(pay(), pay(), pay());
      const firing = await pollUntil(listFiring, (alerts) => alerts.includes('TillhouseBlocked'), PATIENCE_MS);
      expect(firing).toContain('TillhouseBlocked');
    });
    isOver = true;
    await Promise.all(paying);
    await tool.close();
    const after = await pollUntil(listFiring, (alerts) => !alerts.includes('TillhouseBlocked'), PATIENCE_MS);
    expect(after).not.toContain('TillhouseBlocked');
  });

  it('says that one of the servers is down', { timeout: 2 * PATIENCE_MS }, async () => {
    await servers[1].stop();
    const firing = await pollUntil(listFiring, (alerts) => alerts.includes('TillhouseServerDown'), PATIENCE_MS);
    expect(firing).toContain('TillhouseServerDown');
    expect(firing).not.toContain('TillhouseDown');
  });
});
