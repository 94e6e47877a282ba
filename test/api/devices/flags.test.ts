/** What registers did offline, as the owner sees it (decision 0157). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeClock } from '../../support/clock.js';
import type { TestOwner } from '../../support/dashboard.js';
import { openBusiness, openShift, type Register } from '../../support/people.js';
import { backdateSignIns, keep, sendQueue } from '../../support/queue.js';
import { cash, item, sell } from '../../support/register-sales.js';
import { startTestServer, type TestServer } from '../../support/server.js';

const NOW = '2020-02-26T10:00:00Z';
const EARLIER = '2020-02-26T09:00:00Z';
const FLAGGED = '/api/dashboard/flagged-writes';

let server: TestServer;
let owner: TestOwner;
let till: Register;
let saleId: string;

beforeAll(async () => {
  server = await startTestServer();
  const role = { permissions: [] };
  ({ owner, register: till } = await openBusiness(
    server,
    { clock: { now: '2020-02-26T08:00:00Z', frozen: true } },
    { role },
  ));
  await sell(till);
  const shift = await openShift(till, 1000);
  await changeClock(server, owner.merchant.id, { now: NOW });
  await backdateSignIns(server, till.employeeId, 2 * 3_600_000);
  const sold = (more: object = {}, at: { occurred_at: string; signedAt?: string } = { occurred_at: EARLIER }) =>
    keep(till, 'ringUpSale', {
      ...at,
      body: { itemizations: [item(1000)], tenders: [cash()], ...more },
    });
  const { body } = await sendQueue(till, NOW, [
    sold(),
    sold({ discounts: [{ name: 'Staff', rate: '0.5', restricted: true }] }),
    keep(till, 'noSale', { occurred_at: NOW, body: { shift_id: shift.id } }),
  ]);
  saleId = body.results[1].response.sale.id;
  // A write whose only fault is a wrong clock needs no review.
  const wrongClock = { occurred_at: '2020-02-26T07:30:00Z', signedAt: '2020-02-26T09:30:00Z' };
  await sendQueue(till, '2020-02-26T08:00:00Z', [sold({}, wrongClock)]);
});
afterAll(() => server.stop());

const flagged = async () => (await owner.call('GET', FLAGGED)).body.writes;
const show = async (id: string) => (await owner.call('GET', `/api/dashboard/sales/${id}`)).body.sale;
const list = async (query = '') => (await owner.call('GET', `/api/dashboard/sales${query}`)).body.sales;

describe('flagged writes', () => {
  it('are listed, on the page of their sale, and found by a filter, until they are reviewed', async () => {
    const writes = await flagged();
    expect(writes).toHaveLength(2);
    expect(writes).toContainEqual({
      ...{ device_id: till.device.id, write_id: expect.any(String), operation: 'ringUpSale', sale_id: saleId },
      ...{
        employee_id: till.employeeId,
        occurred_at: '2020-02-26T09:00:00.000Z',
        arrived_at: '2020-02-26T10:00:00.000Z',
      },
      flags: [{ code: 'DISCOUNT_RESTRICTED', detail: expect.stringContaining('Staff') }],
      is_open: true,
    });
    expect(writes).toContainEqual(expect.objectContaining({ operation: 'noSale', is_open: true }));
    expect((await list('?flagged=true')).map(({ id }: { id: string }) => id)).toEqual([saleId]);
    expect(await list()).toHaveLength(4);
    const [write] = (await show(saleId)).flagged_writes;
    expect(write).toMatchObject({ sale_id: saleId, is_open: true });

    const { device_id, write_id } = write;
    const review = { body: { writes: [{ device_id, write_id }] } };
    for (let count = 0; count < 2; count++) {
      expect((await owner.call('POST', `${FLAGGED}/reviewed`, review)).status).toBe(200);
    }
    expect(await flagged()).toHaveLength(1);
    expect(await list('?flagged=true')).toEqual([]);
    const [reviewed] = (await show(saleId)).flagged_writes;
    expect(reviewed).toMatchObject({ is_open: false, reviewed_at: '2020-02-26T10:00:00.000Z' });
  });

  it('that only have a wrong clock are shown with their sale', async () => {
    const pages = await Promise.all((await list()).map(({ id }: { id: string }) => show(id)));
    const codes = pages.flatMap(({ flagged_writes }) => flagged_writes.flatMap((write: never) => write['flags']));
    expect(codes.map(({ code }) => code).sort()).toEqual(['CLOCK_CORRECTED', 'DISCOUNT_RESTRICTED']);
  });

  it('belong to their merchant', async () => {
    const { owner: other } = await openBusiness(server);
    const [write] = await flagged();
    const body = { writes: [{ device_id: write.device_id, write_id: write.write_id }] };
    expect((await other.call('POST', `${FLAGGED}/reviewed`, { body })).status).toBe(404);
    expect((await other.call('GET', FLAGGED)).body.writes).toEqual([]);
    expect(await flagged()).toHaveLength(1);
  });
});
