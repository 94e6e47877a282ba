/** Selling below the price of the catalogue is a discount (decision 0210). */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import type { ApiResponse } from '../../support/http.js';
import { hire, type PairedDevice, pairDevice, type Register, signInAt } from '../../support/people.js';
import { keep, sendQueue } from '../../support/queue.js';
import { cash, SALES, tryToSell, usd, type WireSale } from '../../support/register-sales.js';
import { startTestServer, type TestServer } from '../../support/server.js';

const PERMISSION = 'REGISTER_APPLY_RESTRICTED_DISCOUNTS';
const CATALOGUE = '/api/dashboard/catalogue';

type Body = Record<string, unknown>;

interface WireItem {
  readonly id: string;
  readonly version: number;
  readonly variations: readonly { readonly id: string }[];
}

let server: TestServer;
let owner: TestOwner;
let device: PairedDevice;
let cashier: Register;
let manager: Register;
let ring: WireItem;
let pin: WireItem;
let engraving: string;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

beforeEach(async () => {
  owner = await createOwner(server);
  device = await pairDevice(server, owner);
  const role = { permissions: [PERMISSION, 'REGISTER_ISSUE_REFUNDS'] };
  manager = await signInAt(device, (await hire(server, owner, { role })).id);
  cashier = await signInAt(
    device,
    (await hire(server, owner, { role: { permissions: ['REGISTER_ISSUE_REFUNDS'] } })).id,
  );
  ring = await addItem('Ring', [{ name: 'Gold', price_money: usd(100_000) }]);
  pin = await addItem('Pin', [{ name: 'Steel', price_money: usd(100) }]);
  const list = { name: 'Extras', options: [{ name: 'Engraving', price_money: usd(5000) }] };
  const made = await owner.call('POST', `${CATALOGUE}/modifier-lists`, { body: list });
  engraving = made.body.modifier_list.options[0].id;
  await restrict(true);
});

async function restrict(restrict_discounts: boolean): Promise<void> {
  const answer = await owner.call('PUT', '/api/dashboard/register-settings', { body: { restrict_discounts } });
  expect(answer.status, answer.text).toBe(200);
}

async function addItem(name: string, variations: readonly Body[]): Promise<WireItem> {
  const body = { name, online: false, variations };
  const answer = await owner.call('POST', `${CATALOGUE}/items`, { body });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.item;
}

function line(item: WireItem, price: number, more: Body = {}): Body {
  const [variation] = item.variations;
  const name = item === ring ? 'Ring' : 'Pin';
  const item_detail = { item_id: item.id, item_variation_id: variation?.id };
  return { name, single_quantity_money: usd(price), item_detail, ...more };
}

const engraved = (price: number) => ({
  modifiers: [{ name: 'Engraving', modifier_option_id: engraving, price_money: usd(price) }],
});
const refusal = ({ status, body }: ApiResponse) => [status, body.errors?.[0]?.code, body.errors?.[0]?.field];
const REFUSED = [403, 'FORBIDDEN', 'itemizations.single_quantity_money'];
const sellLines = (register: Register, itemizations: readonly Body[], more: Body = {}) =>
  tryToSell(register, { itemizations, tenders: [cash()], ...more });

const edit = (register: Register, sale: WireSale, itemizations: readonly Body[]) =>
  register.call('PUT', `${SALES}/${sale.id}`, { body: { id: randomUUID(), version: sale['version'], itemizations } });

async function flagged(): Promise<string[][]> {
  const { writes } = (await owner.call('GET', '/api/dashboard/flagged-writes')).body;
  return writes.map(({ operation, flags }: { operation: string; flags: { code: string }[] }) => [
    operation,
    ...flags.map(({ code }) => code),
  ]);
}

