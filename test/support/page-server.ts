/**
 * A server whose pages are visited. It gets the address of the one before it in this worker, because browsers keep the program of a page,
 * already compiled, by its address: a first load takes twice the CPU time of another one.
 */
import { ensurePages } from './pages.js';
import { startTestServer, type TestServer, type TestServerOptions } from './server.js';

/** Ports of servers that have stopped, the last one at the end. */
const left: number[] = [];

export async function startPageServer({ config, ...options }: TestServerOptions = {}): Promise<TestServer> {
  ensurePages();
  const start = (port: number) => startTestServer({ ...options, config: { port, ...config } });
  const known = left.pop();
  const server = known === undefined ? await start(0) : await start(known).catch(() => start(0)); // another process may have it now
  return {
    ...server,
    async stop() {
      await server.stop();
      left.push(Number(new URL(server.baseUrl).port));
    },
  };
}
