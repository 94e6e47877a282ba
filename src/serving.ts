/** Serves requests and does due work, with a database that is open: builds the HTTP application, listens, and starts the worker. */
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ChangeStreams } from './api/change-stream.js';
import { ConsoleStreams } from './api/console-stream.js';
import { Cookies } from './api/cookies.js';
import { createDrain } from './api/drain.js';
import { createLimits, type GuardOverrides } from './api/limits.js';
import { fullName } from './api/operation.js';
import { Operator } from './api/operator.js';
import type { RequestLogBound } from './api/recorded-requests.js';
import { REQUEST_LOG_BOUND, RequestLog } from './api/request-log.js';
import { buildApp } from './app.js';
import { realNow } from './base/clock.js';
import { type Reach, type ServeConfig, UsageError } from './base/config.js';
import { hostName, isLoopbackAddress, isLoopbackName } from './base/hosts.js';
import { realIds } from './base/ids.js';
import { NO_PEERS, type Peers } from './base/peers.js';
import { SealingKeys } from './base/sealing.js';
import { hashWithKey } from './base/secrets.js';
import type { Tracing } from './base/tracing.js';
import { readVersion } from './base/version.js';
import { type AppliedEvent, applyEvent } from './business/reconciliation/reported-events.js';
import type { Database } from './database/database.js';
import { createSender, type Sender, withSendObserver, withSendSpans } from './events/sending.js';
import { Credentials } from './identity/credentials.js';
import { SecurityLog } from './identity/security-log.js';
import type { Topic } from './identity/topics.js';
import { Watches } from './identity/watches.js';
import type { ProcessMetrics, Sources } from './metrics/process-metrics.js';
import { operations, pages, productionOperations } from './operations.js';
import { shareInvalidation, shareLimits, shareNews } from './processes/sharing.js';
import type { Trouble } from './processor/contract.js';
import { openProcessor, type ProcessorOptions } from './processor/open.js';
import { insertTrouble, type ReportedTrouble } from './processor/trouble-queries.js';
import { startRequestErasure } from './sandbox/erasures.js';
import { FaultRules } from './sandbox/faults.js';
import { type Log, offerMetrics, recordStart, type Secrets, type Storage, type UndoStep } from './storage.js';
import { Agenda } from './worker/agenda.js';
import type { DueSource } from './worker/due-source.js';
import { TableSource } from './worker/table-source.js';
import { startWorker, warn } from './worker/worker.js';

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

