/** On a distributed database a write is one command on the node of its merchant, and so is every read (decision 0135). */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPORT_GROUPS } from '../../src/business/reports/model.js';
import { createOwner, type TestOwner } from '../support/dashboard.js';
import { createEmployee } from '../support/employees.js';
import type { ApiResponse } from '../support/http.js';
import { openStore, orderPath, place, placePaid, type TestStore, tryToPay } from '../support/orders.js';
import { approve, cancelByKey, pay, refund } from '../support/payments.js';
import { ensureDefined, openRegister, openShift, type Register } from '../support/people.js';
import { card, cash, sell } from '../support/register-sales.js';
import { type ObservedServer, startObserved } from '../support/remote-commands.js';
import type { TestMerchant, TestServer } from '../support/server.js';
import { isCluster } from '../support/server.js';
import { linkAccount, MORNING, SEEN, setClock } from '../support/settlements.js';

/** Credentials in use are read again within this time. */
const REFRESHED_MS = 2_000;

describe.runIf(isCluster)('on a distributed database', () => {
  let observed: ObservedServer;
  let server: TestServer;
  let owner: TestOwner;
  let merchant: TestMerchant;
  let register: Register;
  let store: TestStore;

  beforeAll(async () => {
    observed = await startObserved();
    server = observed.server;
    owner = await observed.makeRemote(
      () => createOwner(server, { timezone: 'America/New_York', clock: { now: MORNING, frozen: true } }),
      (made) => made.merchant,
    );
    merchant = owner.merchant;
    await linkAccount(owner);
    register = await openRegister(server, owner);
    store = await openStore(server, merchant);
    // All credentials are cached now.
    await Promise.all([pay(server, merchant), sell(register), placePaid(store)]);
  });
  afterAll(() => observed?.stop());

  const call = async (method: string, path: string, body?: unknown): Promise<ApiResponse> => {
    const answer = await server.call(method, path, { token: merchant.token, ...(body !== undefined && { body }) });
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
    return answer;
  };

  /** Prepares an operation, and returns it. */
  const WRITES: Readonly<Record<string, () => Promise<() => Promise<unknown>>>> = {
    createPayment: async () => () => pay(server, merchant),
    completePayment: async () => {
      const { id } = await approve(server, merchant);
      return () => call('POST', `/v2/payments/${id}/complete`);
    },
    cancelPayment: async () => {
      const { id } = await approve(server, merchant);
      return () => call('POST', `/v2/payments/${id}/cancel`);
    },
    cancelPaymentByIdempotencyKey: async () => {
      await pay(server, merchant, { idempotency_key: 'to-cancel' });
      return () => cancelByKey(server, merchant, 'to-cancel');
    },
    refundPayment: async () => {
      const payment = await pay(server, merchant);
      return () => refund(server, merchant, payment);
    },
    createTimecard: async () => {
      const { id } = await createEmployee(server, merchant);
      return () => call('POST', '/v1/me/timecards', { employee_id: id });
    },
    updateTimecard: async () => {
      const { id } = await createEmployee(server, merchant);
      const { body } = await call('POST', '/v1/me/timecards', { employee_id: id });
      return () => call('PUT', `/v1/me/timecards/${body.id}`, { clockout_time: '2020-02-21T16:00:00Z' });
    },
    'opening a drawer': async () => () => openShift(register),
    'a sale for cash': async () => () => sell(register, { tenders: [cash()] }),
    'a sale by card': async () => () => sell(register, { tenders: [card()] }),
    'placing an order': async () => () => place(store),
    'paying an order': async () => {
      const order = await place(store);
      return () => tryToPay(store, order);
    },
    'completing an order': async () => {
      const order = await placePaid(store);
      return () => call('PUT', orderPath(store, order), { action: 'COMPLETE' });
    },
  };

  it.each(Object.entries(WRITES))('%s writes once, on one node, without a second phase', async (_, prepare) => {
    const commands = await observed.commandsOf(merchant, await prepare());
    expect(commands.filter((each) => each !== 'read')).toHaveLength(1);
    expect(commands.at(-1)).toMatch(/^[a-z_]+$/);
  });

  it('the close of a day needs no second phase', async () => {
    const commands = await observed.commandsOf(merchant, () => setClock(server, merchant, SEEN));
    expect(commands.filter((each) => /prepare/i.test(each))).toEqual([]);
    expect(commands).toContain('apply_change');
    expect((await call('GET', '/v1/me/settlements')).body).toHaveLength(1);
  });

  const READS = [
    '/v2/payments',
    '/v2/payments/ID',
    '/v2/refunds',
    '/v2/locations',
    '/v2/merchants/me',
    '/v1/me/payments',
    '/v1/me/payments/ID',
    '/v1/me/refunds',
    '/v1/me/settlements',
    '/v1/LOCATION/bank-accounts',
    '/v1/me/employees',
    '/v1/me/roles',
    '/v1/me/timecards',
    '/v1/LOCATION/orders',
    '/v1/LOCATION/cash-drawer-shifts',
    '/v2/cash-drawers/shifts?location_id=LOCATION',
    '/v2/employees',
    '/v2/locations/LOCATION/transactions',
    '/v2/webhooks/subscriptions',
  ];

  it.each(READS)('GET %s reads on one shard', async (pattern) => {
    const { id } = await pay(server, merchant);
    const path = pattern.replace('ID', id).replace('LOCATION', ensureDefined(merchant.locationIds[0]));
    const counts = await observed.countTasks(merchant, () => call('GET', path));
    expect(counts.length).toBeGreaterThan(0);
    expect(counts).toEqual(counts.map(() => 1));
  });

  const PAGES = [
    'reports/today',
    ...REPORT_GROUPS.map((group) => `reports/sales?group_by=${group}&begin_date=2020-01-01&compare=true`),
    'sales',
    'sales?search=ID',
    'sales?search=12.50',
    'sales?search=1111',
    'sales/ID',
    'orders',
    'catalogue',
    'employees',
    'roles',
    'timecards',
    'hours',
    'cash-drawer-shifts',
    'settlements',
    'balance',
    'disputes',
    'business',
    'devices',
    'tokens',
    'sessions',
    'applications',
    'authorizations',
    'webhook-deliveries',
    'audit-events',
  ];

  it.each(PAGES)('the page of /api/dashboard/%s reads on one shard', async (pattern) => {
    const { id } = await pay(server, merchant);
    const path = `/api/dashboard/${pattern.replace('ID', id)}`;
    const counts = await observed.countTasks(merchant, async () => {
      const answer = await owner.call('GET', path);
      expect(answer.status, answer.text).toBe(200);
    });
    expect(counts).toEqual(counts.map(() => 1));
  });

  it('the credentials in use of all merchants of a shard are read on that shard', async () => {
    const merchants = await Promise.all(Array.from({ length: 8 }, () => server.createMerchant()));
    await Promise.all(merchants.map(({ token }) => server.call('GET', '/v2/locations', { token })));
    const counts = await observed.countTasksForCredentials(() => sleep(REFRESHED_MS));
    expect(counts.length).toBeGreaterThan(0);
    expect(counts).toEqual(counts.map(() => 1));
  });
});
