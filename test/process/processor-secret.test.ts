/** The secret between the servers and their adapter is replaced while both serve (decision 0233). */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ADAPTER_SECRET, AdapterProcess } from '../support/adapter.js';
import { expectRefusal, pay, tryToPay } from '../support/payments.js';
import { RollingServers } from '../support/rolling-servers.js';
import { cloneDatabase, type TestServer } from '../support/server.js';

const LIMITS = { attemptMs: 1000, lookUpMs: 1000, pauseMs: 10 };

describe('the secret of the processor', () => {
  it('is replaced beside two servers, and no payment is refused', async () => {
    const clone = await cloneDatabase();
    const adapter = await AdapterProcess.start();
    const next = randomBytes(32).toString('hex');
    await adapter.kill();
    await adapter.restart(`${ADAPTER_SECRET},${next}`);
    const on = (secret: string) => ({
      ...{ databaseUrl: clone.url, adapterLimits: LIMITS },
      config: { adapter: { url: adapter.url, secret } },
    });
    const servers = await RollingServers.start(on(ADAPTER_SECRET));
    try {
      const merchant = await servers.first.createMerchant();
      const payAt = async (at: TestServer) => expect((await pay(at, merchant)).status).toBe('COMPLETED');
      await servers.under(payAt, () => servers.replaceAll(on(next)));
      await adapter.kill();
      await adapter.restart(next);
      await payAt(servers.first);
      await servers.replaceAllIdle(on(ADAPTER_SECRET));
      const refused = { status: 503, code: 'TEMPORARY_ERROR', category: 'API_ERROR' } as const;
      expectRefusal(await tryToPay(servers.first, merchant), refused); // the old secret is worth nothing any more
    } finally {
      await servers.stop();
      await adapter.stop();
      await clone.drop();
    }
  });
});
