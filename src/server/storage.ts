/** Opens the database of a server and prepares what is in it and in the data folder: schema, secrets, demo business. */
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { type ServeConfig, UsageError } from '../base/config.js';
import { explainFolderError, makeDataFolder } from '../base/data-folder.js';
import { isLoopbackAddress } from '../base/hosts.js';
import { newSecret } from '../base/ids.js';
import { SealingKeys } from '../base/sealing.js';
import { readOrCreateSecret, SECRET_FILES } from '../base/secret-files.js';
import { hashWithKey } from '../base/secrets.js';
import type { Tracing } from '../base/tracing.js';
import { readVersion } from '../base/version.js';
import { enterMode } from '../business/merchants/mode.js';
import { hasMerchants } from '../business/merchants/queries.js';
import { requireSameClock } from '../database/clock-difference.js';
import { type Database, type DatabaseOptions, openDatabase } from '../database/database.js';
import { type EmbeddedPostgres, startEmbedded } from '../database/embedded/embedded.js';
import { isRunning } from '../database/embedded/folder.js';
import { migrate } from '../database/migrate.js';
import type { OnBlocked } from '../database/short-locks.js';
import { explainUnreachable, unavailableReason } from '../database/unavailable.js';
import { type Demo, readDemoFile, writeDemoFile } from '../demo/demo-file.js';
import { openHashKey } from '../identity/hash-key.js';
import type { Sample } from '../metrics/meter.js';
import { requireSecretsKeys } from '../processor/merchant-processors.js';
import { requireFreePort } from './listening.js';
import { readServerRecord, recordServer, removeServerRecord } from './server-file.js';

/** Releases a resource that the start has acquired. */
export type UndoStep = () => Promise<void>;

export interface Storage {
  readonly database: Database;
  readonly findOutage: Database['findOutage'];
  /**
   * Runs the work of a start before requests are served. Its statements may wait longer for a lock, or for a node of a distributed database,
   * than those of a request.
   */
  prepare<Result>(work: (patient: Database) => Promise<Result>): Promise<Result>;
  readonly pool: PoolSettings;
}

/** How to connect to the database. */
export interface PoolSettings {
  readonly databaseUrl: string;
  readonly requireScram: boolean;
}

export interface StorageOptions {
  /** Called when the server cannot continue because the embedded PostgreSQL cannot be restarted. */
  readonly onFailure: (error: Error) => void;
  readonly poolSize?: number | undefined;
  readonly tracing?: Tracing | undefined;
  /** For a process of several: the database that the primary has opened. */
  readonly pool?: PoolSettings | undefined;
  /** For tests: called with every SQL statement. */
  readonly onStatement?: DatabaseOptions['onStatement'];
  /** For tests: called with every notice of the database. */
  readonly onNotice?: DatabaseOptions['onNotice'];
}

