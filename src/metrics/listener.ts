/** Serves `/metrics` on an address of its own, because it has no authentication (decision 0180). */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type MetricsAddress, UsageError } from '../base/config.js';
import { METRICS_CONTENT_TYPE, printSamples, type Sample } from './meter.js';

export interface MetricsListener {
  readonly url: string;
  close(): Promise<void>;
}

/** `collect` returns the samples of all processes, and of the database. */
export async function serveMetrics(
  { host, port }: MetricsAddress,
  collect: () => Promise<readonly Sample[]>,
): Promise<MetricsListener> {
  const server = createServer((request, response) => {
    const isMetrics = request.method === 'GET' && request.url?.split('?', 1)[0] === '/metrics';
    if (!isMetrics) return void response.writeHead(404).end();
    void collect()
      .then(printSamples)
      .then(
        (text) => response.writeHead(200, { 'content-type': METRICS_CONTENT_TYPE }).end(text),
        () => response.writeHead(500).end(),
      );
  });
  server.listen(port, host);
  await once(server, 'listening').catch((error: Error & { code?: string }) => {
    const text = `Cannot serve metrics on ${host}:${port} (${error.code}). Choose another --metrics (TILLHOUSE_METRICS).`;
    // Not a usage error: a port that is in use may become free.
    throw error.code === 'EADDRINUSE' ? new Error(text) : new UsageError(text);
  });
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${name}:${(server.address() as AddressInfo).port}/metrics`,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
