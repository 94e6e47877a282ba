/** What was allowed at a register is one discount, in one place, once, up to its amount (decision 0110). */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import type { ApiResponse } from '../../support/http.js';
import { hire, type PairedDevice, pairDevice, type Register, signInAt } from '../../support/people.js';
import { cash, item, SALES, tryToSell, usd, type WireSale } from '../../support/register-sales.js';
import { startTestServer, type TestServer } from '../../support/server.js';

const PERMISSION = 'REGISTER_APPLY_RESTRICTED_DISCOUNTS';
const COMP = { name: 'Comp', rate: '1' };
const FIVE_OFF = { name: 'Five off', amount_money: { amount: 500 } };

let server: TestServer;
let owner: TestOwner;
let device: PairedDevice;
let cashier: Register;
let manager: Register;

type Body = Record<string, unknown>;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

beforeEach(async () => {
  owner = await createOwner(server);
  device = await pairDevice(server, owner);
  manager = await signInAt(device, (await hire(server, owner, { role: { permissions: [PERMISSION] } })).id);
  cashier = await signInAt(device, (await hire(server, owner)).id);
  await restrict(true);
});

async function restrict(restrict_discounts: boolean): Promise<void> {
  const answer = await owner.call('PUT', '/api/dashboard/register-settings', { body: { restrict_discounts } });
  expect(answer.status, answer.text).toBe(200);
}

const cookie = (more: Body = {}) => item(100, { name: 'Cookie', ...more });
const cake = (more: Body = {}) => item(100_000, { name: 'Cake', ...more });

