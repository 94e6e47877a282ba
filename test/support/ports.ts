/** Ports for servers whose address must be known before they start, and the addresses of those that listen. */
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';

export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
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
