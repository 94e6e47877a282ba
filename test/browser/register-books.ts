/** What a tablet and the server know of the sales and the cash of a register. */
import type { Page } from 'playwright-core';
import type { Amount } from '../../src/base/money.js';
import { drawerOf, type KnownDrawer } from '../../web/register/core/drawer-model.js';
import type { QueuedWrite, SentWrite } from '../../web/register/core/queue/model.js';
import type { TestServer } from '../support/server.js';
import type { Shop } from './register-shop.js';

/** What the browser's database of the tablet contains. */
export interface TabletBooks {
  readonly deviceId: string;
  /** The writes that wait, or were refused. */
  readonly writes: readonly QueuedWrite[];
  /** The register's own ids of the sales that the server has accepted. */
  readonly saleIds: readonly string[];
  readonly expectedCash: Amount | undefined;
}

export async function readTablet(page: Page): Promise<TabletBooks> {
  const { device, drawer, writes, sent } = await page.evaluate(async () => {
    const done = <Value>(request: IDBRequest<Value>): Promise<Value> =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const database = await done(indexedDB.open('tillhouse-register'));
    const stores = database.transaction(['kept', 'writes', 'sent']);
    const [found, known, queued, past] = await Promise.all([
      done(stores.objectStore('kept').get('device')),
      done(stores.objectStore('kept').get('drawer')),
      done(stores.objectStore('writes').getAll()),
      done(stores.objectStore('sent').getAll()),
    ]);
    database.close();
    return { device: found, drawer: known, writes: queued, sent: past };
  });
  const known: KnownDrawer = drawer ?? { shift: undefined, since: 0 };
  const waiting = (writes as QueuedWrite[]).filter(({ error }) => error === undefined);
  return {
    deviceId: (device as { id: string }).id,
    writes,
    saleIds: (sent as SentWrite[]).filter(({ operation }) => operation === 'ringUpSale').map(({ id }) => id),
    expectedCash: drawerOf(known, waiting)?.expectedCash,
  };
}

/** What the server has stored of the same register. */
export interface ServerBooks {
  /** Newest last. */
  readonly sales: readonly {
    readonly id: string;
    readonly state: string;
    readonly due: number;
    readonly paid: number;
  }[];
  /** The expected cash of the open shift. */
  readonly expectedCash: number | undefined;
}

export async function readServer(server: TestServer, { owner }: Shop, deviceId: string): Promise<ServerBooks> {
  const { sql } = server.database;
  const sales = await sql<{ id: string; state: string; due: number; paid: number }[]>`
    select register_sale_id as id, state, due::int, paid::int from sales
    where merchant_id = ${owner.merchant.id} and device_id = ${deviceId} order by rung_up_at, sale_id`;
  const [shift] = await sql<{ cash: number }[]>`
    select expected_cash::int as cash from cash_drawer_shifts
    where merchant_id = ${owner.merchant.id} and device_id = ${deviceId} and state = 'OPEN'`;
  return { sales: sales.map((sale) => ({ ...sale })), expectedCash: shift?.cash };
}