describe('an employee without the permission', () => {
  const attempts: Readonly<Record<string, () => Body>> = {
    'for one cent': () => line(ring, 1),
    'for nothing': () => line(ring, 0),
    'one cent below': () => line(ring, 99_999),
    'as an amount': () => line(ring, 1, { itemization_type: 'CUSTOM_AMOUNT' }),
    'under another name': () => line(ring, 1, { name: 'Something' }),
    'without its variation': () => line(ring, 1, { item_detail: { item_id: ring.id } }),
    'with a variation that is not known': () =>
      line(ring, 1, { item_detail: { item_id: ring.id, item_variation_id: 'other' } }),
    'with its variation only': () => line(ring, 1, { item_detail: { item_variation_id: ring.variations[0]?.id } }),
    'with the item of another': () =>
      line(ring, 1, { item_detail: { item_id: pin.id, item_variation_id: ring.variations[0]?.id } }),
    'with the variation of another': () =>
      line(ring, 100, { item_detail: { item_id: ring.id, item_variation_id: pin.variations[0]?.id } }),
    'in a huge quantity': () => line(ring, 0, { quantity: '999999999' }),
    'with an option that is paid instead': () =>
      line(ring, 1, { modifiers: [{ name: 'The rest', price_money: usd(99_999) }] }),
    'with a cheaper option': () => line(ring, 100_000, engraved(1)),
    'with an option for nothing': () => line(ring, 100_000, engraved(0)),
  };

  it.each(Object.entries(attempts))('does not sell an item of the catalogue %s', async (_, attempt) => {
    expect(refusal(await sellLines(cashier, [line(pin, 100), attempt()]))).toEqual(REFUSED);
    expect((await sellLines(manager, [line(pin, 100), attempt()])).status).toBe(200);
    expect(await flagged()).toEqual([]);
  });

  it('sells at the price of the catalogue, and above it', async () => {
    for (const sold of [line(ring, 100_000), line(ring, 100_001), line(ring, 100_000, engraved(6000))]) {
      expect((await sellLines(cashier, [sold])).status).toBe(200);
    }
    expect(await flagged()).toEqual([]);
  });

  it('does not lower a price in an open sale, nor in an exchange', async () => {
    const parked = await sellLines(cashier, [line(ring, 100_000), line(pin, 100)], { tenders: [] });
    const { sale } = parked.body;
    for (const lines of [[line(ring, 1)], [line(ring, 100_000), line(pin, 99)], [line(pin, 0, { quantity: '5' })]]) {
      expect(refusal(await edit(cashier, sale, lines)), JSON.stringify(lines)).toEqual(REFUSED);
    }
    const before = (await sellLines(cashier, [line(pin, 100)])).body.sale;
    const returns = [{ payment_id: before.payment_id, amount_money: usd(100), reason: 'swap' }];
    expect(refusal(await sellLines(cashier, [line(ring, 100)], { returns, tenders: [] }))).toEqual(REFUSED);
  });

  it('does not use a lower price for more than it was allowed for', async () => {
    const { sale } = (await sellLines(manager, [line(ring, 100_000), line(pin, 50)], { tenders: [] })).body;
    const attempts = [
      [line(ring, 50)],
      [line(pin, 50), line(pin, 50)],
      [line(pin, 50, { quantity: '2' })],
      [line(pin, 49)],
    ];
    for (const lines of attempts) expect(refusal(await edit(cashier, sale, lines))).toEqual(REFUSED);
    const kept = await edit(cashier, sale, [line(pin, 50), line(ring, 100_000), line(ring, 100_000)]);
    expect(kept.status, kept.text).toBe(200);
    // It may become less of a reduction, and end.
    const less = await edit(cashier, kept.body.sale, [line(pin, 60)]);
    expect(less.body.sale.total_money).toEqual(usd(60));
    const none = await edit(cashier, less.body.sale, [line(pin, 100)]);
    expect(refusal(await edit(cashier, none.body.sale, [line(pin, 60)]))).toEqual(REFUSED);
  });

  it('keeps an open sale at the prices that it was rung up with', async () => {
    const { sale } = (await sellLines(cashier, [line(pin, 100)], { tenders: [] })).body;
    const variations = [{ id: pin.variations[0]?.id, name: 'Steel', price_money: usd(200) }];
    const body = { name: 'Pin', online: false, version: pin.version, variations };
    expect((await owner.call('PUT', `${CATALOGUE}/items/${pin.id}`, { body })).status).toBe(200);
    const kept = await edit(cashier, sale, [line(pin, 100), line(ring, 100_000)]);
    expect(kept.status, kept.text).toBe(200);
    expect(refusal(await edit(cashier, kept.body.sale, [line(pin, 100, { quantity: '2' })]))).toEqual(REFUSED);
  });

  it('is named with the item in the audit log', async () => {
    const answer = await sellLines(cashier, [line(ring, 1)]);
    expect(answer.body.errors[0].detail).toContain('Ring');
    const { audit_events } = (await owner.call('GET', '/api/dashboard/audit-events?kind=ACCESS_REFUSED')).body;
    expect(audit_events[0].details).toEqual({ reason: 'price below the catalogue', item: 'Ring' });
  });
});

describe('a merchant that does not restrict discounts', () => {
  it('sells at any price, without a flag', async () => {
    await restrict(false);
    const custom = { name: 'Favour', single_quantity_money: usd(1) };
    expect((await sellLines(cashier, [line(ring, 1), custom])).status).toBe(200);
    expect(await flagged()).toEqual([]);
  });
});

describe('who allowed a lower price', () => {
  it('is in the timeline of the sale and, if it was somebody else, in the audit log', async () => {
    const timeline = async ({ id }: WireSale) =>
      (await owner.call('GET', `/api/dashboard/sales/${id}`)).body.sale.timeline;
    const { sale } = (await sellLines(manager, [line(ring, 90_000, { quantity: '2', ...engraved(0) })])).body;
    expect(await timeline(sale)).toContainEqual(
      expect.objectContaining({
        ...{ kind: 'PRICE_LOWERED', name: 'Ring', amount_money: usd(-30_000), employee_id: manager.employeeId },
      }),
    );
  });
});