function requestLogBound({ keptRequests }: ServeConfig, { requestLog }: ServingOptions): RequestLogBound {
  return requestLog ?? { ...REQUEST_LOG_BOUND, ...(keptRequests && { maxRequests: keptRequests }) };
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

export interface Serving {
  readonly baseUrl: string;
  readonly localUrl: string;
  readonly metricsUrl: string | undefined;
  /** Ends connections so that no client notices: other processes take over (decision 0181). */
  linger(): Promise<void>;
}

/** At a stop, requests that wait for the processor longer than this are answered with an unknown outcome. */
const PROCESSOR_STOP_LIMIT_MS = 5_000;
/** How long metrics wait for the database: all its connections may be in use. Shorter than a primary waits for its processes. */
const OUTAGE_LIMIT_MS = 500;
/** At a restart, a connection that is idle for this long is closed. Clients that are busy close theirs when a response asks them to. */
const LINGER_MS = 5_000;

export async function serve(config: ServeConfig, opened: OpenResources, options: ServingOptions): Promise<Serving> {
  const { storage, secrets, tracing, log, undo, isStopping } = opened;
  const { database, findOutage } = storage;
  const { demo, operatorKey, accountKey } = secrets;
  const { peers = NO_PEERS } = options;
  const hasPeers = options.peers !== undefined;
  const credentials = new Credentials(database);
  undo.push(async () => credentials.close());
  const securityLog = new SecurityLog(database, (error) => log.warn({ err: error }, 'audit: write failed'));
  undo.push(() => securityLog.close());

  const watches = new Watches(database, (error, id) => warn(log, error, 'changes: announcement failed', id));
  undo.push(async () => watches.close());
  const streams = new ChangeStreams(watches);

  const metrics = await createMetrics(config, {
    // Without an answer in time it counts as up: all connections may be in use.
    isDatabaseUp: async () =>
      (await Promise.race([findOutage(), sleep(OUTAGE_LIMIT_MS, undefined, { ref: false })])) === undefined,
    databaseCounts: () => database.counts(),
    credentialCounts: () => credentials.counts,
    countConnections: () => new Promise((resolve) => app.server.getConnections((_error, count) => resolve(count ?? 0))),
  });
  undo.push(async () => {
    if (metrics) await peers.sendLastMetrics(await metrics.sampleCounts()); // requests and work have ended
    metrics?.close();
  });
  const { adapter, stripe } = config;
  const onTrouble = ({ action, call: { key, merchant, paymentId }, reason, isFinal }: Trouble) => {
    const fields = { action, merchant_id: merchant.id, payment_id: paymentId, key, reason };
    if (!isFinal) return log.warn(fields, 'processor call: unknown outcome, will be asked again');
    log.warn(fields, 'processor call: refused for good, needs attention');
    void isNews(action, { merchantId: merchant.id, kind: 'refund', subject: key }).then((isNew) => {
      if (isNew) metrics?.onNeedsAttention(action);
    });
  };
  // An event of the processor can report the same failed refund, so it is counted only once.
  const isNews = async (action: Trouble['action'], trouble: ReportedTrouble): Promise<boolean> =>
    action !== 'refund' || database.statement((tx) => insertTrouble(tx, trouble, realNow())).catch(() => true);
  const { processor, events, close } = await openProcessor(
    {
      database,
      adapter,
      stripe,
      keys: new SealingKeys(config.secretsKeys ?? []),
      onTrouble,
      onCall: metrics?.onCall,
      tracing,
    },
    options,
  );
  undo.push(close);
  const source = await createDueSource(database, options, log);
  const reach = { mode: config.mode, webhookPorts: config.webhookPorts };
  const offeredOperations = config.mode === 'production' ? productionOperations : operations;
  const faults =
    config.mode === 'production'
      ? undefined
      : new FaultRules(database, (fields) => log.info(fields, 'webhook fault injected'));
  const requestLog = config.mode === 'production' ? undefined : new RequestLog(requestLogBound(config, options), peers);
  const consoleStreams = requestLog && new ConsoleStreams(requestLog, watches);
  const limits = createLimits(config.rateLimit, options.guards);
  const invalidation = shareInvalidation(peers, credentials);
  if (hasPeers) {
    shareLimits(peers, limits);
    if (requestLog && consoleStreams) shareNews(peers, { requestLog, watches, streams: consoleStreams });
  }
  const app = await buildApp({
    dependencies: {
      context: {
        database,
        processor,
        offersTestCards: config.mode === 'sandbox' && !adapter && !stripe,
        ids: realIds,
        mode: config.mode,
        reach,
        publicUrl: config.publicUrl,
        keyedHash: (text) => hashWithKey(accountKey, text),
        cookies: new Cookies(config.mode, () => publicPort(config) ?? (app.server.address() as AddressInfo).port),
        limits,
        securityLog,
        invalidateCredentials(merchantId) {
          invalidation.invalidate(merchantId);
          if (merchantId !== undefined) source.lookAt(merchantId); // revocations are also events
        },
        invalidateAttendants: invalidation.invalidateAttendants,
        demoSignIn: demo !== undefined && isOnlyLocal(config),
        demoToken: demo?.secrets.accessToken,
        demoRegister: demo?.register,
        demoLocationId: demo?.business.locations[0]?.id,
        operationNames: new Set(offeredOperations.map(fullName)),
        operator: new Operator(operatorKey, { isOnlyLocal: isOnlyLocal(config) }),
        requestLog,
        onWork: metrics?.onWork,
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
    processorEvents: events && {
      source: events,
      async apply(event) {
        const applied = await applyEvent({ database, ids: realIds }, event).catch((error: Error) => {
          const { id, type } = event;
          log.warn({ event: id, type, reason: error.message }, 'processor event: failed, will be sent again');
          throw error;
        });
        logEvent(log, event, applied);
        if (applied.trouble && !applied.isKnown) metrics?.onNeedsAttention(applied.trouble.kind);
        if (applied.merchantId === undefined) return;
        source.lookAt(applied.merchantId);
        watches.publish(applied.merchantId, EVENT_TOPICS, 'unknown');
      },
    },
    log,
    loopbackOnly: isLoopbackAddress(config.host),
    trustProxy: config.trustProxy,
    maxConnections: config.maxConnections,
    headersTimeoutMs: options.headersTimeoutMs,
    readTimeoutMs: options.readTimeoutMs,
    findOutage: async () => (isStopping() ? 'The server is stopping.' : findOutage()),
    untilInvalidated: hasPeers ? invalidation.untilInvalidated : undefined,
    onAnswered: metrics?.onAnswered,
    tracing,
  });
  const drain = createDrain(app.server);
  undo.push(async () => {
    const timer = setTimeout(() => processor.abort(), PROCESSOR_STOP_LIMIT_MS);
    await drain.finish(() => app.close());
    clearTimeout(timer);
  });
  undo.push(async () => faults?.stop());
  await listen(app, config);
  const worker = startWorker(
    { database, processor, ids: realIds, onWork: metrics?.onWork },
    {
      source,
      watches,
      sender: createObservedSender(reach, metrics, tracing),
      injectFaults: faults && ((...claimed) => faults.injectFaults(...claimed)),
      publicUrl: config.publicUrl,
      keptFor: config.keptFor,
      log,
    },
  );
  undo.push(() => worker.stop());
  if (requestLog) {
    const erasures = startRequestErasure(database, requestLog, (error) =>
      warn(log, error, 'erasures: read failed, will retry'),
    );
    undo.push(() => erasures.stop());
  }

  const localUrl = localUrlOf(app, config);
  const baseUrl = config.publicUrl ?? localUrl;
  if (!hasPeers) undo.push(await recordStart(config, { localUrl, demo }));
  peers.on('metrics', () => metrics?.sample());
  const sampleAll = async () => (metrics ? [await metrics.sample()] : []);
  const metricsUrl = hasPeers ? undefined : await offerMetrics(config, { database, sampleAll, undo });
  undo.push(async () => {
    // First: a stream would be a request in flight forever.
    streams.close();
    consoleStreams?.close();
  });
  const linger = async (): Promise<void> => {
    // A stream would last forever. Browsers open it again, at another process.
    streams.endAll();
    consoleStreams?.endAll();
    await drain.linger(LINGER_MS);
  };
  return { baseUrl, localUrl, metricsUrl, linger };
}

/** The topics of what an event of a processor can change. */
const EVENT_TOPICS: readonly Topic[] = ['sales', 'refunds', 'settlements'];

function logEvent(log: Log, { id, type }: { readonly id: string; readonly type: string }, applied: AppliedEvent): void {
  const { outcome, trouble, isKnown, merchantId, paymentId } = applied;
  const fields = { event: id, type, outcome, merchant_id: merchantId, payment_id: paymentId };
  if (trouble && !isKnown) log.warn(fields, 'processor event: needs attention');
  else log.info(fields, 'processor event: handled');
}

/** Loads the code of metrics only if the operator wants them. */
async function createMetrics(
  { metrics, mode }: ServeConfig,
  sources: Omit<Sources, 'version' | 'mode'>,
): Promise<ProcessMetrics | undefined> {
  if (metrics === undefined) return undefined;
  const { ProcessMetrics } = await import('./metrics/process-metrics.js');
  return new ProcessMetrics({ ...sources, mode, version: await readVersion() });
}

function createObservedSender(reach: Reach, metrics: ProcessMetrics | undefined, tracing: Tracing | undefined): Sender {
  const sender = createSender(reach);
  const traced = tracing ? withSendSpans(sender, tracing) : sender;
  return metrics ? withSendObserver(traced, metrics.onAttempt) : traced;
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

async function listen(app: Awaited<ReturnType<typeof buildApp>>, { port, host }: ServeConfig): Promise<void> {
  try {
    await app.listen({ port, host });
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'EADDRINUSE') {
      // Not a usage error: the port may become free, and a service manager then starts the server again.
      throw new Error(`Port ${port} on ${host} is in use. Choose another with --port (PORT), or 0 for any free port.`);
    }
    if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EACCES'].includes(code ?? '')) {
      throw new UsageError(
        `Cannot listen on ${host}:${port} (${code}). Choose another --host (HOST) or --port (PORT).`,
      );
    }
    throw error;
  }
}
