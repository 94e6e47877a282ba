import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { findBreaches } from '../../src/check/check.js';
import { advance, approve, cancelByKey, tryToRefund, usd } from '../support/payments.js';
import { startTestServer } from '../support/server.js';

describe('the laws of the books under load', () => {
  it('hold at every moment while payments are created, completed, refunded and cancelled', async () => {
    const server = await startTestServer();
    try {
      const merchant = await server.createMerchant();
      let working = 6;
      const workers = Array.from({ length: working }, async () => {
        for (let round = 0; round < 12; round++) {
          const key = randomUUID();
          const payment = await approve(server, merchant, { idempotency_key: key });
          await server.call('POST', `/v2/payments/${payment.id}/complete`, { token: merchant.token });
          await tryToRefund(server, merchant, payment, { amount_money: usd(400) });
          if (round % 2 === 0) await cancelByKey(server, merchant, key);
        }
        working--;
      });
      let looks = 0;
      const clock = async () => {
        while (working > 0) await advance(server, merchant, 'PT5S');
      };
      const checker = async () => {
        for (; working > 0; looks++) expect(await findBreaches(server.database)).toEqual([]);
      };
      await Promise.all([...workers, clock(), checker()]);
      expect(looks).toBeGreaterThan(0);
      expect(await findBreaches(server.database)).toEqual([]);
    } finally {
      await server.stop();
    }
  });
});