describe('a custom amount', () => {
  const custom = { name: 'Favour', single_quantity_money: usd(1) };

  it('stays free, and is flagged for the owner where discounts are restricted', async () => {
    expect((await sellLines(cashier, [line(pin, 100), custom])).status).toBe(200);
    expect(await flagged()).toEqual([['ringUpSale', 'CUSTOM_AMOUNT']]);
    expect((await sellLines(manager, [custom])).status).toBe(200);
    expect(await flagged()).toHaveLength(1);
  });

  it('is flagged once, when it comes into an open sale', async () => {
    const { sale } = (await sellLines(cashier, [line(pin, 100)], { tenders: [] })).body;
    const added = await edit(cashier, sale, [line(pin, 100), custom]);
    expect(await flagged()).toEqual([['editSale', 'CUSTOM_AMOUNT']]);
    const same = await edit(cashier, added.body.sale, [line(pin, 100, { quantity: '2' }), custom]);
    expect(await flagged()).toHaveLength(1);
    await edit(cashier, same.body.sale, [custom, custom]);
    expect(await flagged()).toHaveLength(2);
  });

  it('is an item without an id that the catalogue knows, too', async () => {
    for (const more of [{ item_detail: { item_id: 'gone' } }, { itemization_type: 'GIFT_CARD_ACTIVATION' }]) {
      expect((await sellLines(cashier, [{ ...custom, ...more }])).status).toBe(200);
    }
    expect(await flagged()).toHaveLength(2);
  });

  it('is flagged although the register used the id for another write', async () => {
    const id = randomUUID();
    expect((await sellLines(cashier, [custom], { id })).status).toBe(200);
    const { sale } = (await sellLines(cashier, [line(pin, 100)], { tenders: [] })).body;
    const body = { id, version: sale.version, itemizations: [custom] };
    expect((await cashier.call('PUT', `${SALES}/${sale.id}`, { body })).status).toBe(200);
    expect(await flagged()).toEqual([['ringUpSale', 'CUSTOM_AMOUNT', 'CUSTOM_AMOUNT']]);
  });
});

describe('a part of a piece', () => {
  it('is flagged where discounts are restricted, unless the catalogue sells it by weight', async () => {
    expect((await sellLines(cashier, [line(ring, 100_000, { quantity: '0.00001' })])).status).toBe(200);
    expect(await flagged()).toEqual([['ringUpSale', 'PART_OF_ITEM']]);
    const cheese = await addItem('Cheese', [{ name: 'Brie', price_money: usd(2000), sold_by_measure: true }]);
    const sold = line(cheese, 2000, { name: 'Cheese', quantity: '0.35' });
    expect((await sellLines(cashier, [sold])).status).toBe(200);
    expect(await flagged()).toHaveLength(1);
  });
});

describe('a variable price', () => {
  it('is the word of the catalogue: it may be sold at any price', async () => {
    const gift = await addItem('Gift', [{ name: 'Any', price_money: usd(2000), variable_price: true }]);
    const { catalogue } = (await device.call('GET', '/api/register/catalogue')).body;
    expect(catalogue.items.find(({ id }: WireItem) => id === gift.id).variations).toMatchObject([
      { price_money: usd(2000), variable_price: true },
    ]);
    for (const price of [0, 1, 5000]) {
      expect((await sellLines(cashier, [line(gift, price, { name: 'Gift' })])).status).toBe(200);
    }
    expect(await flagged()).toEqual([]);
    // Another name is a custom amount.
    expect((await sellLines(cashier, [line(gift, 1, { name: 'Ring' })])).status).toBe(200);
    expect(await flagged()).toEqual([['ringUpSale', 'CUSTOM_AMOUNT']]);
    const { item_detail } = line(ring, 1) as { item_detail: Body };
    const mixed = { ...item_detail, item_variation_id: gift.variations[0]?.id };
    expect(refusal(await sellLines(cashier, [line(ring, 1, { item_detail: mixed })]))).toEqual(REFUSED);
  });
});

describe('a queue', () => {
  it('is flagged: the sale has happened, and the catalogue may have had that price', async () => {
    const now = new Date().toISOString();
    const body = { itemizations: [line(ring, 1)], tenders: [cash()] };
    const { results } = (
      await sendQueue(cashier, now, [
        keep(cashier, 'ringUpSale', { occurred_at: now, body }),
        keep(manager, 'ringUpSale', { occurred_at: now, body: { ...body, tenders: [cash()] } }),
      ])
    ).body;
    const codes = ({ flags }: { flags: { code: string }[] }) => flags.map(({ code }) => code);
    expect(results.map(codes)).toEqual([['PRICE_LOWERED', 'PRICE_CHANGED'], ['PRICE_CHANGED']]);
  });
});