/** Opens the database and applies pending migrations. */
export async function openStorage(
  config: ServeConfig,
  { log, undo, ...options }: StorageOptions & { readonly log: Log; readonly undo: UndoStep[] },
): Promise<Storage> {
  const { onStatement, onNotice, poolSize, tracing } = options;
  if (options.pool === undefined) await requireUnusedPort(config);
  await makeUsableFolder(config.dataDir);
  const isEmbedded = config.databaseUrl === undefined && options.pool === undefined;
  const embedded = isEmbedded ? await startPostgres(config, log, options.onFailure) : undefined;
  if (embedded) undo.push(() => embedded.stop());
  const pool = options.pool ?? { databaseUrl: config.databaseUrl ?? embedded?.url ?? '', requireScram: isEmbedded };
  const { databaseUrl, requireScram } = pool;
  let isOpen = false;
  const database = openDatabase(databaseUrl, {
    requireScram,
    tracing,
    ...(poolSize !== undefined && { maxConnections: poolSize }),
    ...(onStatement && { onStatement }),
    ...(onNotice && { onNotice }),
    // Logged once per outage, not per request; a failed start reports it with its own error.
    onUnavailable: (error) =>
      isOpen && log.warn({ reason: unavailableReason(error), err: error }, 'database: connection lost'),
    onAvailable: () => isOpen && log.warn('database: connection restored'),
    onStalled: ({ blocked, oldestMs, blockers }) =>
      isOpen && log.warn({ blocked, oldest_ms: oldestMs, blockers }, 'database: statements wait for a lock'),
    onUnstalled: (milliseconds) =>
      isOpen && log.warn({ duration_ms: milliseconds }, 'database: no statement waits for a lock any more'),
    onNodeLost: (node, error) =>
      isOpen && log.warn({ node, reason: unavailableReason(error), err: error }, 'database: node lost'),
    onNodeRestored: (node) => isOpen && log.warn({ node }, 'database: node restored'),
  });
  undo.push(() => database.close());
  const prepare: Storage['prepare'] = async (work) => {
    const patient = openDatabase(databaseUrl, { hasLongTimeouts: true, maxConnections: 2 });
    return work(patient).finally(() => patient.close());
  };
  const onBlocked: OnBlocked = (blockers) => log.warn({ blockers }, 'database: the migration waits for other sessions');
  const migrations = await prepare((patient) => migrate(patient, { onBlocked })).catch((error: unknown) => {
    throw config.databaseUrl === undefined ? error : explainUnreachable(error);
  });
  await requireSameClock(database);
  if (migrations.length > 0) log.info({ migrations }, 'database: migrated');
  await enterMode(database, config);
  isOpen = true;
  const findOutage = async (): Promise<string | undefined> => {
    const outage = await database.findOutage();
    return outage && [outage, embedded?.outage].filter(Boolean).join(' ');
  };
  return { database, findOutage, prepare, pool };
}

/** Plain data, so that a primary can send it to its processes. */
export interface Secrets {
  /** Undefined if the demo business is off. Its secrets contain the valid operator key. */
  readonly demo: Demo | undefined;
  readonly operatorKey: string;
  /** For hashes of values that are too short for a plain hash. */
  readonly hashKey: string;
}

/** Reads or creates the secrets in the data folder, and the demo business. */
export async function prepareData(config: ServeConfig, database: Database): Promise<Secrets> {
  if (config.mode === 'sandbox') {
    const { openStubFolder } = await import('../sandbox/stub-files.js');
    await openStubFolder(database, config.stubs);
  }
  return prepareSecrets(config, database);
}

async function prepareSecrets(config: ServeConfig, database: Database): Promise<Secrets> {
  await requireSecretsKeys(database.sql, new SealingKeys(config.secretsKeys ?? []));
  const demoOn = await isDemoOn(config, database);
  if (demoOn) refuseOpenDemo(config);
  const file = demoOn ? await readDemoFile(config.dataDir) : undefined;
  const hashKey = await openHashKey(database, config, async () => (await hasMerchants(database.sql)).any);
  const openDemo = async (): Promise<Demo> => {
    const { prepareDemo } = await import('../demo/demo.js'); // many rooms, which would delay the start of PostgreSQL
    const keyedHash = (text: string): Buffer => hashWithKey(hashKey, text);
    return prepareDemo(database, file, { history: config.demoHistory, keyedHash });
  };
  const demo = demoOn ? await openDemo() : undefined;
  const operatorKey = config.operatorKey ?? demo?.secrets.operatorKey ?? (await readOrCreateOperatorKey(config));
  return { demo: demo && { ...demo, secrets: { ...demo.secrets, operatorKey } }, operatorKey, hashKey };
}

/** `base` has the fields of every line. If there are several processes, it contains the id of the process. */
export function createLog(level: ServeConfig['logLevel'], base: { readonly pid: number } | null = null) {
  return pino(
    {
      level,
      base,
      serializers: {
        // Other properties of driver errors may contain data of callers.
        err: ({ name, code, message, stack }: Error & { code?: string }) => ({ name, code, message, stack }),
      },
    },
    pino.destination({ fd: 2, sync: false }),
  );
}

export type Log = ReturnType<typeof createLog>;

