/** Functions of settlements, stopped in the middle while something else is committed. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { realIds } from '../../src/base/ids.js';
import { type Amount, ZERO } from '../../src/base/money.js';
import { type Instant, instant } from '../../src/base/time.js';
import { updateRecurringWork } from '../../src/business/due-work/queries.js';
import type { Adjustment } from '../../src/business/movements/model.js';
import { insertAdjustment, moveSettlementToFailed } from '../../src/business/settlements/actions.js';
import { insertSettlement } from '../../src/business/settlements/queries.js';
import type { Tx } from '../../src/database/database.js';
import { simulator } from '../../src/processor/simulator.js';
import { runDueWork } from '../../src/worker/due-work.js';
import { showTime } from '../support/clock.js';
import { changeIn, interleave, refusalOf } from '../support/interleaving.js';
import { expectBooksInOrder } from '../support/payments.js';
import { startTestServer, type TestServer } from '../support/server.js';
import {
  adjust,
  CLOSE,
  fail,
  MORNING,
  made,
  only,
  openShop,
  SEEN,
  setClock,
  settlementsOf,
  type TestBusiness,
} from '../support/settlements.js';

const at = (text: string): Instant => instant(Date.parse(text));
const NEXT_CLOSE = at('2020-02-22T22:00:00Z');
const NEXT_SEEN = '2020-02-23T06:00:00Z';

let server: TestServer;
let shop: TestBusiness;

beforeAll(async () => {
  server = await startTestServer();
});
beforeEach(async () => {
  shop = await openShop(server);
});
afterEach(() => expectBooksInOrder(server));
afterAll(() => server.stop());

function adjustment(amount: number): Adjustment {
  const core = { id: realIds.newId(27), locationId: shop.locationId, currency: 'USD', fee: ZERO };
  return { ...core, kind: 'ADJUSTMENT', amount: amount as Amount, occurredAt: at(MORNING), reason: 'by hand' };
}

/** Commits a movement of the day, as a server does that read the clock before the day was closed. */
async function commitLateMovement(): Promise<void> {
  const source = { madeBy: 'OPERATOR', key: randomUUID() } as const;
  await server.database.change(shop.id, async (change) => insertAdjustment(change, source, adjustment(50)));
}

const lockMovements = (tx: Tx) => tx`select from movements where merchant_id = ${shop.id} for update`;
const lockBankAccount = (tx: Tx) => tx`select from bank_accounts where merchant_id = ${shop.id} for update`;

/** The totals of all settlements, each with the amounts of its entries. */
async function totals(): Promise<[number, number[]][]> {
  return (await settlementsOf(server, shop)).map(({ total_money, entries = [] }) => [
    total_money.amount,
    entries.map(({ amount_money }) => amount_money.amount),
  ]);
}

describe('close_day', () => {
  const close = (settlementId: string) => ({
    locationId: shop.locationId,
    closedAt: at(CLOSE),
    settlementId,
    visibleAt: at(SEEN),
  });

  it.each([
    ['it marks movements', lockMovements],
    ['it creates the settlement', lockBankAccount],
  ])('leaves a movement that commits while %s to the next close', async (_, hold) => {
    await adjust(server, shop, 100);
    await adjust(server, shop, 200);
    await interleave(server, { hold, work: () => setClock(server, shop, SEEN), meanwhile: commitLateMovement });
    expect(await totals()).toEqual([[300, [100, 200]]]);
    await setClock(server, shop, NEXT_SEEN);
    expect(await totals()).toEqual([
      [300, [100, 200]],
      [50, [50]],
    ]);
  });

  it('marks nothing if the total is zero, whatever commits meanwhile', async () => {
    await adjust(server, shop, 100);
    await adjust(server, shop, -100);
    const work = () => setClock(server, shop, SEEN);
    await interleave(server, { hold: lockMovements, work, meanwhile: commitLateMovement });
    expect(await totals()).toEqual([]);
    await setClock(server, shop, NEXT_SEEN);
    const [total, entries] = only(await totals());
    expect([total, entries.toSorted((one, other) => one - other)]).toEqual([50, [-100, 50, 100]]);
  });

  /** Closes the day as another worker does. */
  const closeFirst = (tx: Tx) =>
    changeIn(tx, shop.id, (change) => {
      insertSettlement(change, close('FIRST'));
      const work = { kind: 'CLOSE_DAY', subjectId: shop.locationId, dueAt: NEXT_CLOSE } as const;
      updateRecurringWork(change, work, NEXT_CLOSE);
    });

  const insertSecond = () =>
    server.database.change(shop.id, async (change) => insertSettlement(change, close('SECOND')));
  const runWorker = async () => {
    await showTime(server, shop.id, at(CLOSE));
    return runDueWork({ database: server.database, processor: simulator, ids: realIds }, shop.id, at(CLOSE));
  };

  it('is refused if the day was closed while it waited', async () => {
    await adjust(server, shop, 100);
    const second = interleave(server, { hold: closeFirst, work: insertSecond });
    expect(await refusalOf(second)).toBe('close_due');
  });

  it('is not repeated by a worker that waited for a close of the same day', async () => {
    await adjust(server, shop, 100);
    await interleave(server, { hold: closeFirst, work: runWorker, meanwhile: commitLateMovement });
    await setClock(server, shop, NEXT_SEEN);
    expect(await totals()).toEqual([
      [100, [100]],
      [50, [50]],
    ]);
  });
});

describe('a failed settlement', () => {
  it('returns the money once if it waited for another failure', async () => {
    await adjust(server, shop, 100);
    await setClock(server, shop, SEEN);
    const { id } = only(await settlementsOf(server, shop));
    const first = { merchantId: shop.id, ids: realIds, now: at(SEEN) };
    const answer = await interleave(server, {
      hold: (tx) => changeIn(tx, shop.id, (change) => moveSettlementToFailed(change, first, id)),
      work: () => fail(server, shop, id),
    });
    expect(answer.status).toBe(400);
    await setClock(server, shop, NEXT_SEEN);
    expect((await totals()).at(-1)).toEqual([100, [100]]);
  });
});

describe('an adjustment', () => {
  it('records nothing if it waited for another one with the same key', async () => {
    const [key, first] = [randomUUID(), adjustment(100)];
    const body = {
      idempotency_key: key,
      location_id: shop.locationId,
      amount_money: { amount: 100, currency: 'USD' },
      reason: first.reason,
    };
    const answer = await interleave(server, {
      hold: (tx) => changeIn(tx, shop.id, (change) => insertAdjustment(change, { madeBy: 'OPERATOR', key }, first)),
      work: () => server.operator('POST', `/api/sandbox/merchants/${shop.id}/adjustments`, body),
    });
    expect(made(answer).adjustment.id).toBe(first.id);
    await setClock(server, shop, SEEN);
    expect(await totals()).toEqual([[100, [100]]]);
  });
});
