/** `tillhouse serve`: runs the server until it is told to stop. */
import { readCall, refuseWords, SERVE_FLAGS, type ServeConfig, toServeConfig } from '../base/config.js';
import { demoFilePath } from '../demo/demo-file.js';
import type { RunningServer } from '../server.js';
import { type Command, printHelp } from './command.js';

export const serve: Command = {
  name: 'serve',
  summary: 'run the server (what `npm start` does)',
  async run(args) {
    const call = readCall(args, SERVE_FLAGS);
    if (call.help) return printHelp('serve [flags]', 'Runs the server.', SERVE_FLAGS);
    refuseWords(call, 0);
    const config = toServeConfig(call.values);
    const signalled = firstSignal();
    let fail: (error: Error) => void = () => {};
    const failed = new Promise<Error>((resolve) => {
      fail = resolve;
    });
    const { startServer } = await import('../server.js'); // only here: the other commands need not wait for it
    const server = await withLimit(startServer(config, { onFailure: fail }), signalled);
    console.log(banner(config, server));
    const end = await Promise.race([signalled, failed]);
    await server.stop();
    if (end instanceof Error) throw end;
  },
};

/** How long a start that was told to stop may take to get through: one that waits for a lock might never. */
const START_LIMIT_MS = 7_000;

async function withLimit(starting: Promise<RunningServer>, signalled: Promise<NodeJS.Signals>): Promise<RunningServer> {
  let hasStarted = false;
  void signalled.then((signal) => {
    setTimeout(() => hasStarted || process.exit(SIGNALS[signal as keyof typeof SIGNALS]), START_LIMIT_MS).unref();
  });
  const server = await starting;
  hasStarted = true;
  return server;
}

const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
/** npm passes a Ctrl-C on to a process that had it from the terminal already: what comes this soon is the same one. */
const SAME_REQUEST_MS = 1000;

/** Listens from the very beginning, so that a signal during the start is obeyed once the start is through. */
function firstSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let since: number | undefined;
    for (const [signal, exitCode] of Object.entries(SIGNALS)) {
      process.on(signal, () => {
        since ??= performance.now();
        if (performance.now() - since > SAME_REQUEST_MS) process.exit(exitCode); // asked twice: do not wait
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
      `All of the demo's secrets: ${demoFilePath(config.dataDir)}`,
      `Try: curl -H "Authorization: Bearer ${demo.secrets.accessToken}" ${baseUrl}/v2/employees`,
    );
  } else if (config.mode === 'sandbox') {
    const key = config.operatorKey === undefined ? `${config.dataDir}/operator-key` : 'TILLHOUSE_OPERATOR_KEY';
    lines.push(`No demo. Make a merchant: POST /api/sandbox/merchants with the operator key (${key}).`);
  } else {
    lines.push('No demo. Make a merchant: tillhouse merchant create.');
  }
  lines.push(`Data: ${config.databaseUrl === undefined ? config.dataDir : 'the PostgreSQL of --database-url'}`);
  if (config.mode === 'sandbox') {
    lines.push('Sandbox: clocks can be moved and no money moves. For real business: --mode production.');
  } else {
    lines.push('Production, with the simulator as processor: no money moves.');
  }
  if (!/^(?:127\.|::1$|localhost$)/.test(config.host)) {
    lines.push(`Listening on ${config.host} in plain HTTP: put a proxy with TLS in front, or use --host 127.0.0.1.`);
  }
  return lines.join('\n');
}
