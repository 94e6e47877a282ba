/** What somebody allows at a register: one sale, up to one amount, once, with a passcode typed for it (decision 0207). */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { approve, approveOffline, type ToAllow, tryToApprove } from '../../support/approvals.js';
import { listAuditEvents } from '../../support/audit.js';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import type { ApiResponse } from '../../support/http.js';
import { expectBooksInOrder } from '../../support/payments.js';
import { hire, type PairedDevice, pairDevice, type Register, setPasscode, signInAt } from '../../support/people.js';
import { keep, sendQueue } from '../../support/queue.js';
import { card, cash, item, SALES, tryToSell, usd } from '../../support/register-sales.js';
import { startTestServer, type TestServer } from '../../support/server.js';

const PERMISSION = 'REGISTER_APPLY_RESTRICTED_DISCOUNTS';
const HALF = [{ name: 'Friends', rate: '0.5', restricted: true }];

let server: TestServer;
let owner: TestOwner;
let device: PairedDevice;
let cashier: Register;
let manager: Register;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});
/** Both are signed in at one register: the manager just now. */
beforeEach(async () => {
  owner = await createOwner(server);
  device = await pairDevice(server, owner);
  cashier = await signInAt(device, (await hire(server, owner, { role: { permissions: [] } })).id);
  manager = await signInAt(device, (await hire(server, owner, { role: { permissions: [PERMISSION] } })).id);
});

const refusal = ({ status, body }: ApiResponse) => [status, body.errors?.[0]?.code, body.errors?.[0]?.field];
const REFUSED = [403, 'FORBIDDEN', 'approval'];

/** A sale of $10, of which half is taken off. */
const sellHalf = (approval?: object, id: string = randomUUID(), more: Record<string, unknown> = {}) =>
  tryToSell(cashier, { id, discounts: HALF, tenders: [cash()], ...(approval && { approval }), ...more });

const allow = (sale: ToAllow) => approve(device, manager.employeeId, sale);

