/** Where the server listens, and how it is reached. Created before the application, whose cookies and pages need its address. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Reach, type ServeConfig, UsageError } from '../base/config.js';
import { hostName, isLoopbackAddress, isLoopbackName } from '../base/hosts.js';
import type { buildApp } from './app.js';

type Address = Pick<ServeConfig, 'port' | 'host'>;
type App = Awaited<ReturnType<typeof buildApp>>;

export class Listening {
  readonly #config: ServeConfig;
  #app: App | undefined;

  constructor(config: ServeConfig) {
    this.#config = config;
  }

  async start(app: App): Promise<void> {
    this.#app = app;
    await listen(app, this.#config);
  }

  /** The address at which this machine reaches the server. */
  get localUrl(): string {
    return `http://${reachableHost(this.#config.host)}:${this.#port}`;
  }

  /** The port that browsers see: that of --public-url, if it is set. */
  get publicPort(): number {
    const { publicUrl } = this.#config;
    if (publicUrl === undefined) return this.#port;
    const { port, protocol } = new URL(publicUrl);
    return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
  }

  countConnections(): Promise<number> {
    return new Promise((resolve) => {
      if (!this.#app) return resolve(0);
      this.#app.server.getConnections((_error, count) => resolve(count ?? 0));
    });
  }

  get #port(): number {
    const address = this.#app?.server.address();
    if (!address || typeof address === 'string') throw new Error('The server does not listen yet.');
    return address.port;
  }
}

/** Whether only browsers on this machine reach the server: no other address, no proxy, no other name. */
export function isOnlyLocal({ host, mode, publicUrl, trustProxy }: ServeConfig): boolean {
  const isLocalName = publicUrl === undefined || isLoopbackName(hostName(new URL(publicUrl).host));
  return mode === 'sandbox' && isLoopbackAddress(host) && isLocalName && trustProxy === undefined;
}

/** The addresses to which this server may send webhooks. */
export function reachOf({ mode, webhookPorts }: ServeConfig): Reach {
  return { mode, webhookPorts };
}

function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/**
 * Before a database is built, which takes seconds: a port that is in use then ends the start at once. It is free again afterwards, so that
 * the application can listen on it.
 */
export async function requireFreePort(config: Address): Promise<void> {
  const { port, host } = config;
  if (port === 0) return;
  const server = createServer();
  await explained(config, async () => {
    server.listen({ port, host });
    await once(server, 'listening');
  });
  server.close();
  await once(server, 'close');
}

async function listen(app: App, config: Address): Promise<void> {
  const { port, host } = config;
  await explained(config, () => app.listen({ port, host }));
}

async function explained({ port, host }: Address, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
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
