/** `tillhouse status`: shows whether a server runs on the data folder, and how to reach it. */
import { DATA_FLAGS, type DataValues, toDataConfig, toDataDir } from '../base/config.js';
import { printSeconds } from '../base/time.js';
import { hasEmbedded } from '../database/embedded/embedded.js';
import { readDemoFile } from '../demo/demo-file.js';
import { type LastRun, listLastRuns, RUN_KINDS } from '../identity/last-run-queries.js';
import { readServerRecord } from '../server/server-file.js';
import { OUTPUT_FLAG, withDatabaseAsItIs } from './command.js';
import { command } from './declare.js';
import { describeNotRunning } from './running-server.js';

const FLAGS = {
  output: { ...OUTPUT_FLAG, value: 'text|env|json', choices: ['text', 'env', 'json'] },
  ...DATA_FLAGS,
} as const;

const PROBE_TIME_LIMIT_MS = 2000;

export const status = command({
  name: 'status',
  summary: 'show whether a server runs, and how to reach it',
  usage: '[-o text|env|json]',
  about: 'Shows whether a server runs on the data folder.',
  flags: FLAGS,
  async run({ values }) {
    const dataDir = toDataDir(values);
    const [record, demo] = await Promise.all([readServerRecord(dataDir), readDemoFile(dataDir)]);
    const running = record !== undefined && (await isHealthy(record.local_url));
    const runs = running ? await readLastRuns(values) : undefined;
    const facts = {
      running,
      ...(running && { base_url: record.base_url, pid: record.pid, mode: record.mode }),
      data_dir: dataDir,
      ...(running &&
        record.demo &&
        demo && {
          merchant_id: demo.merchant_id,
          location_ids: demo.location_ids,
          access_token: demo.access_token,
          operator_key: demo.operator_key,
          ...(demo.application && {
            application_id: demo.application.id,
            application_access_token: demo.application.access_token,
          }),
          ...(demo.publishable_key && { publishable_key: demo.publishable_key }),
        }),
    };
    console.log(RENDER[values.output as keyof typeof RENDER](facts, runs));
    if (!running) process.exitCode = 3; // the LSB exit code for "not running"
  },
});

type Facts = Record<string, unknown>;
/** Undefined: unknown, because the database could not be read. */
type Runs = readonly LastRun[] | undefined;

/** Starts no PostgreSQL for it: with the database in the data folder, the server has started one. */
async function readLastRuns(values: DataValues): Promise<Runs> {
  const { databaseUrl, dataDir } = toDataConfig(values);
  if (databaseUrl === undefined && !(await hasEmbedded(dataDir))) return undefined;
  return withDatabaseAsItIs(values, ({ sql }) => listLastRuns(sql)).catch(() => undefined);
}

const RENDER = {
  json: (facts: Facts, runs: Runs) =>
    JSON.stringify({ ...facts, ...(runs && { last_runs: runs.map(toOutput) }) }, null, 2),
  env: (facts: Facts) =>
    Object.entries(facts)
      .map(
        ([name, value]) => `TILLHOUSE_${name.toUpperCase()}=${quoted(Array.isArray(value) ? value.join(',') : value)}`,
      )
      .join('\n'),
  text: (facts: Facts, runs: Runs) =>
    facts['running']
      ? [
          `Tillhouse runs at ${facts['base_url']} (process ${facts['pid']}, data in ${facts['data_dir']}).`,
          ...(runs ? RUN_KINDS.map((kind) => describeRun(kind, runs)) : []),
        ].join('\n')
      : describeNotRunning(String(facts['data_dir'])),
};

function toOutput({ kind, endedAt, succeededAt, found }: LastRun) {
  return {
    kind: kind.toLowerCase(),
    ended_at: printSeconds(endedAt),
    succeeded: succeededAt === endedAt,
    succeeded_at: succeededAt === null ? null : printSeconds(succeededAt),
    found,
  };
}

function describeRun(kind: LastRun['kind'], runs: readonly LastRun[]): string {
  const run = runs.find((each) => each.kind === kind);
  const name = `Last ${kind.toLowerCase()}:`;
  if (!run) return `${name} never.`;
  const { ended_at, succeeded, succeeded_at, found } = toOutput(run);
  if (succeeded) return `${name} ${ended_at}, ${found}.`;
  return `${name} ${ended_at}, FAILED (${found}); last success: ${succeeded_at ?? 'never'}.`;
}

/** Safe to `eval` in a shell. */
function quoted(value: unknown): string {
  return `'${String(value).replaceAll("'", `'\\''`)}'`;
}

export async function isHealthy(baseUrl: string): Promise<boolean> {
  try {
    return (await fetch(`${baseUrl}/healthz`, { signal: AbortSignal.timeout(PROBE_TIME_LIMIT_MS) })).ok;
  } catch {
    return false;
  }
}