describe('an approval', () => {
  it('is not given by having signed in: it takes a passcode that is typed for it', async () => {
    for (const approval of [undefined, { id: manager.employeeId }, { id: randomUUID() }]) {
      expect((await sellHalf(approval)).status).toBe(403);
    }
    const named = await sellHalf(undefined, randomUUID(), { approved_by: manager.employeeId });
    expect(refusal(named)).toEqual([403, 'FORBIDDEN', 'discounts']);
  });

  it.each([
    ['online', async (sale: ToAllow) => allow(sale)],
    ['offline', async (sale: ToAllow) => approveOffline(manager, sale)],
  ])('given %s counts for one sale, up to its amount, once', async (_, give) => {
    const [mine, other] = [randomUUID(), randomUUID()];
    const approval = await give({ sale_id: mine, amount: 500 });
    expect(refusal(await sellHalf(approval, other))).toEqual(REFUSED); // for another sale
    const larger = { itemizations: [item(1002)] };
    expect(refusal(await sellHalf(approval, mine, larger))).toEqual(REFUSED); // takes off more
    expect(refusal(await sellHalf({ ...approval, id: randomUUID() }, mine))).toEqual(REFUSED);
    const body = { id: mine, discounts: HALF, tenders: [cash()], approval };
    const first = await tryToSell(cashier, body);
    expect([first.status, first.body.sale?.total_money]).toEqual([200, usd(500)]);
    // A retry of the same write gets its response.
    expect((await tryToSell(cashier, body)).body).toEqual(first.body);
    expect(await listAuditEvents(owner, '?kind=DISCOUNT_APPROVED')).toMatchObject([
      {
        employee_id: cashier.employeeId,
        details: {
          approved_by: manager.employeeId,
          approval_id: approval.id,
          amount: '500',
          sale_id: first.body.sale.id,
        },
      },
    ]);
    const [sold] = (await owner.call('GET', '/api/dashboard/sales')).body.sales;
    const { sale } = (await owner.call('GET', `/api/dashboard/sales/${sold.id}`)).body;
    expect(JSON.stringify(sale)).toContain(manager.employeeId);
  });

  it.each([
    ['online', async (sale: ToAllow) => allow(sale)],
    ['offline', async (sale: ToAllow) => approveOffline(manager, sale)],
  ])('given %s for an edit counts for this open sale, once', async (_, give) => {
    const parked = (await tryToSell(cashier, {})).body.sale;
    const edit = ({ id, version }: { id: string; version: string }, approval: object, discounts: object[]) =>
      cashier.call('PUT', `${SALES}/${id}`, {
        body: { id: randomUUID(), version, itemizations: [item(1000)], discounts, approval },
      });
    const forSale = await give({ sale_id: parked.id, amount: 500 });
    expect(refusal(await edit(parked, forSale, HALF))).toEqual(REFUSED); // for ringUpSale
    const unknown = { operation: 'editSale', sale_id: randomUUID(), amount: 500 };
    expect((await tryToApprove(device, manager.employeeId, unknown)).status).toBe(404);
    const approval = await give({ operation: 'editSale', sale_id: parked.id, amount: 500 });
    const edited = await edit(parked, approval, HALF);
    expect([edited.status, edited.body.sale?.total_money]).toEqual([200, usd(500)]);
    const again = [...HALF, { name: 'Family', rate: '0.1', restricted: true }];
    expect(refusal(await edit(edited.body.sale, approval, again))).toEqual(REFUSED); // used
    const [audited] = await listAuditEvents(owner, '?kind=DISCOUNT_APPROVED');
    expect(audited?.details).toMatchObject({ approved_by: manager.employeeId, approval_id: approval.id });
  });

  it.each([
    ['online', async (sale: ToAllow) => allow(sale)],
    ['offline', async (sale: ToAllow) => approveOffline(manager, sale)],
  ])('given %s is used by one of two edits that come at once', async (_, give) => {
    for (let round = 0; round < 3; round++) {
      const parked = (await tryToSell(cashier, {})).body.sale;
      const approval = await give({ operation: 'editSale', sale_id: parked.id, amount: 500 });
      const edit = () =>
        cashier.call('PUT', `${SALES}/${parked.id}`, {
          body: {
            ...{ id: randomUUID(), version: parked.version, itemizations: [item(1000)] },
            ...{ discounts: [{ ...HALF[0], name: `Off ${randomUUID()}` }], approval },
          },
        });
      const statuses = (await Promise.all([edit(), edit(), edit()])).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    }
  });

  it('is given by somebody who may, at this device, and lasts an hour', async () => {
    const sale_id = randomUUID();
    const forbidden = await tryToApprove(device, cashier.employeeId, { sale_id, amount: 500 });
    expect(refusal(forbidden)).toEqual([403, 'FORBIDDEN', 'employee_id']);
    const elsewhere = await pairDevice(server, owner, { name: 'Till 2' });
    const given = await approve(elsewhere, manager.employeeId, { sale_id, amount: 500 });
    expect(refusal(await sellHalf(given, sale_id))).toEqual(REFUSED);
    const old = await allow({ sale_id, amount: 500 });
    await server.database.sql`
      update register_approvals set created_at = created_at - interval '61 minutes' where approval_id = ${old.id}`;
    expect(refusal(await sellHalf(old, sale_id))).toEqual(REFUSED);
    const fresh = await allow({ sale_id, amount: 500 });
    await owner.call('POST', `/api/dashboard/employees/${manager.employeeId}/deactivate`);
    expect(refusal(await sellHalf(fresh, sale_id))).toEqual(REFUSED); // has left meanwhile
  });

  it('counts wrong passcodes like a sign-in, and tells the owner who gave it', async () => {
    const sale = { sale_id: randomUUID(), amount: 500 };
    for (let attempt = 0; attempt < 5; attempt++) {
      expect((await tryToApprove(device, manager.employeeId, { ...sale, passcode: '000000' })).status).toBe(401);
    }
    expect((await tryToApprove(device, manager.employeeId, sale)).status).toBe(429);
    expect((await device.signIn(manager.employeeId)).status).toBe(429);
    const other = await hire(server, owner, { role: { permissions: [PERMISSION] } });
    await approve(device, other.id, sale);
    const [event] = await listAuditEvents(owner, '?kind=APPROVAL_GIVEN');
    expect(event).toMatchObject({
      ...{ employee_id: other.id, device_id: device.id },
      details: { operation: 'ringUpSale', sale_id: sale.sale_id, amount: '500' },
    });
  });

  it('given offline does not count with a wrong signature, or once the key has ended', async () => {
    const sale_id = randomUUID();
    const good = approveOffline(manager, { sale_id, amount: 500 });
    const forged = [
      { ...good, amount_money: usd(1000) },
      { ...good, employee_id: cashier.employeeId },
      { ...good, signature: { ...good.signature, value: 'AAAA' } },
      { ...good, signature: { ...good.signature, time: new Date(Date.now() + 1000).toISOString() } },
      { ...good, signature: { ...good.signature, key: cashier.signingKey.publicKey } },
      approveOffline(cashier, { sale_id, amount: 500 }), // may not
      { id: good.id },
    ];
    for (const approval of forged) expect(refusal(await sellHalf(approval, sale_id))).toEqual(REFUSED);
    await setPasscode(owner, manager.employeeId, '135790');
    expect(refusal(await sellHalf(good, sale_id))).toEqual(REFUSED);
  });
});

