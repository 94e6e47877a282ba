/** `tillhouse serve`: runs the server until a signal stops it. */
import { parseArguments, rejectExtraArguments, SERVE_FLAGS, type ServeConfig, toServeConfig } from '../base/config.js';
import { demoFilePath } from '../demo/demo-file.js';
import type { RunningServer } from '../server.js';
import { type Command, printHelp } from './command.js';

export const serve: Command = {
  name: 'serve',
  summary: 'run the server (what `npm start` does)',
  async run(args) {
    const call = parseArguments(args, SERVE_FLAGS);
    if (call.help) return printHelp('serve [flags]', 'Runs the server.', SERVE_FLAGS);
    rejectExtraArguments(call, 0);
    const config = toServeConfig(call.values);
    const signalled = firstSignal();
    let fail: (error: Error) => void = () => {};
    const failed = new Promise<Error>((resolve) => {
      fail = resolve;
    });
    const { startServer } = await import('../server.js'); // imported here so that other commands do not load it
    const server = await withStartLimit(startServer(config, { onFailure: fail }), signalled);
    console.log(banner(config, server));
    const end = await Promise.race([signalled, failed]);
    await server.stop();
    if (end instanceof Error) throw end;
  },
};

/** After a signal, a start that has not finished by then is aborted: it may wait for a lock forever. */
const START_LIMIT_MS = 7_000;

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

function banner(config: ServeConfig, { baseUrl, demo }: RunningServer): string {
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
  lines.push(`Data: ${config.databaseUrl === undefined ? config.dataDir : 'the PostgreSQL server of --database-url'}`);
  if (config.mode === 'sandbox') {
    const moves = config.adapter ? "what moves is the adapter's matter: use its test mode" : 'no money moves';
    lines.push(`Sandbox: clocks can be moved and ${moves}. For real business: --mode production.`);
  } else if (!config.adapter) {
    lines.push('Production: the payment processor is the simulator, so no money moves.');
  }
  if (config.adapter) lines.push(`Payment processor: the adapter at ${config.adapter.url}`);
  if (!/^(?:127\.|::1$|localhost$)/.test(config.host)) {
    lines.push(`Listening on ${config.host} without TLS: use a proxy with TLS, or --host 127.0.0.1.`);
  }
  return lines.join('\n');
}
