/** Writes of sales that something else overtakes. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { realIds } from '../../src/base/ids.js';
import { amount } from '../../src/base/money.js';
import { instant } from '../../src/base/time.js';
import { toReceiptRecord } from '../../src/business/receipts/copies.js';
import { computeReceipt } from '../../src/business/receipts/model.js';
import { addTender, cancelSale, completeFreeSale, openSale as insertSale } from '../../src/business/sales/actions.js';
import { type Sale, type SaleTender, toNewSale, withTender, withTotal } from '../../src/business/sales/model.js';
import { type EditableSale, findSale, readSale, toSaleReceipt } from '../../src/business/sales/queries.js';
import { sales } from '../../src/business/sales/table.js';
import type { Change } from '../../src/database/change.js';
import type { Sql } from '../../src/database/database.js';
import { changeIn, interleave, refusalOf } from '../support/interleaving.js';
import { ensureDefined, mainLocation } from '../support/people.js';
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

function insert(change: Change, sale: Sale): void {
  const receipt = toReceiptRecord(computeReceipt(priced(sale.due)), 'USD');
  insertSale(change, sale, { receipt, requestHash: Buffer.from('request') });
}

/** Applies a change once, in a transaction that is held, or in a commit of its own. */
const changed = (sql: Sql, work: (change: Change) => unknown) => changeIn(sql, merchant.id, work);

/** Applies a change in a commit of its own. It is decided again if something was faster. */
const decided = (work: (change: Change) => Promise<void>) => server.database.change(merchant.id, work);

/** A change of a sale as it is by then. */
const onSale =
  ({ id }: Sale, work: (change: Change, sale: EditableSale) => void) =>
  async (change: Change) =>
    work(change, ensureDefined(await readSale(change, id)));

async function openSale(due: number): Promise<Sale> {
  const sale = newSale(due);
  await changed(server.database.sql, (change) => insert(change, sale));
  return sale;
}

const tender = (id: string, units: number, capturedAt = at): SaleTender => ({ id, amount: amount(units), capturedAt });
const take =
  ({ id: saleId }: Sale, taken: SaleTender) =>
  (change: Change) =>
    addTender(change, { saleId, ...taken }, at);
const read = ({ id }: Sale) => findSale(server.database.sql, merchant.id, id);

it('a tender is added to the sum that another tender leaves, and completes the sale, as the model says', async () => {
  const sale = await openSale(1000);
  const [first, second] = [tender('FIRST', 400), tender('SECOND', 600, LATER)];
  await interleave(server, {
    hold: (tx) => changed(tx, take(sale, first)),
    work: () => decided(take(sale, second)),
  });
  const paid = { state: 'COMPLETED', paid: 1000, tenderIds: ['FIRST', 'SECOND'], createdAt: LATER };
  expect(await read(sale)).toMatchObject({ ...sale, ...paid });
  expect(withTender(withTender(sale, first), second)).toEqual({ ...sale, ...paid });
});

it('a tender is refused if the tenders before it leave less to pay', async () => {
  const sale = await openSale(1000);
  const taken = interleave(server, {
    hold: (tx) => changed(tx, take(sale, tender('FIRST', 600))),
    work: () => decided(take(sale, tender('SECOND', 600))),
  });
  expect(await refusalOf(taken)).toBe('sales_paid');
  expect(await read(sale)).toMatchObject({ state: 'OPEN', paid: 600, tenderIds: ['FIRST'] });
});

it('a sale that is canceled while its tender waits keeps the tender, and stays canceled', async () => {
  const sale = await openSale(1000);
  await interleave(server, {
    hold: (tx) => changed(tx, onSale(sale, cancelSale)),
    work: () => decided(take(sale, tender('ONLY', 1000))),
  });
  expect(await read(sale)).toMatchObject({ state: 'CANCELED', paid: 1000, tenderIds: ['ONLY'] });
});

it('a free sale gets both of two tips that are taken at once', async () => {
  const sale = await openSale(0);
  await interleave(server, {
    hold: (tx) => changed(tx, take(sale, tender('FIRST', 0))),
    work: () => decided(take(sale, tender('SECOND', 0))),
  });
  expect(await read(sale)).toMatchObject({ state: 'COMPLETED', paid: 0, tenderIds: ['FIRST', 'SECOND'] });
});

it('a free sale is not completed again after a tender for a tip', async () => {
  const sale = await openSale(0);
  const completed = interleave(server, {
    hold: (tx) => changed(tx, take(sale, tender('TIP', 0))),
    work: () => decided(onSale(sale, (change, found) => completeFreeSale(change, found, { at: LATER, now: LATER }))),
  });
  await expect(completed).rejects.toMatchObject({ reason: 'WRONG_STATE' });
  expect(await read(sale)).toMatchObject({ state: 'COMPLETED', tenderIds: ['TIP'], createdAt: at });
});

it('a sale that a register sends twice at once is opened once', async () => {
  const registerSaleId = randomUUID();
  const [first, second] = [newSale(1000, registerSaleId), newSale(1000, registerSaleId)];
  const opened = interleave(server, {
    hold: (tx) => changed(tx, (change) => insert(change, first)),
    work: () => changed(server.database.sql, (change) => insert(change, second)),
  });
  await expect(opened).rejects.toMatchObject({ code: '23505' });
  expect([(await read(first))?.id, await read(second)]).toEqual([first.id, undefined]);
});

/** Replaces what the sale sells by something at this price, as if nobody had compared that with what is paid. */
const edit = (sale: Sale, due: number) =>
  onSale(sale, (change, found) => {
    const receipt = toReceiptRecord(computeReceipt(priced(amount(due))), 'USD');
    change.save(sales, found, { ...withTotal(found, amount(due), LATER), ...toSaleReceipt(receipt) });
  });

it('an edit that waits for a tender is refused if its total is below what is paid then', async () => {
  const sale = await openSale(1000);
  const edited = interleave(server, {
    hold: (tx) => changed(tx, take(sale, tender('FIRST', 600))),
    work: () => decided(edit(sale, 500)),
  });
  expect(await refusalOf(edited)).toBe('sales_paid');
  expect(await read(sale)).toMatchObject({ state: 'OPEN', due: 1000, paid: 600 });
});

it('an edit that waits for a tender completes the sale if the tender pays the new total', async () => {
  const sale = await openSale(1000);
  await interleave(server, {
    hold: (tx) => changed(tx, take(sale, tender('FIRST', 600))),
    work: () => decided(edit(sale, 600)),
  });
  expect(await read(sale)).toMatchObject({ state: 'COMPLETED', due: 600, paid: 600, createdAt: LATER, lines: null });
});

it('an edit that waits for the last tender, or for a cancellation, is refused', async () => {
  const [paid, canceled] = [await openSale(1000), await openSale(1000)];
  const late = interleave(server, {
    hold: (tx) => changed(tx, take(paid, tender('ONLY', 1000))),
    work: () => decided(edit(paid, 2000)),
  });
  await expect(late).rejects.toMatchObject({ reason: 'WRONG_STATE' });
  const gone = interleave(server, {
    hold: (tx) => changed(tx, onSale(canceled, cancelSale)),
    work: () => decided(edit(canceled, 2000)),
  });
  await expect(gone).rejects.toMatchObject({ reason: 'WRONG_STATE' });
  expect(await read(canceled)).toMatchObject({ state: 'CANCELED', due: 1000 });
});
