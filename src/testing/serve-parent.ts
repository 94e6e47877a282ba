/** Runs a sandbox for the test process that has started this one, and ends with it. */
import { type FromServer, type ToServer, toPlain } from './messages.js';
import { type OwnSandbox, startSandbox } from './sandbox.js';

export function serveParent(): void {
  let sandbox: OwnSandbox | undefined;
  const end = async (): Promise<void> => {
    await sandbox?.stop();
    process.exit(0); // also while it starts: the keeper removes what it has begun
  };
  const fail = (error: unknown): void => {
    send({ kind: 'failed', error: toPlain(error as Error) }, () => process.exit(1));
  };
  const start = async ({ options }: Extract<ToServer, { kind: 'start' }>): Promise<void> => {
    sandbox = await startSandbox(options, fail);
    const { url, operatorKey, dataDir } = sandbox;
    send({ kind: 'started', sandbox: { url, operatorKey, dataDir } });
  };
  // Ctrl-C in a terminal reaches this process too, but the test process decides when it no longer needs the server.
  process.on('SIGINT', () => {});
  process.once('disconnect', () => void end().catch(fail));
  process.on('message', (message: ToServer) => {
    (message.kind === 'stop' ? end() : start(message)).catch(fail);
  });
}

function send(message: FromServer, then = (): void => {}): void {
  if (process.connected) process.send?.(message, undefined, {}, then);
  else then();
}
