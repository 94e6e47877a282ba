/** An HTTP server on loopback in the test process that receives webhooks and returns planned responses. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Message {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface PlannedResponse {
  readonly status: number;
  readonly body: string;
}

const DEFAULT_RESPONSE: PlannedResponse = { status: 200, body: '' };

export interface Receiver {
  readonly origin: string;
  /** Plans the responses to the next messages, after those that are already planned. */
  plan(response: PlannedResponse, times: number): void;
  close(): Promise<void>;
}

export async function openReceiver(onMessage: (message: Message) => void): Promise<Receiver> {
  const planned: { readonly response: PlannedResponse; times: number }[] = [];
  const nextResponse = (): PlannedResponse => {
    const [next] = planned;
    if (!next) return DEFAULT_RESPONSE;
    next.times -= 1;
    if (next.times <= 0) planned.shift();
    return next.response;
  };
  const server = createServer(async (request, response) => {
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { status, body } = nextResponse();
      onMessage({
        path: request.url ?? '/',
        headers: singleHeaders(request.headers),
        body: Buffer.concat(chunks).toString(),
      });
      response.writeHead(status).end(body);
    } catch {
      response.destroy(); // the sender closed the connection
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    plan(response, times) {
      planned.push({ response, times });
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Webhooks have no repeated headers. */
function singleHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
