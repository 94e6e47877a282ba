/** What a server needs to serve, apart from the HTTP application and the worker. Opened in an order, and closed in the reverse order. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ChangeStreams } from '../api/change-stream.js';
import { ConsoleStreams } from '../api/console-stream.js';
import { createLimits, type GuardOverrides, type Limits } from '../api/limits.js';
import type { ProcessorEvents } from '../api/processor-events.js';
import type { RequestLogBound } from '../api/recorded-requests.js';
import { REQUEST_LOG_BOUND, RequestLog } from '../api/request-log.js';
import { RequestsInFlight } from '../api/requests-in-flight.js';
import type { ServeConfig } from '../base/config.js';
import { NO_PEERS, type Peers } from '../base/peers.js';
import { SealingKeys } from '../base/sealing.js';
import type { Tracing } from '../base/tracing.js';
import { readVersion } from '../base/version.js';
import type { Database } from '../database/database.js';
import { Credentials } from '../identity/credentials.js';
import { SecurityLog } from '../identity/security-log.js';
import { Watches } from '../identity/watches.js';
import type { ProcessMetrics, Sources } from '../metrics/process-metrics.js';
import { type OpenProcessor, openProcessor, type ProcessorOptions } from '../processor/open.js';
import { FaultRules } from '../sandbox/faults.js';
import { StubRules } from '../sandbox/stubs.js';
import { Agenda } from '../worker/agenda.js';
import type { DueSource } from '../worker/due-source.js';
import { TableSource } from '../worker/table-source.js';
import { warn } from '../worker/worker.js';
import { type ClockWatch, watchClock } from './clock-watch.js';
import type { Listening } from './listening.js';
import { shareInvalidation, shareLimits, shareNews } from './processes/sharing.js';
import { createTroubleReporter, receiveEvents } from './processor-reports.js';
import type { Log, Secrets, Storage, UndoStep } from './storage.js';

export interface ServingOptions extends ProcessorOptions {
  /** Set if this is one of several processes: the others. */
  readonly peers?: Peers | undefined;
  /** For tests: lower limits, and shorter timeouts for connections that do not send or do not read. */
  readonly guards?: GuardOverrides;
  readonly headersTimeoutMs?: number;
  readonly readTimeoutMs?: number;
  /** For tests: how much the log of requests keeps. */
  readonly requestLog?: RequestLogBound;
  /** For tests: uses the agenda also on a plain PostgreSQL, and changes how often all merchants are looked at without a hint. */
  readonly dueWork?: { readonly usesAgenda?: boolean; readonly lookIntervalMs?: number };
}

/** What the start of a server has already opened. */
export interface OpenResources {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly tracing: Tracing | undefined;
  readonly log: Log;
  /** `serve` adds a step for everything that it opens. */
  readonly undo: UndoStep[];
  /** Whether the server is stopping, and so no longer ready. */
  readonly isStopping: () => boolean;
}

/** What `serve` was given, and where it will listen. */
export interface Setup {
  readonly config: ServeConfig;
  readonly opened: OpenResources;
  readonly options: ServingOptions;
  readonly listening: Listening;
}

export interface Components {
  readonly peers: Peers;
  readonly credentials: Credentials;
  readonly securityLog: SecurityLog;
  readonly watches: Watches;
  readonly streams: ChangeStreams;
  readonly metrics: ProcessMetrics | undefined;
  /** Counted only for metrics. */
  readonly inFlight: RequestsInFlight | undefined;
  readonly processor: OpenProcessor['processor'];
  /** Undefined if the processor sends none. */
  readonly processorEvents: ProcessorEvents | undefined;
  readonly source: DueSource;
  readonly limits: Limits;
  readonly invalidation: ReturnType<typeof shareInvalidation>;
  /** Undefined in production, like the next three. */
  readonly faults: FaultRules | undefined;
  readonly stubs: StubRules | undefined;
  readonly requestLog: RequestLog | undefined;
  readonly consoleStreams: ConsoleStreams | undefined;
}

/** How long metrics wait for the database: all its connections may be in use. Shorter than a primary waits for its processes. */
const OUTAGE_LIMIT_MS = 500;