describe('an approval in a queue', () => {
  const kept = (approval: object | undefined, id: string, tenders: object[] = [cash()], who = cashier) =>
    keep(who, 'ringUpSale', {
      ...{ id, occurred_at: new Date().toISOString() },
      body: { itemizations: [item(1000)], discounts: HALF, tenders, ...(approval && { approval }) },
    });
  const send = async (writes: readonly unknown[]) => {
    const answer = await sendQueue({ device }, new Date().toISOString(), writes);
    return answer.body.results.map(
      ({ status, error, flags = [] }: { status: string; error?: { code: string }; flags?: { code: string }[] }) => [
        status,
        error?.code ?? flags.map(({ code }) => code).join(' '),
      ],
    );
  };

  it('counts if the manager gave it, online before or offline; otherwise the sale is flagged, and a card refused', async () => {
    await owner.call('PUT', '/api/dashboard/register-settings', {
      body: { restrict_discounts: false, offline_cards: { allowed: true, limit_money: usd(10_000) } },
    });
    const [one, two, three, four, five] = Array.from({ length: 5 }, () => randomUUID()) as [string, ...string[]];
    const online = await allow({ sale_id: one, amount: 500 });
    const offline = approveOffline(manager, { sale_id: two ?? '', amount: 500 });
    expect(
      await send([
        kept(online, one),
        kept(offline, two ?? ''),
        kept(offline, three ?? ''), // for another sale
        kept({ id: manager.employeeId }, four ?? ''), // by having signed in
        kept(offline, five ?? '', [card()]),
      ]),
    ).toEqual([
      ['ACCEPTED', ''],
      ['ACCEPTED', ''],
      ['ACCEPTED', 'DISCOUNT_RESTRICTED'],
      ['ACCEPTED', 'DISCOUNT_RESTRICTED'],
      ['REFUSED', 'FORBIDDEN'],
    ]);
    expect(await listAuditEvents(owner, '?kind=DISCOUNT_APPROVED')).toHaveLength(2);
  });

  it('is not replaced by naming a manager, whose write is not signed', async () => {
    const unsigned = { ...kept(undefined, randomUUID(), [cash()], manager), signature: undefined };
    expect(await send([unsigned])).toEqual([['ACCEPTED', 'NOT_SIGNED DISCOUNT_RESTRICTED']]);
    expect(await send([kept(undefined, randomUUID(), [cash()], manager)])).toEqual([['ACCEPTED', '']]);
  });
});
