/** Ports for servers whose address must be known before they start, and the addresses of those that listen. */
import { randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';

/** Below those that systems choose for servers and connections: such a port would soon belong to another test. */
const [LOWEST, HIGHEST] = [20_000, 32_000];

/** Nobody listens there. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  const isListening = await new Promise<boolean>((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (isListening) await new Promise((resolve) => probe.close(resolve));
  return isListening;
}

/** The addresses on which the system reports a listener for the port. */
export async function listeningAddresses(port: number): Promise<string[]> {
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n').slice(1);
  const sockets = lines.map((line) => line.trim().split(/\s+/));
  const LISTENING = '0A';
  return sockets.flatMap(([, local = '', , state]) => {
    const [address = '', hexPort = ''] = local.split(':');
    return state === LISTENING && Number.parseInt(hexPort, 16) === port ? [address] : [];
  });
}