export async function openComponents(setup: Setup): Promise<Components> {
  const { config, opened, options } = setup;
  const { log, undo } = opened;
  const { database } = opened.storage;
  const { peers = NO_PEERS } = options;
  const credentials = new Credentials(database);
  undo.push(async () => credentials.close());
  const securityLog = new SecurityLog(database, (error) => log.warn({ err: error }, 'audit: write failed'));
  undo.push(() => securityLog.close());
  const watches = new Watches(database, (error, id) => warn(log, error, 'changes: announcement failed', id));
  undo.push(async () => watches.close());
  const clockWatch = watchClock(database, log);
  undo.push(async () => clockWatch.stop());
  const inFlight = config.metrics === undefined ? undefined : new RequestsInFlight();
  const metrics = inFlight && (await openMetrics(setup, { credentials, inFlight, clockWatch }));
  undo.push(async () => {
    if (metrics) await peers.sendLastMetrics(await metrics.sampleCounts()); // requests and work have ended
    metrics?.close();
  });
  const { processor, events, close } = await openOneProcessor(setup, metrics);
  undo.push(close);
  const source = await createDueSource(database, options, log);
  const limits = createLimits(config.rateLimit, options.guards);
  const components = {
    ...{ peers, credentials, securityLog, watches, metrics, inFlight, processor, source, limits },
    streams: new ChangeStreams(watches),
    processorEvents: events && receiveEvents(events, { database, metrics, log, source, watches }),
    invalidation: shareInvalidation(peers, credentials),
    ...(config.mode === 'production' ? NO_SANDBOX : openSandbox(setup, { peers, watches })),
  };
  if (options.peers) {
    const { requestLog, consoleStreams } = components;
    shareLimits(peers, limits);
    if (requestLog && consoleStreams) shareNews(peers, { requestLog, watches, streams: consoleStreams });
  }
  return components;
}

type SandboxComponents = Pick<Components, 'faults' | 'stubs' | 'requestLog' | 'consoleStreams'>;

const NO_SANDBOX: SandboxComponents = {
  faults: undefined,
  stubs: undefined,
  requestLog: undefined,
  consoleStreams: undefined,
};

function openSandbox(
  { config, opened: { storage, log }, options }: Setup,
  { peers, watches }: Pick<Components, 'peers' | 'watches'>,
): SandboxComponents {
  const requestLog = new RequestLog(requestLogBound(config, options), peers);
  return {
    faults: new FaultRules(storage.database, (fields) => log.info(fields, 'webhook fault injected')),
    stubs: new StubRules(storage.database, peers),
    requestLog,
    consoleStreams: new ConsoleStreams(requestLog, watches),
  };
}

function requestLogBound({ keptRequests }: ServeConfig, { requestLog }: ServingOptions): RequestLogBound {
  return requestLog ?? { ...REQUEST_LOG_BOUND, ...(keptRequests && { maxRequests: keptRequests }) };
}

/** Loads the code of metrics only if the operator wants them. */
async function openMetrics(
  { config: { mode }, opened: { storage }, listening }: Setup,
  {
    credentials,
    inFlight,
    clockWatch,
  }: { readonly credentials: Credentials; readonly inFlight: RequestsInFlight; readonly clockWatch: ClockWatch },
): Promise<ProcessMetrics> {
  const { database, findOutage } = storage;
  const sources: Sources = {
    mode,
    version: await readVersion(),
    // Without a response in time it counts as up: all connections may be in use.
    isDatabaseUp: async () =>
      (await Promise.race([findOutage(), sleep(OUTAGE_LIMIT_MS, undefined, { ref: false })])) === undefined,
    databaseCounts: () => database.counts(),
    credentialCounts: () => credentials.counts,
    requestsInFlight: () => inFlight.counts,
    clockDifferenceMs: clockWatch.differenceMs,
    countConnections: () => listening.countConnections(),
  };
  const { ProcessMetrics } = await import('../metrics/process-metrics.js');
  return new ProcessMetrics(sources);
}

function openOneProcessor({ config, opened, options }: Setup, metrics: ProcessMetrics | undefined) {
  const { adapter, stripe, secretsKeys = [] } = config;
  const { tracing, log } = opened;
  const { database } = opened.storage;
  return openProcessor(
    {
      database,
      adapter,
      stripe,
      keys: new SealingKeys(secretsKeys),
      onTrouble: createTroubleReporter({ database, metrics, log }),
      onCall: metrics?.onCall,
      tracing,
    },
    options,
  );
}

/** How the worker finds what is due. */
async function createDueSource(database: Database, { dueWork = {} }: ServingOptions, log: Log): Promise<DueSource> {
  const { lookIntervalMs } = dueWork;
  const usesAgenda = dueWork.usesAgenda || (await database.isDistributed());
  if (!usesAgenda) return new TableSource(database.sql, lookIntervalMs);
  return new Agenda({
    database,
    sweepIntervalMs: lookIntervalMs,
    onError: (error, merchantId) => warn(log, error, 'agenda: failed, will retry', merchantId),
  });
}
