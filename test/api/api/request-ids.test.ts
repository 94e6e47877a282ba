/** Whose ids requests have: those of a trusted proxy, otherwise new ones (decision 0242). */
import { describe, expect, it } from 'vitest';
import { withSharedDatabase } from '../../support/server.js';

const serve = withSharedDatabase();

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const OF_PROXY = '343f505ed9d04e4fbbd0b97078fe6bd6';

const idOf = ({ headers }: { readonly headers: NodeJS.Dict<string | string[]> }) => headers['x-request-id'];

describe('x-request-id', () => {
  it.each([
    ['one address', { addresses: ['127.0.0.1'] }],
    ['a network', { addresses: ['2001:db8::/32', '127.0.0.0/8'] }],
    ['a number of proxies', { hops: 1 }],
  ])('of a trusted proxy is that of the response: %s', async (_, trustProxy) => {
    await serve({ config: { trustProxy } }, async (server) => {
      const ask = (path: string, id: string) => server.call('GET', path, { headers: { 'x-request-id': id } });
      for (const path of ['/healthz', '/v2/payments', '/v2/nothing', '/%']) {
        expect(idOf(await ask(path, OF_PROXY)), path).toBe(OF_PROXY);
      }
      for (const id of ['Root=1-67891233-abcdef012345678912345678', 'a'.repeat(128), '12345678']) {
        expect(idOf(await ask('/healthz', id))).toBe(id);
      }
    });
  });

  it.each([
    ['nobody is trusted', {}, OF_PROXY],
    ['another address is trusted', { trustProxy: { addresses: ['192.0.2.1', '10.0.0.0/8'] } }, OF_PROXY],
    ['it is too short', { trustProxy: { hops: 1 } }, '1234567'],
    ['it is too long', { trustProxy: { hops: 1 } }, 'a'.repeat(129)],
    ['it has other characters', { trustProxy: { hops: 1 } }, '{"a":"12345678"}'],
    ['it is empty', { trustProxy: { hops: 1 } }, ''],
    ['there are two', { trustProxy: { hops: 1 } }, '12345678, 87654321'],
  ])('is a new one if %s', async (_, config, id) => {
    await serve({ config }, async (server) => {
      expect(idOf(await server.call('GET', '/healthz', { headers: { 'x-request-id': id } }))).toMatch(UUID);
    });
  });
});
