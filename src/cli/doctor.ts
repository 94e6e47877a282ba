/** `tillhouse doctor`: checks what a server on the data folder needs, and says what to do about each problem. */
import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { realNow } from '../base/clock.js';
import { DATA_FLAGS, type DataConfig, SERVE_FLAGS, toDataConfig, UsageError } from '../base/config.js';
import { explainFolderError } from '../base/data-folder.js';
import { HIGHEST_PORT } from '../base/hosts.js';
import { explainOldNode, OLDEST_NODE } from '../base/oldest-node.js';
import { printSeconds } from '../base/time.js';
import { readVersion } from '../base/version.js';
import { parseWholeNumber } from '../base/whole-number.js';
import { measureClockDifference, TOLD_DIFFERENCE_MS } from '../database/clock-difference.js';
import { chooseAccount } from '../database/embedded/account.js';
import { findBinaries } from '../database/embedded/binaries.js';
import { hasEmbedded } from '../database/embedded/embedded.js';
import { requireFreePort } from '../server/listening.js';
import { readServerRecord, type ServerRecord } from '../server/server-file.js';
import { OUTPUT_FLAG, withDatabaseAt } from './command.js';
import { command } from './declare.js';
import { isHealthy } from './status.js';

const FLAGS = { port: SERVE_FLAGS.port, host: SERVE_FLAGS.host, output: OUTPUT_FLAG, ...DATA_FLAGS } as const;

type Level = 'ok' | 'warning' | 'problem';

interface Finding {
  readonly check: string;
  readonly level: Level;
  /** What was found, and what to do. */
  readonly text: string;
}

/** A new data folder with the demo business takes about 150 MB. */
const NEEDED_MB = 500;
const MEGABYTE = 1024 * 1024;

export const doctor = command({
  name: 'doctor',
  summary: 'check what a server needs: Node.js, port, folder, disk, database, clock',
  usage: '[--port NUMBER] [flags]',
  about:
    'Checks Node.js, the port, the data folder, its disk, the database and the clock. Changes nothing. Exits with 1 if there is a problem.',
  flags: FLAGS,
  async run({ values }) {
    const config = toDataConfig(values);
    const port = parseWholeNumber(values.port, { min: 0, max: HIGHEST_PORT });
    if (port === undefined)
      throw new UsageError(`--port (PORT) must be a number from 0 to 65535, not '${values.port}'.`);
    const record = await readServerRecord(config.dataDir);
    const running = record && (await isHealthy(record.local_url)) ? record : undefined;
    const findings = [
      { check: 'version', level: 'ok', text: `Tillhouse ${await readVersion()}` } as const,
      checkNode(),
      running ? describeServer(running) : await checkPort(port, values.host),
      await checkFolder(config),
      await checkDisk(config),
      ...(await checkDatabase(config)),
    ];
    if (values.output === 'json') console.log(JSON.stringify(findings, null, 2));
    else for (const each of findings) console.log(`${each.level.padEnd(7)}  ${each.check.padEnd(8)}  ${each.text}`);
    if (findings.some(({ level }) => level === 'problem')) process.exitCode = 1;
  },
});

function checkNode(): Finding {
  const old = explainOldNode(process.versions.node);
  const text =
    old ?? `${process.versions.node} (${OLDEST_NODE} or newer is needed), ${process.platform} ${process.arch}`;
  return { check: 'node', level: old === undefined ? 'ok' : 'problem', text };
}

function describeServer({ base_url, pid, mode }: ServerRecord): Finding {
  return { check: 'server', level: 'ok', text: `runs at ${base_url} (process ${pid}, ${mode})` };
}

async function checkPort(port: number, host: string): Promise<Finding> {
  try {
    await requireFreePort({ port, host });
    return {
      check: 'port',
      level: 'ok',
      text: `no server runs on the data folder, and port ${port} on ${host} is free`,
    };
  } catch (error) {
    return { check: 'port', level: 'problem', text: (error as Error).message };
  }
}

async function checkFolder({ dataDir }: DataConfig): Promise<Finding> {
  const place = await nearestFolder(dataDir);
  try {
    await access(place, constants.W_OK);
  } catch (error) {
    return { check: 'folder', level: 'problem', text: explainFolderError(error, place) ?? (error as Error).message };
  }
  const text = place === dataDir ? `${dataDir} can be written` : `${dataDir} is made by the first start`;
  return { check: 'folder', level: 'ok', text };
}

async function checkDisk({ dataDir }: DataConfig): Promise<Finding> {
  const { bavail, bsize } = await statfs(await nearestFolder(dataDir));
  const free = Math.floor((bavail * bsize) / MEGABYTE);
  if (free >= NEEDED_MB) return { check: 'disk', level: 'ok', text: `${free} MB are free` };
  return {
    check: 'disk',
    level: 'warning',
    text: `only ${free} MB are free. A new data folder needs about ${NEEDED_MB} MB.`,
  };
}

/** The folder itself, or the one in which it will be made. */
async function nearestFolder(path: string): Promise<string> {
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  return exists || dirname(path) === path ? path : nearestFolder(dirname(path));
}

/** The database and its clock. An embedded one that does not run is started for the check. */
async function checkDatabase(config: DataConfig): Promise<readonly Finding[]> {
  const { databaseUrl, dataDir } = config;
  try {
    if (databaseUrl === undefined && !(await hasEmbedded(dataDir))) return [await checkPrograms(dataDir)];
    return await withDatabaseAt(config, async (database) => {
      const place = databaseUrl === undefined ? 'embedded' : 'of --database-url';
      const differenceMs = await measureClockDifference(database);
      const differs = Math.abs(differenceMs) > TOLD_DIFFERENCE_MS;
      return [
        { check: 'database', level: 'ok', text: `PostgreSQL (${place}) responds` },
        {
          check: 'clock',
          level: differs ? 'problem' : 'ok',
          text: differs
            ? `differs by ${differenceMs} ms from PostgreSQL's. Set both clocks with a time service.`
            : `${printSeconds(realNow())}, ${Math.abs(differenceMs)} ms from PostgreSQL's`,
        },
      ];
    });
  } catch (error) {
    return [{ check: 'database', level: 'problem', text: (error as Error).message }];
  }
}

/** Whether the programs of the embedded PostgreSQL are installed. */
async function checkPrograms(dataDir: string): Promise<Finding> {
  const { version } = await findBinaries(await chooseAccount(join(dataDir, 'postgres')));
  return {
    check: 'database',
    level: 'ok',
    text: `there is none yet: the first start creates it with PostgreSQL ${version}`,
  };
}
