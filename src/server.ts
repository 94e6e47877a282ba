/** Starts a server (database, schema, demo business, HTTP application, worker) and stops it in reverse order. */
import { mkdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pino } from 'pino';
import { ChangeStreams } from './api/change-stream.js';
import { ConsoleStreams } from './api/console-stream.js';
import { Cookies } from './api/cookies.js';
import { watchRequests } from './api/drain.js';
import { createLimits, type GuardOverrides } from './api/limits.js';
import { fullName } from './api/operation.js';
import { Operator } from './api/operator.js';
import { RequestLog, type RequestLogBound } from './api/request-log.js';
import { buildApp } from './app.js';
import { type ServeConfig, UsageError } from './base/config.js';
import { hostName, isLoopbackAddress, isLoopbackName } from './base/hosts.js';
import { newSecret, realIds } from './base/ids.js';
import { readOrCreateAccountKey, readOrCreateSecret } from './base/secret-files.js';
import { hashWithKey } from './base/secrets.js';
import { enterMode } from './business/merchants/mode.js';
import { hasMerchants } from './business/merchants/queries.js';
import { type Database, type DatabaseOptions, openDatabase } from './database/database.js';
import { type EmbeddedPostgres, startEmbedded } from './database/embedded/embedded.js';
import { migrate } from './database/migrate.js';
import { explainUnreachable, unavailableReason } from './database/unavailable.js';
import { prepareDemo } from './demo/demo.js';
import { type Demo, readDemoFile, writeDemoFile } from './demo/demo-file.js';
import { createSender } from './events/sending.js';
import { Credentials } from './identity/credentials.js';
import { SecurityLog } from './identity/security-log.js';
import { Watches } from './identity/watches.js';
import { operations, pages, productionOperations } from './operations.js';
import { openProcessor, type ProcessorOptions } from './processor/open.js';
import { FaultRules } from './sandbox/faults.js';
import { recordServer, removeServerRecord } from './server-file.js';
import { Agenda } from './worker/agenda.js';
import { createTableSource, type DueSource } from './worker/due-source.js';
import { startWorker, warn } from './worker/worker.js';

export interface RunningServer {
  readonly baseUrl: string;
  readonly demo: Demo | undefined;
  /** Finishes requests in flight, then releases all resources. */
  stop(): Promise<void>;
}

export interface ServerOptions extends ProcessorOptions {
  /** Called when the server cannot continue because the embedded PostgreSQL cannot be restarted. */
  readonly onFailure: (error: Error) => void;
  /** For tests: lower limits, and shorter timeouts for connections that do not send or do not read. */
  readonly guards?: GuardOverrides;
  readonly headersTimeoutMs?: number;
  readonly readTimeoutMs?: number;
  /** For tests: how much the log of requests keeps. */
  readonly requestLog?: RequestLogBound;
  /** For tests: finds due work as on a distributed database, and sweeps the shards more often. */
  readonly agenda?: { readonly isForced?: boolean; readonly sweepIntervalMs?: number };
  /** For tests: called with every SQL statement. */
  readonly onStatement?: DatabaseOptions['onStatement'];
  /** For tests: called with every notice of the database. */
  readonly onNotice?: DatabaseOptions['onNotice'];
}

/** At a stop, requests that wait for the processor longer than this are answered with an unknown outcome. */
const PROCESSOR_STOP_LIMIT_MS = 5_000;
/** A statement may wait forever for a lock of another client. Longer than the limit above, so that outcomes are still recorded. */
const STATEMENT_STOP_LIMIT_MS = 7_000;

