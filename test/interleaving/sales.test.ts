/** Writes of sales that something else overtakes. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { realIds } from '../../src/base/ids.js';
import { amount } from '../../src/base/money.js';
import { instant } from '../../src/base/time.js';
import { computeReceipt } from '../../src/business/receipts/model.js';
import { toReceiptRecord } from '../../src/business/receipts/record.js';
import { type Sale, toNewSale } from '../../src/business/sales/model.js';
import {
  findSale,
  insertSale,
  moveFreeSaleToCompleted,
  moveSaleToCanceled,
  updateSaleWithTender,
} from '../../src/business/sales/queries.js';
import type { Tx } from '../../src/database/database.js';
import { interleave } from '../support/interleaving.js';
import { mainLocation } from '../support/people.js';
import { EMPLOYEE, priced } from '../support/sales.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';

const at = instant(Date.parse('2020-02-26T10:00:00Z'));
const LATER = instant(Date.parse('2020-02-26T10:05:00Z'));

let server: TestServer;
let merchant: TestMerchant;

beforeAll(async () => {
  server = await startTestServer();
  merchant = await server.createMerchant();
});
afterAll(() => server.stop());

function newSale(due: number, registerSaleId: string = randomUUID()): Sale {
  const device = { id: 'DEVICE', name: 'Till 1', locationId: mainLocation(merchant) };
  return toNewSale(amount(due), { ids: realIds, device, employeeId: EMPLOYEE, registerSaleId, at });
}

function insert(tx: Tx, sale: Sale): Promise<boolean> {
  const receipt = toReceiptRecord(computeReceipt(priced(sale.due)), 'USD');
  return insertSale(tx, merchant.id, sale, { receipt, requestHash: Buffer.from('request') });
}

async function openSale(due: number): Promise<string> {
  const sale = newSale(due);
  await server.database.statement((tx) => insert(tx, sale));
  return sale.id;
}

const take = (tx: Tx, saleId: string, paymentId: string, units: number, takenAt = at): Promise<void> =>
  updateSaleWithTender(tx, merchant.id, { saleId, paymentId, amount: amount(units), at: takenAt });
const read = (saleId: string) => findSale(server.database.sql, merchant.id, saleId);

it('a tender is added to the sum that another tender leaves, and completes the sale', async () => {
  const saleId = await openSale(1000);
  await interleave(server, {
    hold: (tx) => take(tx, saleId, 'FIRST', 400),
    work: () => server.database.statement((tx) => take(tx, saleId, 'SECOND', 600, LATER)),
  });
  expect(await read(saleId)).toMatchObject({
    state: 'COMPLETED',
    paid: 1000,
    tenderIds: ['FIRST', 'SECOND'],
    createdAt: LATER,
  });
});

it('a tender is refused if the tenders before it leave less to pay', async () => {
  const saleId = await openSale(1000);
  const taken = interleave(server, {
    hold: (tx) => take(tx, saleId, 'FIRST', 600),
    work: () => server.database.statement((tx) => take(tx, saleId, 'SECOND', 600)),
  });
  await expect(taken).rejects.toMatchObject({ constraint_name: 'sales_paid' });
  expect(await read(saleId)).toMatchObject({ state: 'OPEN', paid: 600, tenderIds: ['FIRST'] });
});

it('a sale that is canceled while its tender waits keeps the tender, and stays canceled', async () => {
  const saleId = await openSale(1000);
  await interleave(server, {
    hold: (tx) => moveSaleToCanceled(tx, merchant.id, saleId),
    work: () => server.database.statement((tx) => take(tx, saleId, 'ONLY', 1000)),
  });
  expect(await read(saleId)).toMatchObject({ state: 'CANCELED', paid: 1000, tenderIds: ['ONLY'] });
});

it('a free sale gets both of two tips that are taken at once', async () => {
  const saleId = await openSale(0);
  await interleave(server, {
    hold: (tx) => take(tx, saleId, 'FIRST', 0),
    work: () => server.database.statement((tx) => take(tx, saleId, 'SECOND', 0)),
  });
  expect(await read(saleId)).toMatchObject({ state: 'COMPLETED', paid: 0, tenderIds: ['FIRST', 'SECOND'] });
});

it('a free sale is not completed again after a tender for a tip', async () => {
  const saleId = await openSale(0);
  const completed = interleave(server, {
    hold: (tx) => take(tx, saleId, 'TIP', 0),
    work: () => server.database.statement((tx) => moveFreeSaleToCompleted(tx, merchant.id, saleId, LATER)),
  });
  await expect(completed).rejects.toMatchObject({ constraint_name: 'free_sale' });
  expect(await read(saleId)).toMatchObject({ state: 'COMPLETED', tenderIds: ['TIP'], createdAt: at });
});

it('a sale that a register sends twice at once is opened once', async () => {
  const registerSaleId = randomUUID();
  const [first, second] = [newSale(1000, registerSaleId), newSale(1000, registerSaleId)];
  const isNew = await interleave(server, {
    hold: (tx) => insert(tx, first),
    work: () => server.database.statement((tx) => insert(tx, second)),
  });
  expect([isNew, (await read(first.id))?.id, await read(second.id)]).toEqual([false, first.id, undefined]);
});
