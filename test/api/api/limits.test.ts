/** Request limits: guards that are always on, and shares of known credentials (decision 0081). */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createOwner } from '../../support/dashboard.js';
import type { ApiResponse, CallOptions } from '../../support/http.js';
import {
  CARD,
  createStore,
  DECLINED,
  orderBody,
  place,
  type TestStore,
  tryToPay,
  tryToPlace,
} from '../../support/orders.js';
import { type TestServer, withSharedDatabase } from '../../support/server.js';

const CROWD = 12;

const serve = withSharedDatabase(); // limits are counted in memory, so each server counts for itself

const crowd = (ask: () => Promise<ApiResponse>): Promise<ApiResponse[]> =>
  Promise.all(Array.from({ length: CROWD }, ask));

const statusesOf = (answers: readonly ApiResponse[]) => new Set(answers.map(({ status }) => status));

function expectLimited(answers: readonly ApiResponse[], usual: number): void {
  expect(statusesOf(answers)).toEqual(new Set([usual, 429]));
  for (const { status, headers, body } of answers) {
    if (status !== 429) continue;
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(body.type ?? body.errors[0].code).toMatch(/^(?:rate_limited|RATE_LIMITED)$/);
  }
}

const from = (address: string, options: CallOptions = {}): CallOptions => ({
  ...options,
  headers: { ...options.headers, 'x-forwarded-for': address },
});

describe('unknown credentials', () => {
  const PLACES = [
    ['/v1/me', 'GET'],
    ['/v2/employees', 'GET'],
    ['/api/register/device', 'GET'],
    ['/api/checkout/catalogue', 'GET'],
    ['/api/sandbox/faults', 'GET'],
    ['/oauth2/token/status', 'POST'],
  ] as const;

  it('are limited by address at every surface', async () => {
    // Each surface is guessed at from an address of its own.
    await serve({ guards: { unknownCredentials: 3 }, config: { trustProxy: { hops: 1 } } }, async (server) => {
      for (const [index, [path, method]] of PLACES.entries()) {
        const options = from(`203.0.113.${index}`, { token: 'guess' });
        expectLimited(await crowd(() => server.call(method, path, options)), 401);
      }
    });
  });

  it('do not block callers with a known credential', async () => {
    await serve({ guards: { unknownCredentials: 3 } }, async (server) => {
      const { token } = await server.createMerchant();
      expectLimited(await crowd(() => server.call('GET', '/v1/me', { token: 'guess' })), 401);
      expect(statusesOf(await crowd(() => server.call('GET', '/v1/me', { token })))).toEqual(new Set([200]));
    });
  });

  it('are counted separately from requests without a credential, which are not limited', async () => {
    await serve({ guards: { unknownCredentials: 3 } }, async (server) => {
      expect(statusesOf(await crowd(() => server.call('GET', '/v1/me')))).toEqual(new Set([401]));
    });
  });
});

describe('--trust-proxy', () => {
  const guess = (server: TestServer, address: string) =>
    crowd(() => server.call('GET', '/v1/me', from(address, { token: 'guess' })));

  it('makes limits count by the client address that a trusted proxy sends', async () => {
    for (const trustProxy of [{ addresses: ['127.0.0.0/8'] }, { hops: 1 }]) {
      await serve({ guards: { unknownCredentials: 3 }, config: { trustProxy } }, async (server) => {
        expectLimited(await guess(server, '203.0.113.1'), 401);
        const other = await server.call('GET', '/v1/me', from('203.0.113.2', { token: 'guess' }));
        expect(other.status).toBe(401);
        // The proxy appends the address that it saw; the client controls what stands before it.
        const forged = await server.call('GET', '/v1/me', from('198.51.100.7, 203.0.113.1', { token: 'guess' }));
        expect(forged.status).toBe(429);
      });
    }
  });

  it('counts the addresses of one IPv6 network as one', async () => {
    const options = { guards: { unknownCredentials: 3 }, config: { trustProxy: { hops: 1 } } };
    await serve(options, async (server) => {
      expectLimited(await guess(server, '2001:db8:1:2::1'), 401);
      expect((await server.call('GET', '/v1/me', from('2001:db8:1:2::99', { token: 'guess' }))).status).toBe(429);
      expect((await server.call('GET', '/v1/me', from('2001:db8:1:3::1', { token: 'guess' }))).status).toBe(401);
    });
  });

  it('is off by default: a client cannot choose the address that is counted', async () => {
    for (const config of [{}, { trustProxy: { addresses: ['192.0.2.1'] } }]) {
      await serve({ guards: { unknownCredentials: 3 }, config }, async (server) => {
        let client = 0;
        const answers = await crowd(() =>
          server.call('GET', '/v1/me', from(`203.0.113.${++client}`, { token: 'guess' })),
        );
        expectLimited(answers, 401);
      });
    }
  });
});

