/**
 * Starts a server of several processes. This one, the primary, owns the database, accepts connections and hands them out, and starts the
 * processes that serve (decision 0181).
 */
import type { ServeConfig } from '../base/config.js';
import { DEFAULT_MAX_CONNECTIONS } from '../base/flags.js';
import { Supervisor } from './processes/supervisor.js';
import type { PreparedByPrimary, RunningServer } from './server.js';
import {
  createLog,
  logLifecycle,
  offerMetrics,
  openStorage,
  prepareData,
  recordStart,
  type UndoStep,
} from './storage.js';

/** While it runs, the primary only reads the metrics of the database. */
const OWN_CONNECTIONS = 2;
/** PostgreSQL accepts 100 connections by default, and commands and other servers need some. */
const ALL_CONNECTIONS = 60;
const MIN_CONNECTIONS = 5;
const MAX_CONNECTIONS = 10;

export interface RunningPrimary extends RunningServer {
  /** Restarts the processes one by one. No connection is refused meanwhile. */
  restart(): Promise<void>;
}

export async function startPrimary(
  config: ServeConfig,
  { count, args, onFailure }: { count: number; args: readonly string[]; onFailure: (error: Error) => void },
): Promise<RunningPrimary> {
  const undo: UndoStep[] = [];
  const log = createLog(config.logLevel, { pid: process.pid });
  const lifecycle = await logLifecycle(log, config);
  const stop = async (): Promise<void> => {
    lifecycle.stopping();
    for (let step = undo.pop(); step; step = undo.pop()) await step();
    lifecycle.stopped();
  };
  try {
    const storage = await openStorage(config, { onFailure, poolSize: OWN_CONNECTIONS, log, undo });
    const { database, prepare, pool } = storage;
    const secrets = await prepare((patient) => prepareData(config, patient));
    const poolSize = Math.max(MIN_CONNECTIONS, Math.min(MAX_CONNECTIONS, Math.floor(ALL_CONNECTIONS / count)));
    const prepared: PreparedByPrimary = { ...secrets, pool, poolSize };
    const maxConnections = Math.ceil((config.maxConnections ?? DEFAULT_MAX_CONNECTIONS) / count);
    const totals = config.metrics && new (await import('../metrics/metric-totals.js')).MetricTotals();
    const supervisor = new Supervisor({
      count,
      args,
      log,
      stopDelayMs: config.stopDelayMs ?? 0,
      totals,
      start: (usedPort = 0) => ({ config: { ...config, port: config.port || usedPort, maxConnections }, prepared }),
    });
    const localUrl = await supervisor.start();
    undo.push(() => supervisor.stop());
    undo.push(await recordStart(config, { localUrl, demo: secrets.demo }));
    const sampleAll = async () => (await totals?.addUp(await supervisor.ask('metrics'))) ?? [];
    const metricsUrl = await offerMetrics(config, { database, sampleAll, undo });
    const baseUrl = config.publicUrl ?? localUrl;
    lifecycle.ready(baseUrl);
    return { baseUrl, localUrl, demo: secrets.demo, metricsUrl, stop, restart: () => supervisor.restart() };
  } catch (error) {
    await stop();
    throw error;
  }
}
