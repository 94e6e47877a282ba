/** Starts and stops a server: database, schema, demo business, application, in that order and back. */
import { mkdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pino } from 'pino';
import { Cookies } from './api/cookies.js';
import { watchRequests } from './api/drain.js';
import { createLimits, type GuardOverrides } from './api/limits.js';
import { fullName } from './api/operation.js';
import { buildApp } from './app.js';
import { type ServeConfig, UsageError } from './base/config.js';
import { isLoopbackAddress } from './base/hosts.js';
import { newSecret, realIds } from './base/ids.js';
import { keptAccountKey, keptSecret } from './base/kept-secrets.js';
import { hashSecret, hashWithKey } from './base/secrets.js';
import { enterMode } from './business/merchants/mode.js';
import { hasMerchants } from './business/merchants/queries.js';
import { type Database, type DatabaseOptions, openDatabase } from './database/database.js';
import { type EmbeddedPostgres, startEmbedded } from './database/embedded/embedded.js';
import { migrate } from './database/migrate.js';
import { explainUnreachable, whyUnavailable } from './database/unavailable.js';
import { prepareDemo } from './demo/demo.js';
import { type Demo, readDemoFile, writeDemoFile } from './demo/demo-file.js';
import { createSender } from './events/sending.js';
import { Credentials } from './identity/credentials.js';
import { SecurityLog } from './identity/security-log.js';
import { operations, pages, productionOperations } from './operations.js';
import type { Processor } from './processor/contract.js';
import { withRules } from './processor/rules.js';
import { simulator } from './processor/simulator.js';
import { withEnd, withTimeLimit } from './processor/time-limit.js';
import { FaultRules } from './sandbox/faults.js';
import { forgetServer, recordServer } from './server-file.js';
import { startWorker } from './worker/worker.js';

export interface RunningServer {
  readonly baseUrl: string;
  readonly demo: Demo | undefined;
  /** Finishes what is under way, then lets everything go. */
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** Called when the server cannot go on: the embedded PostgreSQL does not come back. */
  readonly onFailure: (error: Error) => void;
  /** Who moves the money; the simulator where nobody is named. */
  readonly processor?: Processor;
  /** How long its answers are waited for. */
  readonly processorTimeLimitMs?: number;
  /** Lower guards, and less patience with connections that say nothing or do not read: for tests. */
  readonly guards?: GuardOverrides;
  readonly silenceLimitMs?: number;
  readonly unreadLimitMs?: number;
  /** Sees every statement as it is sent: for tests. */
  readonly onStatement?: DatabaseOptions['onStatement'];
}

/** Shorter than the time after which a worker asks again, so that nobody is asked twice at once. */
const PROCESSOR_TIME_LIMIT_MS = 20_000;

/** Who waits for the processor when the server is told to stop learns then that the outcome is not known yet. */
const ANSWERS_AWAITED_AT_STOP_MS = 5_000;
/** A statement may wait for a lock of somebody else for ever. Longer than the above, so that outcomes are still written down. */
const STATEMENTS_AWAITED_AT_STOP_MS = 7_000;

