/**
 * A server whose pages are visited. It gets the address of the one before it in this worker, because browsers keep the program of a page,
 * already compiled, by its address: a first load takes twice the CPU time of another one.
 */
import { createServer } from 'node:net';
import { ensurePages } from './pages.js';
import { startTestServer, type TestServer, type TestServerOptions } from './server.js';

/** Ports of servers that have stopped, the last one at the end. */
const left: number[] = [];

export async function startPageServer({ config, ...options }: TestServerOptions = {}): Promise<TestServer> {
  ensurePages();
  const known = left.pop();
  const port = known !== undefined && (await isFree(known)) ? known : 0;
  const server = await startTestServer({ ...options, config: { port, ...config } });
  return {
    ...server,
    async stop() {
      await server.stop();
      left.push(Number(new URL(server.baseUrl).port));
    },
  };
}

/** Another process may have taken it meanwhile. */
async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  const isListening = await new Promise<boolean>((resolve) => {
    probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  });
  if (isListening) await new Promise((resolve) => probe.close(resolve));
  return isListening;
}