export async function startServer(config: ServeConfig, options: ServerOptions): Promise<RunningServer> {
  const undo: UndoStep[] = [];
  let abandon = (): void => {};
  const stop = async (): Promise<void> => {
    const timer = setTimeout(() => abandon(), STATEMENT_STOP_LIMIT_MS);
    try {
      for (let step = undo.pop(); step; step = undo.pop()) await step();
    } finally {
      clearTimeout(timer);
    }
  };
  try {
    const log = createLog(config.logLevel);
    const { database, findOutage, prepare } = await openStorage(config, { ...options, log, undo });
    abandon = () => database.abandon();
    const { demo, operatorKey, keyedHash } = await prepare((patient) => prepareSecrets(config, patient));
    const credentials = new Credentials(database);
    undo.push(async () => credentials.close());
    const securityLog = new SecurityLog(database, (error) => log.warn({ err: error }, 'audit: write failed'));
    undo.push(() => securityLog.close());

    const watches = new Watches(database, (error, id) => warn(log, error, 'changes: announcement failed', id));
    undo.push(async () => watches.close());
    const streams = new ChangeStreams(watches);

    const { adapter } = config;
    const onTrouble = (trouble: object) => log.warn(trouble, 'processor call: unknown outcome, will be asked again');
    const { processor, close } = await openProcessor({ database, adapter, onTrouble }, options);
    undo.push(close);
    const source = await createDueSource(database, options, log);
    const reach = { mode: config.mode, webhookPorts: config.webhookPorts };
    const offeredOperations = config.mode === 'production' ? productionOperations : operations;
    const faults =
      config.mode === 'production'
        ? undefined
        : new FaultRules(database, (fields) => log.info(fields, 'webhook fault injected'));
    const requestLog = config.mode === 'production' ? undefined : new RequestLog(options.requestLog);
    const consoleStreams = requestLog && new ConsoleStreams(requestLog, watches);
    const app = await buildApp({
      dependencies: {
        context: {
          database,
          processor,
          offersTestCards: config.mode === 'sandbox' && !adapter,
          ids: realIds,
          mode: config.mode,
          reach,
          publicUrl: config.publicUrl,
          keyedHash,
          cookies: new Cookies(config.mode, () => publicPort(config) ?? (app.server.address() as AddressInfo).port),
          limits: createLimits(config.rateLimit, options.guards),
          securityLog,
          forget(merchantId) {
            credentials.forget(merchantId);
            if (merchantId !== undefined) source.lookAt(merchantId); // revocations are also events
          },
          forgetAttendants: (merchantId) => credentials.forgetAttendants(merchantId),
          demoSignIn: demo !== undefined && isOnlyLocal(config),
          demoToken: demo?.secrets.accessToken,
          demoRegister: demo?.register,
          demoLocationId: demo?.business.locations[0]?.id,
          operationNames: new Set(offeredOperations.map(fullName)),
          operator: new Operator(operatorKey, { isOnlyLocal: isOnlyLocal(config) }),
          requestLog,
          localUrl: () => localUrlOf(app, config),
        },
        credentials,
        onWrite: (merchantId) => source.lookAt(merchantId),
        watches,
        retired: config.retired,
        publicUrl: config.publicUrl,
        faults,
        requestLog,
      },
      operations: offeredOperations,
      pages,
      streams,
      consoleStreams,
      log,
      loopbackOnly: isLoopbackAddress(config.host),
      trustProxy: config.trustProxy,
      maxConnections: config.maxConnections,
      headersTimeoutMs: options.headersTimeoutMs,
      readTimeoutMs: options.readTimeoutMs,
      findOutage,
    });
    const drain = watchRequests(app.server);
    undo.push(async () => {
      const timer = setTimeout(() => processor.abort(), PROCESSOR_STOP_LIMIT_MS);
      await drain(app.close());
      clearTimeout(timer);
    });
    undo.push(async () => faults?.stop());
    await listen(app, config);
    const worker = startWorker(
      { database, processor, ids: realIds },
      {
        source,
        watches,
        sender: createSender(reach),
        injectFaults: faults && ((...claimed) => faults.injectFaults(...claimed)),
        publicUrl: config.publicUrl,
        log,
      },
    );
    undo.push(() => worker.stop());

    const localUrl = localUrlOf(app, config);
    const baseUrl = config.publicUrl ?? localUrl;
    await recordServer(config.dataDir, {
      base_url: baseUrl,
      local_url: localUrl,
      pid: process.pid,
      mode: config.mode,
      demo: demo !== undefined,
    });
    undo.push(() => removeServerRecord(config.dataDir));
    if (demo) await writeDemoFile(config.dataDir, demo, baseUrl);
    undo.push(async () => {
      // First: a stream would be a request in flight forever.
      streams.close();
      consoleStreams?.close();
    });
    return { baseUrl, demo, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Releases a resource that the start has acquired. */
type UndoStep = () => Promise<void>;

interface Storage {
  readonly database: Database;
  readonly findOutage: Database['findOutage'];
  /**
   * For what a start does before it serves requests. Statements on all nodes of a distributed database may take longer than a request
   * waits for a node.
   */
  prepare<Result>(work: (patient: Database) => Promise<Result>): Promise<Result>;
}

/** Opens the database and applies pending migrations. */
async function openStorage(
  config: ServeConfig,
  { log, onFailure, onStatement, onNotice, undo }: ServerOptions & { readonly log: Log; readonly undo: UndoStep[] },
): Promise<Storage> {
  await makeDataFolder(config.dataDir);
  const embedded = config.databaseUrl === undefined ? await startPostgres(config, log, onFailure) : undefined;
  if (embedded) undo.push(() => embedded.stop());
  const databaseUrl = config.databaseUrl ?? embedded?.url ?? '';
  let isOpen = false;
  const database = openDatabase(databaseUrl, {
    requireScram: embedded !== undefined,
    ...(onStatement && { onStatement }),
    ...(onNotice && { onNotice }),
    // Logged once per outage, not per request; a failed start reports it with its own error.
    onUnavailable: (error) =>
      isOpen && log.warn({ reason: unavailableReason(error), err: error }, 'database: connection lost'),
    onAvailable: () => isOpen && log.warn('database: connection restored'),
    onNodeLost: (node, error) =>
      isOpen && log.warn({ node, reason: unavailableReason(error), err: error }, 'database: node lost'),
    onNodeRestored: (node) => isOpen && log.warn({ node }, 'database: node restored'),
  });
  undo.push(() => database.close());
  const prepare: Storage['prepare'] = async (work) => {
    if (!(await database.isDistributed())) return work(database);
    const patient = openDatabase(databaseUrl, { hasLongTimeouts: true, maxConnections: 2 });
    return work(patient).finally(() => patient.close());
  };
  await prepare((patient) => migrate(patient)).catch((error: unknown) => {
    throw config.databaseUrl === undefined ? error : explainUnreachable(error);
  });
  await enterMode(database, config);
  isOpen = true;
  const findOutage = async (): Promise<string | undefined> => {
    const outage = await database.findOutage();
    return outage && [outage, embedded?.outage].filter(Boolean).join(' ');
  };
  return { database, findOutage, prepare };
}

/** How the worker finds what is due. */
async function createDueSource(database: Database, { agenda = {} }: ServerOptions, log: Log): Promise<DueSource> {
  const usesAgenda = agenda.isForced || (await database.isDistributed());
  if (!usesAgenda) return createTableSource(database.sql);
  return new Agenda({
    database,
    sweepIntervalMs: agenda.sweepIntervalMs,
    onError: (error, merchantId) => warn(log, error, 'agenda: failed, will retry', merchantId),
  });
}

interface Secrets {
  /** Undefined if the demo business is off. Its secrets contain the valid operator key. */
  readonly demo: Demo | undefined;
  readonly operatorKey: string;
  readonly keyedHash: (text: string) => Buffer;
}

/** Reads or creates the secrets in the data folder, and the demo business. */
async function prepareSecrets(config: ServeConfig, database: Database): Promise<Secrets> {
  const demoOn = await isDemoOn(config, database);
  if (demoOn) refuseOpenDemo(config);
  const file = demoOn ? await readDemoFile(config.dataDir) : undefined;
  const accountKey = config.accountKey ?? (await readOrCreateAccountKey(config.dataDir));
  const keyedHash = (text: string): Buffer => hashWithKey(accountKey, text);
  const demo = demoOn ? await prepareDemo(database, file, { history: config.demoHistory, keyedHash }) : undefined;
  const operatorKey = config.operatorKey ?? demo?.secrets.operatorKey ?? (await readOrCreateOperatorKey(config));
  return { demo: demo && { ...demo, secrets: { ...demo.secrets, operatorKey } }, operatorKey, keyedHash };
}

function createLog(level: ServeConfig['logLevel']) {
  return pino(
    {
      level,
      base: null,
      serializers: {
        // Other properties of driver errors may contain data of callers.
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

/** Whether only browsers on this machine reach the server: no other address, no proxy, no other name. */
function isOnlyLocal({ host, mode, publicUrl, trustProxy }: ServeConfig): boolean {
  const isLocalName = publicUrl === undefined || isLoopbackName(hostName(new URL(publicUrl).host));
  return mode === 'sandbox' && isLoopbackAddress(host) && isLocalName && trustProxy === undefined;
}

/** The port of --public-url, if it is set. */
function publicPort({ publicUrl }: ServeConfig): number | undefined {
  if (publicUrl === undefined) return undefined;
  const { port, protocol } = new URL(publicUrl);
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

/** Where this server reaches itself, once it listens. */
function localUrlOf({ server }: Awaited<ReturnType<typeof buildApp>>, { host }: ServeConfig): string {
  return `http://${reachableHost(host)}:${(server.address() as AddressInfo).port}`;
}

function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** Without the demo, the operator key is in a file that only its owner can read (decision 0052). */
async function readOrCreateOperatorKey({ dataDir, mode }: ServeConfig): Promise<string> {
  if (mode === 'production') return newSecret('opk_', 48); // production has no sandbox surface, so the key is unused
  return readOrCreateSecret(join(dataDir, 'operator-key'), 'opk_');
}

async function makeDataFolder(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new UsageError(`--data-dir (TILLHOUSE_DATA_DIR) is not usable: ${(error as Error).message}.`);
  }
}

async function listen(app: Awaited<ReturnType<typeof buildApp>>, { port, host }: ServeConfig): Promise<void> {
  try {
    await app.listen({ port, host });
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'EADDRINUSE') {
      throw new UsageError(
        `Port ${port} on ${host} is in use. Choose another with --port (PORT), or 0 for any free port.`,
      );
    }
    if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EACCES'].includes(code ?? '')) {
      throw new UsageError(
        `Cannot listen on ${host}:${port} (${code}). Choose another --host (HOST) or --port (PORT).`,
      );
    }
    throw error;
  }
}
