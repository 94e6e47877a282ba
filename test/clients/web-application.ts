/** A web application as a developer would write it: it waits for the redirect with a code. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Arrival {
  readonly parameters: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
}

export interface WebApplication {
  readonly redirectUrl: string;
  /** Every redirect that it received, in order. */
  readonly arrivals: readonly Arrival[];
  stop(): Promise<void>;
}

export async function startWebApplication(): Promise<WebApplication> {
  const arrivals: Arrival[] = [];
  const server = createServer(({ url = '', headers }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
    if (pathname === '/callback') arrivals.push({ parameters: Object.fromEntries(searchParams), headers });
    response.end('Thank you. You can close this window.');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    redirectUrl: `http://127.0.0.1:${port}/callback`,
    arrivals,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
