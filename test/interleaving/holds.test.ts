/** Changes of holds, stopped in the middle while something else is committed. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { realIds } from '../../src/base/ids.js';
import type { Amount } from '../../src/base/money.js';
import { type Instant, instant } from '../../src/base/time.js';
import { deleteDueWork } from '../../src/business/due-work/queries.js';
import { insertHold, placeHold, raiseHold, releaseActiveHold } from '../../src/business/holds/actions.js';
import type { Hold } from '../../src/business/holds/model.js';
import { readActiveHold } from '../../src/business/holds/queries.js';
import { holds } from '../../src/business/holds/table.js';
import { readPayment } from '../../src/business/payments/queries.js';
import { dependOnPayment } from '../../src/business/payments/rows.js';
import { payments } from '../../src/business/payments/table.js';
import { finishRefund } from '../../src/business/refunds/finishing.js';
import type { Change } from '../../src/database/change.js';
import type { Tx } from '../../src/database/database.js';
import { simulator } from '../../src/processor/simulator.js';
import { changeIn, interleave } from '../support/interleaving.js';
import {
  expectBooksInOrder,
  movementsOf,
  pay,
  refund,
  tryToRefund,
  usd,
  type WirePayment,
} from '../support/payments.js';
import { ensureDefined } from '../support/people.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { hold, MORNING, made, openShop, release, type TestBusiness } from '../support/settlements.js';

const NOW: Instant = instant(Date.parse(MORNING));

let server: TestServer;
let shop: TestBusiness;
let payment: WirePayment;

beforeAll(async () => {
  server = await startTestServer();
});
beforeEach(async () => {
  shop = await openShop(server);
  payment = await pay(server, shop);
});
afterEach(() => expectBooksInOrder(server));
afterAll(() => server.stop());

const amount = 1000 as Amount;

const CONTEXT = { ids: realIds, now: NOW };
const held = () => ({ id: payment.id, locationId: shop.locationId, currency: 'USD' });

const kindsOf = async () => (await movementsOf(server, payment.id)).map(({ kind }) => kind);

describe('placing a hold', () => {
  const placed = (): Hold => ({
    id: realIds.newId(27),
    paymentId: payment.id,
    amount,
    placedAt: NOW,
    releasedAt: null,
  });

  /** Completes a refund of the payment in a transaction, as a worker does. */
  async function completeRefund(refundId: string): Promise<(tx: Tx) => Promise<void>> {
    const { database } = server;
    const context = { database, processor: simulator, ids: realIds, merchantId: shop.id, leasedUntil: NOW };
    const record = await finishRefund(context, refundId, NOW);
    return (tx) =>
      changeIn(tx, shop.id, async (change) => {
        await record?.(change);
        deleteDueWork(change, { kind: 'FINISH_REFUND', subjectId: refundId });
      });
  }

  it('refuses money that a refund returned while it waited for the payment', async () => {
    const { id } = await refund(server, shop, payment, { amount_money: usd(700) });
    const dispute = { ...CONTEXT, database: server.database, merchantId: shop.id, paymentId: payment.id };
    const placing = interleave(server, { hold: await completeRefund(id), work: () => placeHold(dispute, amount) });
    await expect(placing).rejects.toMatchObject({ reason: 'INVALID_VALUE', field: 'amount_money.amount' });
    expect(await kindsOf()).toEqual(['CHARGE', 'REFUND']);
  });

  it('holds what a refund left while the request waited for the payment', async () => {
    const { id } = await refund(server, shop, payment, { amount_money: usd(700) });
    const answer = await interleave(server, {
      hold: await completeRefund(id),
      work: () => hold(server, shop, payment.id),
    });
    expect(made(answer).hold.amount_money).toEqual(usd(300));
  });

  it('is seen by a refund that was decided before it', async () => {
    const answer = await interleave(server, {
      hold: (tx) =>
        changeIn(tx, shop.id, async (change) => {
          await readPayment(change, payment.id);
          insertHold(change, CONTEXT, held(), placed());
        }),
      work: () => tryToRefund(server, shop, payment),
    });
    expect([answer.status, answer.body.errors[0].code]).toEqual([400, 'PAYMENT_NOT_REFUNDABLE']);
    expect(await kindsOf()).toEqual(['CHARGE', 'HOLD']);
  });
});

describe('raising a hold', () => {
  const raise = async (from: number) => {
    made(await hold(server, shop, payment.id, from));
    const read = async (change: Change) => ({
      found: ensureDefined(await readActiveHold(change, payment.id)),
      disputed: ensureDefined(await change.read(payments, { id: payment.id })),
    });
    const { found, disputed } = await server.database.change(shop.id, read);
    return (change: Change) => {
      change.dependOn(holds, found);
      dependOnPayment(change, disputed);
      raiseHold(change, CONTEXT, held(), { hold: found, amount });
    };
  };

  it('is released with all its money by a release that waited for it', async () => {
    const work = await raise(400);
    const answer = await interleave(server, {
      hold: (tx) => changeIn(tx, shop.id, work),
      work: () => release(server, shop, payment.id),
    });
    expect(answer.status).toBe(200);
    expect((await movementsOf(server, payment.id)).map((each) => each.amount).sort()).toEqual(
      [1000, -400, -600, 1000].sort(),
    );
  });

  it('refuses money that was returned', async () => {
    const { id } = await refund(server, shop, payment, { amount_money: usd(700) });
    const work = await raise(200);
    await server.database.change(shop.id, async (change) => {
      const context = { database: server.database, processor: simulator, ids: realIds, merchantId: shop.id };
      await (await finishRefund({ ...context, leasedUntil: NOW }, id, NOW))?.(change);
      deleteDueWork(change, { kind: 'FINISH_REFUND', subjectId: id });
    });
    await expect(changeIn(server.database.sql, shop.id, work)).rejects.toThrow(/^changed: payments/);
  });

  it('does nothing if the hold was released meanwhile', async () => {
    const work = await raise(400);
    made(await release(server, shop, payment.id));
    await expect(changeIn(server.database.sql, shop.id, work)).rejects.toThrow(/^changed: holds/);
    expect(await kindsOf()).toEqual(['CHARGE', 'HOLD', 'HOLD_RELEASE']);
  });
});

describe('releasing a hold', () => {
  it('returns the money once if it waited for another release', async () => {
    made(await hold(server, shop, payment.id));
    const first = { ...CONTEXT, merchantId: shop.id, paymentId: payment.id };
    const answer = await interleave(server, {
      hold: (tx) => changeIn(tx, shop.id, (change) => releaseActiveHold(change, first)),
      work: () => release(server, shop, payment.id),
    });
    expect(answer.status).toBe(400);
    expect((await kindsOf()).sort()).toEqual(['CHARGE', 'HOLD', 'HOLD_RELEASE']);
  });
});
