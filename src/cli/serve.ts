/** `tillhouse serve`: runs the server until a signal stops it. */
import { SERVE_FLAGS, type ServeConfig, type StripeAccess, toServeConfig } from '../base/config.js';
import { demoFilePath } from '../demo/demo-file.js';
import { isServingProcess, PrimaryLink } from '../server/processes/primary-link.js';
import type { PreparedByPrimary, RunningServer } from '../server/server.js';
import { type Command, command } from './declare.js';
import { isStartedByNpm, parents, stopWithParent } from './parent.mjs';
import { connectToSystemd } from './systemd.js';

const primary = command({
  name: 'serve',
  summary: 'run the server (what `npm start` does)',
  usage: '[flags]',
  about: 'Runs the server.',
  flags: SERVE_FLAGS,
  async run({ values, args }) {
    const starter = parents(); // before anything that takes time
    const config = toServeConfig(values);
    if (config.mode === 'sandbox' && values.keep === '' && isStartedByNpm()) stopWithParent(starter, sayWhy);
    const notify = connectToSystemd();
    const signalled = firstSignal();
    let fail: (error: Error) => void = () => {};
    const failed = new Promise<Error>((resolve) => {
      fail = resolve;
    });
    const server = await withStartLimit(start(config, args, fail), signalled);
    console.log(banner(config, server));
    notify({ READY: '1', STATUS: `Serving at ${server.baseUrl}` });
    const end = await Promise.race([signalled, failed]);
    notify({ STOPPING: '1', STATUS: 'Finishing requests' });
    await server.stop();
    if (end instanceof Error) throw end;
    process.exit(); // traces that nobody receives would be sent again for some seconds
  },
});

function sayWhy(): void {
  console.error(
    'tillhouse: what started this server through npm has ended, so the server ends too. --keep lets it go on.',
  );
}

/** A process that a primary has started has its arguments from there. */
export const serve: Command = {
  ...primary,
  run: (args) => (isServingProcess() ? serveForPrimary() : primary.run(args)),
};

/** Imports the code here: other commands do not load it, and a server loads only the code of its kind, with one process or several. */
async function start(
  config: ServeConfig,
  args: readonly string[],
  onFailure: (error: Error) => void,
): Promise<RunningServer> {
  const { processes = 1 } = config;
  if (processes === 1) {
    process.on('SIGUSR2', () => console.error('tillhouse: SIGUSR2 restarts processes one by one: use --processes 2.'));
    return (await import('../server/server.js')).startServer(config, { onFailure });
  }
  const { startPrimary } = await import('../server/primary.js');
  const primary = await startPrimary(config, { count: processes, args: ['serve', ...args], onFailure });
  process.on('SIGUSR2', () => void primary.restart());
  return primary;
}

/** Serves as one of several processes, until the primary ends it. */
async function serveForPrimary(): Promise<void> {
  const link = new PrimaryLink();
  const { config, prepared } = await link.begin<PreparedByPrimary>();
  const { startServer } = await import('../server/server.js');
  try {
    const server = await startServer(config, { onFailure: () => {}, primary: { peers: link, prepared } });
    link.reportReady(server.localUrl);
    await ((await link.ended) === 'retire' ? server.retire() : server.stop());
    process.exit(); // as above
  } catch (error) {
    link.reportFailure(error);
  }
  link.disconnect();
}

/** After a signal, a start that has not finished by then is aborted: it may wait for a lock forever. */
export const START_LIMIT_MS = 7_000;

async function withStartLimit(
  starting: Promise<RunningServer>,
  signalled: Promise<NodeJS.Signals>,
): Promise<RunningServer> {
  let hasStarted = false;
  void signalled.then((signal) => {
    setTimeout(() => hasStarted || process.exit(SIGNALS[signal as keyof typeof SIGNALS]), START_LIMIT_MS).unref();
  });
  const server = await starting;
  hasStarted = true;
  return server;
}

const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
/** On Ctrl-C the process gets SIGINT from the terminal and again from npm; a second signal within this time is ignored. */
const DUPLICATE_SIGNAL_MS = 1000;

/** Registered before the start, so that a signal during the start stops the server once it has started. */
function firstSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    for (const [signal, exitCode] of Object.entries(SIGNALS)) {
      process.on(signal, () => {
        firstAt ??= performance.now();
        if (performance.now() - firstAt > DUPLICATE_SIGNAL_MS) process.exit(exitCode); // a second request: do not drain
        resolve(signal as NodeJS.Signals);
      });
    }
  });
}

function describeStripe({ secretKey, webhookSecret, url }: StripeAccess): string {
  const place = url === undefined ? 'Stripe' : `Stripe at ${url}`;
  const kind = secretKey.includes('_test_') ? `${place} in test mode, so no real money moves` : place;
  const events = webhookSecret === undefined ? ' Events are not accepted: STRIPE_WEBHOOK_SECRET is not set.' : '';
  return `Payment processor: ${kind}.${events}`;
}

function banner(config: ServeConfig, { baseUrl, demo, metricsUrl }: RunningServer): string {
  const { processes = 1 } = config;
  const lines = [`Tillhouse is ready at ${baseUrl}   (docs at /docs)`];
  if (demo) {
    const { merchant, locations } = demo.business;
    lines.push(
      `Demo merchant: ${merchant.businessName}, ${locations.length} locations. Access token: ${demo.secrets.accessToken}`,
      `Demo credentials: ${demoFilePath(config.dataDir)}`,
      `Try: curl -H "Authorization: Bearer ${demo.secrets.accessToken}" ${baseUrl}/v2/employees`,
    );
  } else if (config.mode === 'sandbox') {
    const key = config.operatorKey === undefined ? `${config.dataDir}/operator-key` : 'TILLHOUSE_OPERATOR_KEY';
    lines.push(`No demo business. Create a merchant: POST /api/sandbox/merchants with the operator key (${key}).`);
  } else {
    lines.push('No demo business. Create a merchant: tillhouse merchant create');
  }
  if (processes > 1) lines.push(`Processes: ${processes}. SIGUSR2 restarts them one by one.`);
  lines.push(`Data: ${config.databaseUrl === undefined ? config.dataDir : 'the PostgreSQL server of --database-url'}`);
  if (metricsUrl !== undefined) lines.push(`Metrics: ${metricsUrl}`);
  if (config.mode === 'sandbox') {
    const isRemote = config.adapter || config.stripe;
    const moves = isRemote ? "what moves is the processor's matter: use its test mode" : 'no money moves';
    lines.push(`Sandbox: clocks can be moved and ${moves}. For real business: --mode production.`);
  } else if (!config.adapter && !config.stripe) {
    lines.push('Production: the payment processor is the simulator, so no money moves.');
  }
  if (config.adapter) lines.push(`Payment processor: the adapter at ${config.adapter.url}`);
  if (config.stripe) lines.push(describeStripe(config.stripe));
  if (!/^(?:127\.|::1$|localhost$)/.test(config.host)) {
    lines.push(`Listening on ${config.host} without TLS: use a proxy with TLS, or --host 127.0.0.1.`);
  }
  return lines.join('\n');
}
