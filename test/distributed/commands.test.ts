/** On a distributed database a write is one command on the node of its merchant, and so is a read (decision 0133). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { approve, pay, refund } from '../support/payments.js';
import { isCluster, type ObservedServer, startObserved } from '../support/remote-commands.js';
import type { TestMerchant } from '../support/server.js';

describe.runIf(isCluster)('on a distributed database', () => {
  let observed: ObservedServer;
  let merchant: TestMerchant;

  beforeAll(async () => {
    observed = await startObserved();
  });
  afterAll(() => observed.stop());
  beforeEach(async () => {
    merchant = await observed.createRemoteMerchant({ frozen: true });
    await pay(observed.server, merchant); // the credential is cached now
  });

  it('createPayment', async () => {
    console.log(await observed.commandsOf(merchant, () => pay(observed.server, merchant)));
    const payment = await approve(observed.server, merchant);
    console.log(await observed.commandsOf(merchant, () => observed.server.call('POST', `/v2/payments/${payment.id}/complete`, {token: merchant.token})));
    console.log(await observed.commandsOf(merchant, () => refund(observed.server, merchant, payment)));
    console.log(await observed.commandsOf(merchant, () => observed.server.call('GET', `/v2/payments/${payment.id}`, {token: merchant.token})));
    console.log(await observed.commandsOf(merchant, () => observed.server.call('GET', `/v2/payments`, {token: merchant.token})));
    expect(1).toBe(1);
  });
});