export async function startServer(config: ServeConfig, options: ServerOptions): Promise<RunningServer> {
  const undo: Step[] = [];
  let abandon = (): void => {};
  const stop = async (): Promise<void> => {
    const patience = setTimeout(() => abandon(), STATEMENTS_AWAITED_AT_STOP_MS);
    try {
      for (let step = undo.pop(); step; step = undo.pop()) await step();
    } finally {
      clearTimeout(patience);
    }
  };
  try {
    const log = createLog(config.logLevel);
    const { database, findTrouble } = await openStorage(config, { ...options, log, undo });
    abandon = () => database.abandon();
    const { demo, operatorKey, keyedHash } = await prepareSecrets(config, database);
    const credentials = new Credentials(database.sql);
    undo.push(async () => credentials.close());
    const securityLog = new SecurityLog(database, (error) => log.warn({ err: error }, 'audit: write failed'));
    undo.push(() => securityLog.close());

    const processor = withEnd(
      options.processor
        ? withTimeLimit(options.processor, options.processorTimeLimitMs ?? PROCESSOR_TIME_LIMIT_MS)
        : withRules(simulator, database),
    );
    const reach = { mode: config.mode, webhookPorts: config.webhookPorts };
    const offered = config.mode === 'production' ? productionOperations : operations;
    const faults =
      config.mode === 'production' ? undefined : new FaultRules(database, (facts) => log.info(facts, 'fault'));
    const app = await buildApp({
      doors: {
        context: {
          database,
          processor,
          ids: realIds,
          mode: config.mode,
          reach,
          keyedHash,
          cookies: new Cookies(config.mode, () => publicPort(config) ?? (app.server.address() as AddressInfo).port),
          limits: createLimits(config.rateLimit, options.guards),
          securityLog,
          forget: (merchantId) => credentials.forget(merchantId),
          forgetAttendants: (merchantId) => credentials.forgetAttendants(merchantId),
          operationNames: new Set(offered.map(fullName)),
        },
        credentials,
        operatorKeyHash: hashSecret(operatorKey),
        retired: config.retired,
        publicUrl: config.publicUrl,
        faults,
      },
      operations: offered,
      pages,
      log,
      loopbackOnly: isLoopbackAddress(config.host),
      trustProxy: config.trustProxy,
      maxConnections: config.maxConnections,
      silenceLimitMs: options.silenceLimitMs,
      unreadLimitMs: options.unreadLimitMs,
      findTrouble,
    });
    const drain = watchRequests(app.server);
    undo.push(async () => {
      const patience = setTimeout(() => processor.giveUp(), ANSWERS_AWAITED_AT_STOP_MS);
      await drain(app.close());
      clearTimeout(patience);
    });
    undo.push(async () => faults?.stop());
    await listen(app, config);
    const worker = startWorker(
      { database, processor, ids: realIds },
      { sender: createSender(reach), befall: faults && ((...taken) => faults.befall(...taken)), log },
    );
    undo.push(() => worker.stop());

    const { port } = app.server.address() as AddressInfo;
    const localUrl = `http://${reachableHost(config.host)}:${port}`;
    const baseUrl = config.publicUrl ?? localUrl;
    await recordServer(config.dataDir, {
      base_url: baseUrl,
      local_url: localUrl,
      pid: process.pid,
      mode: config.mode,
      demo: demo !== undefined,
    });
    undo.push(() => forgetServer(config.dataDir));
    if (demo) await writeDemoFile(config.dataDir, demo, baseUrl);
    return { baseUrl, demo, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** How something that was begun is ended. */
type Step = () => Promise<void>;

interface Storage {
  readonly database: Database;
  readonly findTrouble: Database['findTrouble'];
}

/** The database with the schema of this version. */
async function openStorage(
  config: ServeConfig,
  { log, onFailure, onStatement, undo }: ServerOptions & { readonly log: Log; readonly undo: Step[] },
): Promise<Storage> {
  await makeDataFolder(config.dataDir);
  const embedded = config.databaseUrl === undefined ? await startPostgres(config, log, onFailure) : undefined;
  if (embedded) undo.push(() => embedded.stop());
  const databaseUrl = config.databaseUrl ?? embedded?.url ?? '';
  let isOpen = false;
  const database = openDatabase(databaseUrl, {
    requireScram: embedded !== undefined,
    ...(onStatement && { onStatement }),
    // Once for all who are without it: requests say so in their answers, and what is due waits. A start says it by its end.
    onLost: (error) => isOpen && log.warn({ reason: whyUnavailable(error), err: error }, 'the database is away'),
    onFound: () => isOpen && log.warn('the database is back'),
  });
  undo.push(() => database.close());
  await migrate(database).catch((error: unknown) => {
    throw config.databaseUrl === undefined ? error : explainUnreachable(error);
  });
  await enterMode(database, config);
  isOpen = true;
  const findTrouble = async (): Promise<string | undefined> => {
    const trouble = await database.findTrouble();
    return trouble && [trouble, embedded?.trouble].filter(Boolean).join(' ');
  };
  return { database, findTrouble };
}

interface Secrets {
  /** With the operator's key that holds, where it is on. */
  readonly demo: Demo | undefined;
  readonly operatorKey: string;
  readonly keyedHash: (text: string) => Buffer;
}

/** What is kept beside the data, made where it is not there yet; the demo business, too. */
async function prepareSecrets(config: ServeConfig, database: Database): Promise<Secrets> {
  const demoOn = await isDemoOn(config, database);
  if (demoOn) refuseOpenDemo(config);
  const file = demoOn ? await readDemoFile(config.dataDir) : undefined;
  const accountKey = config.accountKey ?? (await keptAccountKey(config.dataDir));
  const keyedHash = (text: string): Buffer => hashWithKey(accountKey, text);
  const demo = demoOn ? await prepareDemo(database, file, { history: config.demoHistory, keyedHash }) : undefined;
  const operatorKey = config.operatorKey ?? demo?.secrets.operatorKey ?? (await ownOperatorKey(config));
  return { demo: demo && { ...demo, secrets: { ...demo.secrets, operatorKey } }, operatorKey, keyedHash };
}

function createLog(level: ServeConfig['logLevel']) {
  return pino(
    {
      level,
      base: null,
      serializers: {
        // What a driver hangs on its errors may hold what a caller sent; the rest is enough to find the place.
        err: ({ name, code, message, stack }: Error & { code?: string }) => ({ name, code, message, stack }),
      },
    },
    pino.destination({ fd: 2, sync: false }),
  );
}

type Log = ReturnType<typeof createLog>;

function startPostgres(config: ServeConfig, log: Log, onFailure: (error: Error) => void): Promise<EmbeddedPostgres> {
  return startEmbedded({
    dataDir: config.dataDir,
    log: (line) => log.debug({ postgres: line }),
    warn: (line) => log.warn(line),
    onGiveUp: onFailure,
  });
}

/** On where asked for; else where a sandbox's own data folder is new, or has had it from the beginning. */
async function isDemoOn({ demo, databaseUrl, mode }: ServeConfig, database: Database): Promise<boolean> {
  if (demo !== undefined) return demo;
  if (databaseUrl !== undefined || mode === 'production') return false;
  const { any, demo: hasDemo } = await hasMerchants(database.sql);
  return hasDemo || !any;
}

function refuseOpenDemo({ host, demoBeyondLoopback }: ServeConfig): void {
  if (isLoopbackAddress(host) || demoBeyondLoopback) return;
  throw new UsageError(
    `--host ${host} would show the demo business, whose secrets lie in a file, to other machines. Use --demo off, ` +
      'or --demo-beyond-loopback on if that is what you want.',
  );
}

/** The port that clients call, where an address for them was set. */
function publicPort({ publicUrl }: ServeConfig): number | undefined {
  if (publicUrl === undefined) return undefined;
  const { port, protocol } = new URL(publicUrl);
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** Decision 0052: without the demo, the operator's key lies in a file that only its owner may read. */
async function ownOperatorKey({ dataDir, mode }: ServeConfig): Promise<string> {
  if (mode === 'production') return newSecret('opk_', 48); // there is no surface that it would open
  return keptSecret(join(dataDir, 'operator-key'), 'opk_');
}

async function makeDataFolder(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new UsageError(`--data-dir (TILLHOUSE_DATA_DIR) cannot be used: ${(error as Error).message}.`);
  }
}

async function listen(app: Awaited<ReturnType<typeof buildApp>>, { port, host }: ServeConfig): Promise<void> {
  try {
    await app.listen({ port, host });
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'EADDRINUSE') {
      throw new UsageError(
        `Port ${port} on ${host} is in use; choose another with --port (PORT), or 0 for any free one.`,
      );
    }
    if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EACCES'].includes(code ?? '')) {
      throw new UsageError(
        `Cannot listen on ${host}:${port} (${code}); choose another --host (HOST) or --port (PORT).`,
      );
    }
    throw error;
  }
}