describe('/oauth2', () => {
  it('is limited by address, including its page', async () => {
    await serve({ guards: { oauth: 3 } }, async (server) => {
      expectLimited(await crowd(() => server.call('POST', '/oauth2/token', { body: {} })), 400);
      const page = await server.call('GET', '/oauth2/authorize');
      expect([page.status, page.headers['content-type']]).toEqual([429, 'text/html; charset=utf-8']);
      expect(Number(page.headers['retry-after'])).toBeGreaterThan(0);
    });
  });
});

describe('an online store', () => {
  it('limits the reads of one visitor', async () => {
    await serve({ guards: { checkoutReads: 3 } }, async (server) => {
      const store = await createStore(server);
      expectLimited(await crowd(() => store.call('GET', '/api/checkout/catalogue')), 200);
    });
  });

  it('refuses cards from a visitor with too many declines, and accepts other visitors', async () => {
    const options = { guards: { declinesOfVisitor: 2 }, config: { trustProxy: { hops: 1 } } };
    await serve(options, async (server) => {
      const store = await createStore(server);
      const pay = async (address: string, source: string) => {
        const { token } = await place(store);
        return store.call('POST', `/api/checkout/orders/${token}/pay`, from(address, { body: { source_id: source } }));
      };
      expect((await pay('203.0.113.1', CARD)).status).toBe(200); // an approved payment does not count
      for (let tries = 0; tries < 2; tries++) expect((await pay('203.0.113.1', DECLINED)).status).toBe(400);
      const refused = await pay('203.0.113.1', CARD);
      expect([refused.status, refused.body.errors[0].code]).toEqual([429, 'RATE_LIMITED']);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      expect((await pay('203.0.113.2', CARD)).status).toBe(200);
    });
  });

  it('refuses all cards after too many declines in total, from any visitor', async () => {
    const options = { guards: { declinesOfStore: 3 }, config: { trustProxy: { hops: 1 } } };
    await serve(options, async (server) => {
      const [store, other] = [await createStore(server), await createStore(server)];
      let client = 0;
      const answers = await Promise.all(
        Array.from({ length: CROWD }, async () => {
          const { token } = await place(store);
          const body = { source_id: DECLINED };
          return store.call('POST', `/api/checkout/orders/${token}/pay`, from(`203.0.113.${++client}`, { body }));
        }),
      );
      expectLimited(answers, 400);
      expect((await tryToPay(other, await place(other))).status).toBe(200);
    });
  });

  const price = (store: TestStore, promo_code: string, address = '203.0.113.1') =>
    store.call(
      'POST',
      '/api/checkout/prices',
      from(address, { body: { items: [{ item_id: store.itemIds[0], quantity: 1 }], promo_code } }),
    );

  it('lets nobody try out promo codes, while right codes do not count', async () => {
    const options = { guards: { promoCodesOfVisitor: 3 }, config: { trustProxy: { hops: 1 } } };
    await serve(options, async (server) => {
      const [store, other] = [await createStore(server), await createStore(server)];
      for (let time = 0; time < 5; time++) expect((await price(store, 'ten')).status).toBe(200);
      expectLimited(await crowd(() => price(store, 'WRONG')), 400);
      for (const answer of [
        await price(store, 'TEN'),
        await tryToPlace(store, { promo_code: 'TEN' }, from('203.0.113.1').headers),
      ]) {
        expect([answer.status, answer.body.errors[0].code]).toEqual([429, 'RATE_LIMITED']);
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      }
      expect((await price(store, 'TEN', '203.0.113.2')).status).toBe(200);
      expect((await price(other, 'TEN')).status).toBe(200);
      expect((await tryToPlace(store, {}, from('203.0.113.1').headers)).status).toBe(200); // without a code
    });
  });

  it('counts wrong promo codes of placed orders too, and those of all visitors together', async () => {
    const options = { guards: { promoCodesOfStore: 4 }, config: { trustProxy: { hops: 1 } } };
    await serve(options, async (server) => {
      const store = await createStore(server);
      let client = 0;
      const guess = () => tryToPlace(store, { promo_code: 'WRONG' }, from(`203.0.113.${++client}`).headers);
      expectLimited(await crowd(guess), 400);
      expect((await price(store, 'TEN', '198.51.100.1')).status).toBe(429);
    });
  });

  it('counts the retries of an order', async () => {
    await serve({ guards: { checkoutWrites: 4 } }, async (server) => {
      const store = await createStore(server);
      const body = orderBody(store);
      const send = () => store.call('POST', '/api/checkout/orders', { body });
      expect((await send()).status).toBe(200);
      expectLimited(await crowd(send), 200);
    });
  });

  it('returns a decline on a retry without counting it again', async () => {
    await serve({ guards: { declinesOfVisitor: 2 } }, async (server) => {
      const store = await createStore(server);
      const order = await place(store);
      for (let tries = 0; tries < 5; tries++) {
        expect((await tryToPay(store, order, DECLINED)).status).toBe(400);
      }
      expect((await tryToPay(store, await place(store))).status).toBe(200);
    });
  });
});

