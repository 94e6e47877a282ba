/** `tillhouse status`: shows whether a server runs on the data folder, and how to reach it. */
import { DATA_FLAGS, parseArguments, rejectExtraArguments, toDataDir } from '../base/config.js';
import { readDemoFile } from '../demo/demo-file.js';
import { readServerRecord } from '../server-file.js';
import { type Command, OUTPUT_FLAG, printHelp } from './command.js';
import { describeNotRunning } from './running-server.js';

const FLAGS = {
  output: { ...OUTPUT_FLAG, value: 'text|env|json', choices: ['text', 'env', 'json'] },
  'data-dir': DATA_FLAGS['data-dir'],
} as const;

const PROBE_TIME_LIMIT_MS = 2000;

export const status: Command = {
  name: 'status',
  summary: 'show whether a server runs, and how to reach it',
  async run(args) {
    const call = parseArguments(args, FLAGS);
    if (call.help)
      return printHelp('status [-o text|env|json]', 'Shows whether a server runs on the data folder.', FLAGS);
    rejectExtraArguments(call, 0);
    const dataDir = toDataDir(call.values);
    const [record, demo] = await Promise.all([readServerRecord(dataDir), readDemoFile(dataDir)]);
    const running = record !== undefined && (await isHealthy(record.local_url));
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
    console.log(RENDER[call.values.output as keyof typeof RENDER](facts));
    if (!running) process.exitCode = 3; // the LSB exit code for "not running"
  },
};

type Facts = Record<string, unknown>;

const RENDER = {
  json: (facts: Facts) => JSON.stringify(facts, null, 2),
  env: (facts: Facts) =>
    Object.entries(facts)
      .map(
        ([name, value]) => `TILLHOUSE_${name.toUpperCase()}=${quoted(Array.isArray(value) ? value.join(',') : value)}`,
      )
      .join('\n'),
  text: (facts: Facts) =>
    facts['running']
      ? `Tillhouse runs at ${facts['base_url']} (process ${facts['pid']}, data in ${facts['data_dir']}).`
      : describeNotRunning(String(facts['data_dir'])),
};

/** Safe to `eval` in a shell. */
function quoted(value: unknown): string {
  return `'${String(value).replaceAll("'", `'\\''`)}'`;
}

async function isHealthy(baseUrl: string): Promise<boolean> {
  try {
    return (await fetch(`${baseUrl}/healthz`, { signal: AbortSignal.timeout(PROBE_TIME_LIMIT_MS) })).ok;
  } catch {
    return false;
  }
}
