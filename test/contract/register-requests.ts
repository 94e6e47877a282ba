/** A good request for each operation of the register. */
import { randomUUID } from 'node:crypto';
import type { CallOptions } from '../support/http.js';
import type { TestServer } from '../support/server.js';
import {
  atRegister,
  type Business,
  createPart,
  endShift,
  type Json,
  made,
  money,
  openShift,
  orderOnline,
  pay,
  placeOrder,
  register,
  signInAt,
} from './business.js';

export interface Parts {
  readonly body?: Json;
  /** Records that are created for this one request, if a second request of its kind would be refused. */
  readonly ids?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly credential?: CallOptions;
}

export type Maker = (business: Business, server: TestServer) => Parts | Promise<Parts>;

/** A payment at the first location, where the device is. */
export const payAtLocation = (business: Business, server: TestServer) =>
  pay(server, business, { location_id: business.ids['location_id'] });

const onOpenShift: Maker = async (business, server) => ({ ids: { shift_id: await openShift(server, business) } });

const ITEMS = [{ name: 'Loaf', single_quantity_money: money(1000) }];

/** Every kind of line, with all that it can have. */
const ALL_LINES = {
  itemizations: [
    {
      name: 'Latte',
      quantity: '1.5',
      single_quantity_money: money(500),
      item_variation_name: 'Large',
      notes: 'extra hot',
      item_detail: { category_name: 'Coffee', sku: 'L', item_id: 'i', item_variation_id: 'v' },
      modifiers: [{ name: 'Oat', modifier_option_id: 'o', price_money: money(50) }],
      discounts: [
        { name: 'A', discount_id: 'a', rate: '0.1' },
        { name: 'B', amount_money: money(10) },
      ],
      taxes: [{ name: 'C', fee_id: 'c', rate: '0.1' }],
    },
  ],
  discounts: [
    { name: 'D', discount_id: 'd', rate: '0.1' },
    { name: 'E', amount_money: money(10) },
  ],
  taxes: [{ name: 'F', fee_id: 'f', rate: '0.1' }],
  surcharges: [
    { name: 'G', surcharge_id: 'g', rate: '0.1' },
    { name: 'H', amount_money: money(10) },
  ],
};

/** A request while the employee is clocked in. */
const clockedIn =
  (parts: (business: Business) => Parts = () => ({})): Maker =>
  async (business, server) => {
    await register(server, business, 'timecards/clock-in'); // refused if the employee is already clocked in
    return parts(business);
  };

/** A sale that waits for its tenders. */
const onOpenSale: Maker = async (business, server) => {
  const { sale } = made(await register(server, business, 'sales', { itemizations: ITEMS }));
  return { ids: { sale_id: sale.id } };
};

export const REGISTER_REQUESTS: Readonly<Record<string, Maker>> = {
  'register.showPairing': () => ({ body: { device_token: 'dev_nobody' } }),
  'register.answerPairing': () => ({ body: { device_token: 'dev_nobody', accept: true } }),
  'register.updateDeviceSettings': () => ({
    body: { name: 'Till', lock_after_seconds: 60, show_pictures: false, ask_for_tip: true },
  }),
  'register.listTeam': clockedIn(),
  'register.showSession': clockedIn(),
  'register.signIn': clockedIn(({ attendant: { employeeId, passcode } }) => ({
    body: { employee_id: employeeId, passcode },
  })),
  'register.giveApproval': ({ ids, attendant: { employeeId, passcode } }) => ({
    body: {
      ...{ employee_id: employeeId, passcode },
      ...{ operation: 'editSale', sale_id: ids['sale_id'], amount_money: money(500) },
    },
  }),
  'register.signOut': async ({ device, attendant }, server) => ({
    credential: atRegister(device, await signInAt(server, device, attendant)),
  }),
  'register.clockIn': async (business, server) => {
    await register(server, business, 'timecards/clock-out'); // refused if the employee is already clocked out
    return {};
  },
  'register.clockOut': async (business, server) => {
    await register(server, business, 'timecards/clock-in'); // refused if the employee is already clocked in
    return {};
  },
  'register.showOpenShift': async (business, server) => {
    await openShift(server, business);
    return {};
  },
  'register.showShiftReport': async (business, server) => {
    const shift_id = await openShift(server, business);
    made(await register(server, business, 'sales', { itemizations: ITEMS, tenders: [{ id: 'c', type: 'CASH' }] }));
    return { ids: { shift_id } };
  },
  'register.listShifts': async (business, server) => {
    await openShift(server, business);
    return {};
  },
  'register.openShift': async (business, server) => {
    await endShift(server, business);
    return {};
  },
  'register.noSale': onOpenShift,
  'register.paidIn': onOpenShift,
  'register.paidOut': onOpenShift,
  'register.endShift': onOpenShift,
  'register.closeShift': async (business, server) => ({
    ids: { shift_id: await endShift(server, business) },
  }),
  'register.editItemAtRegister': async (business, server) => {
    const item_id = await createPart(server, business, 'item');
    const { catalogue } = made(await server.call('GET', '/api/register/catalogue', atRegister(business.device)));
    const item = catalogue.items.find(({ id }: { id: string }) => id === item_id);
    const variations = item.variations.map(({ id }: { id: string }) => ({ id, price_money: money(700) }));
    return { ids: { item_id }, body: { version: item.version, name: 'Rye', variations } };
  },
  'register.showOrder': async (business, server) => ({
    ids: await orderOnline(server, business, business.ids['item_id']),
  }),
  'register.completeOrder': async (business, server) => ({
    ids: await orderOnline(server, business, business.ids['item_id']),
  }),
  // Not paid: a paid one needs the permission to refund.
  'register.cancelOrder': async (business, server) => ({
    ids: await placeOrder(server, business, business.ids['item_id']),
  }),
  'register.issueRefund': async (business, server) => ({
    body: {
      id: randomUUID(),
      payment_id: (await payAtLocation(business, server)).id,
      type: 'PARTIAL',
      reason: 'Spilled',
      refunded_money: money(100),
    },
  }),
  'register.sendQueue': ({ attendant }) => {
    const now = new Date().toISOString();
    const write = (operation: string, body: Json, more: Json = {}) => ({
      ...{ id: randomUUID(), operation, employee_id: attendant.employeeId, occurred_at: now, body, ...more },
    });
    const sale = { itemizations: ITEMS, tenders: [{ id: randomUUID(), type: 'CASH' }] };
    const old = { occurred_at: '2013-01-01T00:00:00Z' };
    return { body: { sent_at: now, writes: [write('ringUpSale', sale), write('clockIn', {}, old)] } };
  },
  'register.editSale': async (business, server) => {
    const { sale } = made(await register(server, business, 'sales', { itemizations: ITEMS, label: 'Table 4' }));
    return { body: { id: randomUUID(), itemizations: ITEMS, version: sale.version }, ids: { sale_id: sale.id } };
  },
  'register.listOpenSales': async (business, server) => {
    made(await register(server, business, 'sales', { ...ALL_LINES, label: 'Table 5' }));
    return {};
  },
  'register.takeTender': onOpenSale,
  'register.cancelSale': onOpenSale,
};
