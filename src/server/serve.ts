/** Serves requests and does due work, with a database that is open: builds the HTTP application, listens, and starts the worker. */
import { createDrain } from '../api/drain.js';
import type { ServeConfig } from '../base/config.js';
import { realIds } from '../base/ids.js';
import { createSender, type Sender, withSendObserver, withSendSpans } from '../events/sending.js';
import { startRequestErasure } from '../sandbox/erasures.js';
import { startWorker, warn } from '../worker/worker.js';
import { buildApp } from './app.js';
import { toAppOptions } from './app-options.js';
import { type Components, type OpenResources, openComponents, type ServingOptions, type Setup } from './components.js';
import { Listening, reachOf } from './listening.js';
import { offerMetrics, recordStart } from './storage.js';

export interface Serving {
  readonly baseUrl: string;
  readonly localUrl: string;
  readonly metricsUrl: string | undefined;
  /** Ends connections so that no client notices: other processes or servers take over (decisions 0181 and 0234). */
  linger(limitMs?: number): Promise<void>;
}

/** At a stop, requests that wait for the processor longer than this are answered with an unknown outcome. */
const PROCESSOR_STOP_LIMIT_MS = 5_000;
/** A connection that is idle for this long is closed. Clients that are busy close theirs when a response asks them to. */
const LINGER_MS = 5_000;

export async function serve(config: ServeConfig, opened: OpenResources, options: ServingOptions): Promise<Serving> {
  const { storage, secrets, undo } = opened;
  const { database } = storage;
  const listening = new Listening(config);
  const setup: Setup = { config, opened, options, listening };
  const components = await openComponents(setup);
  const { peers, processor, faults, streams, consoleStreams, metrics } = components;

  const appOptions = toAppOptions(setup, components);
  const app = await buildApp(appOptions);
  const drain = createDrain(app.server);
  undo.push(async () => {
    const timer = setTimeout(() => processor.abort(), PROCESSOR_STOP_LIMIT_MS);
    await drain.finish(() => app.close());
    clearTimeout(timer);
  });
  undo.push(async () => faults?.stop());
  await listening.start(app);
  const { localUrl } = listening;
  const siteUrl = config.publicUrl ?? (config.mode === 'sandbox' ? localUrl : undefined);
  Object.assign(appOptions.dependencies.context, { publicUrl: siteUrl }); // only now the port is known
  startBackgroundWork(setup, components, siteUrl);

  const isAlone = options.peers === undefined;
  if (isAlone) undo.push(await recordStart(config, { localUrl, demo: secrets.demo }));
  peers.on('metrics', () => metrics?.sample());
  const sampleAll = async () => (metrics ? [await metrics.sample()] : []);
  const metricsUrl = isAlone ? await offerMetrics(config, { database, sampleAll, undo }) : undefined;
  undo.push(async () => {
    // First: a stream would be a request in flight forever.
    streams.close();
    consoleStreams?.close();
  });
  const linger = async (limitMs = LINGER_MS): Promise<void> => {
    // A stream would last forever. Browsers open it again, at another process or server.
    streams.endAll();
    consoleStreams?.endAll();
    await drain.linger(Math.min(limitMs, LINGER_MS));
  };
  return { baseUrl: config.publicUrl ?? localUrl, localUrl, metricsUrl, linger };
}

function startBackgroundWork(setup: Setup, components: Components, siteUrl: string | undefined): void {
  const { config, opened } = setup;
  const { log, undo, storage } = opened;
  const { database } = storage;
  const { processor, source, watches, faults, requestLog, metrics } = components;
  const worker = startWorker(
    { database, processor, ids: realIds, onWork: metrics?.onWork },
    {
      source,
      watches,
      sender: createObservedSender(setup, metrics),
      injectFaults: faults && ((...claimed) => faults.injectFaults(...claimed)),
      publicUrl: siteUrl,
      keptFor: config.keptFor,
      log,
    },
  );
  undo.push(() => worker.stop());
  if (!requestLog) return;
  const erasures = startRequestErasure(database, requestLog, (error) =>
    warn(log, error, 'erasures: read failed, will retry'),
  );
  undo.push(() => erasures.stop());
}

function createObservedSender({ config, opened: { tracing } }: Setup, metrics: Components['metrics']): Sender {
  const sender = createSender(reachOf(config));
  const traced = tracing ? withSendSpans(sender, tracing) : sender;
  return metrics ? withSendObserver(traced, metrics.onAttempt) : traced;
}
