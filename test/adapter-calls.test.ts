/** Calls to an adapter leave nothing behind on what lives as long as the server. */
import { getEventListeners } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAdapterProcessor } from '../src/processor/adapter/processor.js';

let adapter: Server;
let url: string;

beforeAll(async () => {
  adapter = createServer((request, response) => {
    request.resume();
    request.on('end', () =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"outcome":"voided"}'),
    );
  });
  await new Promise<void>((resolve) => adapter.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(adapter.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => adapter.close(resolve)));

/** Node.js keeps the signals that depend on a signal in a set of its own kind. */
function sizesOfSets(signal: AbortSignal): number[] {
  return Object.getOwnPropertySymbols(signal)
    .map((symbol) => (Reflect.get(signal, symbol) as { size?: unknown } | undefined)?.size)
    .filter((size) => typeof size === 'number');
}

it('a call that is over has left the signal that ends calls when the server stops', async () => {
  const closing = new AbortController();
  const options = { closing: closing.signal, onTrouble: () => {} };
  const processor = createAdapterProcessor({ url, secret: 'a secret of the adapter' }, options);
  const merchant = { id: 'M1', hasRules: false };
  for (const paymentId of ['P1', 'P2', 'P3']) {
    await processor.void({ key: paymentId, merchant, paymentId, processorId: null });
  }
  expect(sizesOfSets(closing.signal).filter((size) => size > 0)).toEqual([]);
  expect(getEventListeners(closing.signal, 'abort')).toEqual([]);
});