describe('--rate-limit', () => {
  it('applies to a dashboard session and to a register as it does to a token', async () => {
    await serve({ config: { rateLimit: 2 } }, async (server) => {
      const owner = await createOwner(server);
      expectLimited(await crowd(() => owner.call('GET', '/api/dashboard/session')), 200);
      const { body } = await server.operator('POST', `/api/sandbox/merchants/${owner.merchant.id}/registers`, {});
      const device = { token: body.device_token };
      expectLimited(await crowd(() => server.call('GET', '/api/register/device', device)), 200);
    });
  });

  it('applies to all tokens of one application together', async () => {
    await serve({ config: { rateLimit: 2 } }, async (server) => {
      const merchant = await server.createMerchant();
      const tokens = await Promise.all(
        Array.from({ length: 40 }, () => server.createToken(merchant.id, ['MERCHANT_PROFILE_READ'])),
      );
      expectLimited(await Promise.all(tokens.map((token) => server.call('GET', '/v1/me', { token }))), 200);
      const other = await server.createMerchant();
      expect((await server.call('GET', '/v1/me', { token: other.token })).status).toBe(200);
    });
  });
});

/** Resolves with all received bytes when the other side has closed. */
async function untilClosed(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString();
  });
  socket.on('error', () => {});
  await once(socket, 'close');
  return text;
}

describe('a connection', () => {
  it.each([
    ['sends nothing', ''],
    ['never finishes its headers', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: '],
  ])('that %s is closed', async (_what, bytes) => {
    await serve({ headersTimeoutMs: 200 }, async (server) => {
      const socket = connect(Number(new URL(server.baseUrl).port), '127.0.0.1');
      await once(socket, 'connect');
      socket.write(bytes);
      expect(await untilClosed(socket)).toMatch(/^HTTP\/1\.1 408 /);
    });
  });

  it('that stays idle is closed to make room for others, even if its client keeps its half open', async () => {
    await serve({ headersTimeoutMs: 200, config: { maxConnections: 2 } }, async (server) => {
      const port = Number(new URL(server.baseUrl).port);
      const held = [1, 2].map(() => connect({ port, host: '127.0.0.1', allowHalfOpen: true }));
      for (const socket of held) socket.on('error', () => {}).resume();
      await Promise.all(held.map((socket) => once(socket, 'connect')));
      await expect
        .poll(() => server.call('GET', '/healthz').then(({ status }) => status, String), { timeout: 10_000 })
        .toBe(200);
      for (const socket of held) socket.destroy();
    });
  });

  it('whose client never reads the responses is closed', async () => {
    await serve({ readTimeoutMs: 500, config: { maxConnections: 1 } }, async (server) => {
      const socket = connect(Number(new URL(server.baseUrl).port), '127.0.0.1');
      await once(socket, 'connect');
      socket.pause().on('error', () => {});
      // More than the buffers of both sides hold.
      socket.write('GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(100));
      await expect
        .poll(() => server.call('GET', '/healthz').then(({ status }) => status, String), { timeout: 20_000 })
        .toBe(200);
      socket.destroy();
    });
  });

  it('whose client reads slowly stays open', async () => {
    await serve({ readTimeoutMs: 5000 }, async (server) => {
      const socket = connect(Number(new URL(server.baseUrl).port), '127.0.0.1');
      await once(socket, 'connect');
      const text = untilClosed(socket.on('data', () => void socket.pause()));
      const reading = setInterval(() => socket.resume(), 5);
      const ask = 'GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n';
      socket.write(`${`${ask}\r\n`.repeat(7)}${ask}Connection: close\r\n\r\n`);
      expect((await text).match(/HTTP\/1\.1 200 /g)).toHaveLength(8);
      clearInterval(reading);
    });
  });

  it('is closed immediately above the maximum number, and accepted again when another one ends', async () => {
    await serve({ config: { maxConnections: 2 } }, async (server) => {
      const port = Number(new URL(server.baseUrl).port);
      const held = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')] as const;
      await Promise.all(held.map((socket) => once(socket, 'connect')));
      await expect(server.call('GET', '/healthz')).rejects.toThrow(/ECONNRESET|socket hang up/);
      held[0].destroy();
      await expect
        .poll(() => server.call('GET', '/healthz').then(({ status }) => status, String), { timeout: 20_000 })
        .toBe(200);
      held[1].destroy();
    });
  });
});
