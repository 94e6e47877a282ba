/** Starts a server (database, schema, demo business, HTTP application, worker) and stops it in reverse order. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServeConfig } from '../base/config.js';
import type { Peers } from '../base/peers.js';
import type { Demo } from '../demo/demo-file.js';
import { openTracing } from '../tracing/open.js';
import type { ServingOptions } from './components.js';
import type { Serving } from './serve.js';
import {
  createLog,
  logLifecycle,
  openStorage,
  type PoolSettings,
  prepareData,
  type Secrets,
  type StorageOptions,
  type UndoStep,
} from './storage.js';

export interface RunningServer {
  /** Where clients reach it: the public URL if there is one. */
  readonly baseUrl: string;
  /** Where this machine reaches it. */
  readonly localUrl: string;
  readonly demo: Demo | undefined;
  /** Where metrics are served, if they are. */
  readonly metricsUrl: string | undefined;
  /** Finishes requests in flight, then releases all resources. */
  stop(): Promise<void>;
}

/** One of several processes that serve together. */
export interface RetirableServer extends RunningServer {
  /** Like `stop`, but without a refused connection: other processes take over (decision 0181). */
  retire(): Promise<void>;
}

/** What the primary has prepared for its processes. */
export interface PreparedByPrimary extends Secrets {
  readonly pool: PoolSettings;
  readonly poolSize: number;
}

export interface ServerOptions extends StorageOptions, Omit<ServingOptions, 'peers'> {
  /** For one of several processes. */
  readonly primary?: { readonly peers: Peers; readonly prepared: PreparedByPrimary };
}

/** A statement may wait for a lock forever. Longer than requests wait for the processor at a stop, so that outcomes are still recorded. */
const STATEMENT_STOP_LIMIT_MS = 7_000;

export async function startServer(config: ServeConfig, options: ServerOptions): Promise<RetirableServer> {
  const undo: UndoStep[] = [];
  let abandon = (): void => {};
  let linger: Serving['linger'] = async () => {};
  let [hasStarted, isStopping] = [false, false];
  const { primary } = options;
  const log = createLog(config.logLevel, primary ? { pid: process.pid } : null);
  const lifecycle = primary ? undefined : await logLifecycle(log, config); // the primary logs it for all processes
  const stop = async (): Promise<void> => {
    isStopping = true;
    lifecycle?.stopping();
    if (hasStarted && config.stopDelayMs) {
      await sleep(config.stopDelayMs);
      await linger(config.stopDelayMs); // a load balancer may have connections on which it sends a request at any moment
    }
    const timer = setTimeout(() => abandon(), STATEMENT_STOP_LIMIT_MS);
    try {
      for (let step = undo.pop(); step; step = undo.pop()) await step();
    } finally {
      clearTimeout(timer);
    }
    lifecycle?.stopped();
  };
  try {
    const tracing = await openTracing(config.traces);
    undo.push(async () => tracing?.close());
    const loading = import('./serve.js'); // while PostgreSQL starts
    loading.catch(() => {}); // thrown below
    const storage = await openStorage(config, { ...options, ...primary?.prepared, tracing, log, undo });
    abandon = () => storage.database.abandon();
    const secrets = primary?.prepared ?? (await storage.prepare((patient) => prepareData(config, patient)));
    const { serve } = await loading;
    const opened = { storage, secrets, tracing, log, undo, isStopping: () => isStopping };
    const serving = await serve(config, opened, { ...options, peers: primary?.peers });
    const { baseUrl, localUrl, metricsUrl } = serving;
    linger = serving.linger;
    const retire = async (): Promise<void> => {
      await linger();
      hasStarted = false; // no stop delay: other processes have taken over
      await stop();
    };
    hasStarted = true;
    lifecycle?.ready(baseUrl);
    return { baseUrl, localUrl, demo: secrets.demo, metricsUrl, stop, retire };
  } catch (error) {
    await stop();
    throw error;
  }
}