function startPostgres(config: ServeConfig, log: Log, onFailure: (error: Error) => void): Promise<EmbeddedPostgres> {
  return startEmbedded({
    dataDir: config.dataDir,
    log: (line) => log.debug({ line }, 'embedded PostgreSQL: output'),
    warn: (message, error) => log.warn({ ...(error && { err: error }) }, message),
    onGiveUp: onFailure,
  });
}

/** As the flag says. By default, a sandbox with an embedded database has the demo if it is new or was created with it. */
async function isDemoOn({ demo, databaseUrl, mode }: ServeConfig, database: Database): Promise<boolean> {
  if (demo !== undefined) return demo;
  if (databaseUrl !== undefined || mode === 'production') return false;
  const { any, demo: hasDemo } = await hasMerchants(database.sql);
  return hasDemo || !any;
}

function refuseOpenDemo({ host, demoBeyondLoopback }: ServeConfig): void {
  if (isLoopbackAddress(host) || demoBeyondLoopback) return;
  throw new UsageError(
    `--host ${host} would make the demo business, whose secrets are in a file, reachable from other machines. ` +
      'Use --demo off, or --demo-beyond-loopback on to allow it.',
  );
}

/** Without the demo, the operator key is in a file that only its owner can read (decision 0052). */
async function readOrCreateOperatorKey({ dataDir, mode }: ServeConfig): Promise<string> {
  if (mode === 'production') return newSecret('opk_', 48); // production has no sandbox surface, so the key is unused
  return readOrCreateSecret(join(dataDir, SECRET_FILES.operatorKey), 'opk_');
}

/** If a server runs on the folder, it has the port too, and the folder is what matters. */
async function requireUnusedPort(config: ServeConfig): Promise<void> {
  const record = await readServerRecord(config.dataDir);
  if (record === undefined || !isRunning(record.pid)) await requireFreePort(config);
}

async function makeUsableFolder(dataDir: string): Promise<void> {
  try {
    await makeDataFolder(dataDir);
    await access(dataDir, constants.W_OK); // the volume of a container may belong to somebody else
  } catch (error) {
    const advice = explainFolderError(error, dataDir);
    const reason = `${(error as Error).message}.${advice === undefined ? '' : ` ${advice}`}`;
    throw new UsageError(`--data-dir (TILLHOUSE_DATA_DIR) is not usable: ${reason}`);
  }
}

/** Logs that a server starts, and later that it is ready, stops, and has stopped. */
export async function logLifecycle(log: Log, { mode }: ServeConfig) {
  const since = performance.now();
  log.info({ version: await readVersion(), node: process.version, mode }, 'server: starting');
  return {
    ready: (url: string) => log.info({ url, duration_ms: Math.round(performance.now() - since) }, 'server: ready'),
    stopping: () => log.info('server: stopping'),
    stopped: () => log.info('server: stopped'),
  };
}

/** Tells commands and developers about the server. Returns how to undo that. */
export async function recordStart(
  { dataDir, mode, publicUrl }: ServeConfig,
  { localUrl, demo }: { readonly localUrl: string; readonly demo: Demo | undefined },
): Promise<UndoStep> {
  const baseUrl = publicUrl ?? localUrl;
  const record = { base_url: baseUrl, local_url: localUrl, pid: process.pid, mode, demo: demo !== undefined };
  await recordServer(dataDir, record);
  if (demo) await writeDemoFile(dataDir, demo, baseUrl);
  return () => removeServerRecord(dataDir);
}

/** Serves metrics, if they are asked for. `sampleAll` returns those of every process. */
export async function offerMetrics(
  { metrics: address }: ServeConfig,
  {
    database,
    sampleAll,
    undo,
  }: {
    readonly database: Database;
    readonly sampleAll: () => Promise<readonly Sample[]>;
    readonly undo: UndoStep[];
  },
): Promise<string | undefined> {
  if (address === undefined) return undefined;
  const { serveMetrics } = await import('../metrics/listener.js');
  const { sampleBacklog } = await import('../metrics/backlog.js');
  const listener = await serveMetrics(address, async () => {
    const [samples, backlog] = await Promise.all([sampleAll(), sampleBacklog(database)]);
    return [...samples, backlog];
  });
  undo.push(() => listener.close());
  return listener.url;
}