async function park(register: Register, body: Body): Promise<WireSale> {
  const answer = await tryToSell(register, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.sale;
}

const edit = (register: Register, sale: WireSale, body: Body) =>
  register.call('PUT', `${SALES}/${sale.id}`, { body: { id: randomUUID(), version: sale['version'], ...body } });

const refusal = ({ status, body }: ApiResponse) => [status, body.errors?.[0]?.code, body.errors?.[0]?.field];
const REFUSED_ON_SALE = [403, 'FORBIDDEN', 'discounts'];
const REFUSED_ON_ITEM = [403, 'FORBIDDEN', 'itemizations.discounts'];

describe('an open sale with a discount on one item', () => {
  const lines = { itemizations: [cookie({ discounts: [COMP] }), cake()] };
  let sale: WireSale;

  beforeEach(async () => {
    sale = await park(manager, lines);
    expect(sale['total_money']).toEqual(usd(100_000));
  });

  it.each<[string, Body, unknown[]]>([
    ['on the whole sale', { itemizations: [cookie(), cake()], discounts: [COMP] }, REFUSED_ON_SALE],
    ['on another item', { itemizations: [cookie(), cake({ discounts: [COMP] })] }, REFUSED_ON_ITEM],
    ['on one more item', { itemizations: [...lines.itemizations, cookie({ discounts: [COMP] })] }, REFUSED_ON_ITEM],
    [
      'on more of the item',
      { itemizations: [cookie({ discounts: [COMP], quantity: '1000' }), cake()] },
      REFUSED_ON_ITEM,
    ],
    [
      'on a higher price',
      { itemizations: [cookie({ discounts: [COMP], single_quantity_money: usd(100_000) })] },
      REFUSED_ON_ITEM,
    ],
    [
      'on added options',
      { itemizations: [cookie({ discounts: [COMP], modifiers: [{ name: 'Gold', price_money: usd(5000) }] })] },
      REFUSED_ON_ITEM,
    ],
    ['under the name of the item', { itemizations: [cake({ name: 'Cookie', discounts: [COMP] })] }, REFUSED_ON_ITEM],
    ['twice', { itemizations: [cookie({ discounts: [COMP, COMP] }), cake()] }, REFUSED_ON_ITEM],
    ['twenty times', { ...lines, discounts: Array.from({ length: 20 }, () => COMP) }, REFUSED_ON_SALE],
  ])('does not have it %s', async (_, body, expected) => {
    expect(refusal(await edit(cashier, sale, body))).toEqual(expected);
    expect((await edit(manager, sale, body)).status).toBe(200);
  });

  it('keeps it where it was', async () => {
    const kept = await edit(cashier, sale, { itemizations: [...lines.itemizations.toReversed(), item(300)] });
    expect(kept.body.sale?.total_money, kept.text).toEqual(usd(100_300));
    // Also if it takes off less.
    const less = { itemizations: [cookie({ single_quantity_money: usd(50), discounts: [COMP] }), cake()] };
    expect((await edit(cashier, kept.body.sale, less)).body.sale.total_money).toEqual(usd(100_000));
  });

  it('does not give it again after it was taken away', async () => {
    const without = await edit(cashier, sale, { itemizations: [cookie(), cake()] });
    expect(without.body.sale.total_money).toEqual(usd(100_100));
    expect(refusal(await edit(cashier, without.body.sale, lines))).toEqual(REFUSED_ON_ITEM);
  });
});

describe('an open sale with a discount on the whole sale', () => {
  it('does not have it again, on more goods, or of another amount', async () => {
    const lines = { itemizations: [cake()], discounts: [FIVE_OFF, { name: 'Regulars', rate: '0.1' }] };
    const sale = await park(manager, lines);
    const attempts: readonly Body[] = [
      { ...lines, discounts: Array.from({ length: 20 }, () => FIVE_OFF) },
      { ...lines, discounts: [...lines.discounts, FIVE_OFF] },
      { ...lines, discounts: [FIVE_OFF, { name: 'Regulars', rate: '0.2' }] },
      { ...lines, discounts: [{ ...FIVE_OFF, amount_money: { amount: 501 } }] },
      { ...lines, discounts: [{ name: 'Five off', rate: '0.05' }] },
      { ...lines, discounts: [{ ...FIVE_OFF, name: 'Six off' }] },
      { ...lines, itemizations: [cake({ quantity: '2' })] },
      { ...lines, itemizations: [cake(), cookie()] },
      // Without the discount before it, the share of the rest is larger.
      { ...lines, discounts: [lines.discounts[1]] },
    ];
    for (const attempt of attempts) {
      expect(refusal(await edit(cashier, sale, attempt)), JSON.stringify(attempt)).toEqual(REFUSED_ON_SALE);
    }
    expect((await edit(cashier, sale, { ...lines, label: 'Table 7' })).status).toBe(200);
  });

  it('that cost nothing before takes off nothing later', async () => {
    const sale = await park(manager, { itemizations: [item(0)], discounts: [COMP], tenders: [] });
    expect(sale.state).toBe('COMPLETED');
    const open = await park(manager, {
      itemizations: [cookie()],
      discounts: [{ ...FIVE_OFF, amount_money: { amount: 10 } }],
    });
    const swapped = { itemizations: [cookie({ discounts: [{ ...FIVE_OFF, amount_money: { amount: 10 } }] })] };
    expect(refusal(await edit(cashier, open, swapped))).toEqual(REFUSED_ON_ITEM);
  });
});

describe('a merchant that starts to restrict discounts', () => {
  it('leaves the discounts of open sales as they are, and no more', async () => {
    await restrict(false);
    const sale = await park(cashier, { itemizations: [cookie()], discounts: [COMP, FIVE_OFF], tenders: [] });
    expect(sale.state).toBe('COMPLETED');
    const open = await park(cashier, { itemizations: [cake()], discounts: [FIVE_OFF] });
    await restrict(true);
    const kept = await edit(cashier, open, { itemizations: [cake(), cookie()], discounts: [FIVE_OFF] });
    expect(kept.status, kept.text).toBe(200);
    const more = { itemizations: [cake()], discounts: [FIVE_OFF, FIVE_OFF] };
    expect(refusal(await edit(cashier, kept.body.sale, more))).toEqual(REFUSED_ON_SALE);
  });

  it('does so for a discount of the catalogue that was restricted or changed meanwhile', async () => {
    await restrict(false);
    const path = '/api/dashboard/catalogue/discounts';
    const staff = { name: 'Staff', rate: '0.1', restricted: false };
    const { discount } = (await owner.call('POST', path, { body: staff })).body;
    const given = { name: 'Staff', rate: '0.1', discount_id: discount.id };
    const sale = await park(cashier, { itemizations: [cake()], discounts: [given] });
    const change = { ...staff, rate: '0.5', restricted: true, version: discount.version };
    expect((await owner.call('PUT', `${path}/${discount.id}`, { body: change })).status).toBe(200);
    const changed = { itemizations: [cake()], discounts: [{ ...given, rate: '0.5' }] };
    expect(refusal(await edit(cashier, sale, changed))).toEqual(REFUSED_ON_SALE);
    const doubled = { itemizations: [cake(), cake()], discounts: [given] };
    expect(refusal(await edit(cashier, sale, doubled))).toEqual(REFUSED_ON_SALE);
    expect((await edit(cashier, sale, { itemizations: [cake()], discounts: [given] })).status).toBe(200);
  });
});

describe('who allowed a discount', () => {
  const timeline = async (sale: WireSale) =>
    (await owner.call('GET', `/api/dashboard/sales/${sale.id}`)).body.sale.timeline;
  const allowed = (entries: readonly { kind: string }[]) => entries.filter(({ kind }) => kind === 'DISCOUNT_ALLOWED');

  it('is in the timeline of the sale, whoever edits it and takes its money later', async () => {
    const lines = { itemizations: [cookie({ discounts: [COMP] }), cake()], discounts: [FIVE_OFF] };
    const sale = await park(manager, lines);
    const edited = await edit(cashier, sale, { ...lines, label: 'Table 7' });
    expect(edited.status, edited.text).toBe(200);
    expect((await cashier.write(`${SALES}/${sale.id}/tenders`, cash())).status).toBe(200);
    expect(allowed(await timeline(sale))).toMatchObject([
      { name: 'Comp', amount_money: usd(-100), employee_id: manager.employeeId },
      { name: 'Five off', amount_money: usd(-500), employee_id: manager.employeeId },
    ]);
  });

  it('is not there for a discount that nobody had to allow', async () => {
    await restrict(false);
    const sale = await park(cashier, { itemizations: [cake()], discounts: [FIVE_OFF], tenders: [cash()] });
    expect(allowed(await timeline(sale))).toEqual([]);
  });
});
