/** What the businesses of the examples sell: at a register, and online. */
import { made } from '../contract/business.js';
import type { CallOptions } from '../support/http.js';
import type { TestServer } from '../support/server.js';

export const usd = (amount: number) => ({ amount, currency: 'USD' });

export interface Register {
  readonly device_token: string;
  readonly session: string;
  readonly employee_id: string;
}

export interface Store {
  readonly publishable_key: string;
  readonly items: readonly { readonly id: string }[];
}

/** A drawer that is opened, a sale that is paid with a card and cash, and the counted drawer. */
export async function workAtRegister(server: TestServer, register: Register) {
  const write = async (path: string, body: object) =>
    made(await server.call('POST', `/api/register/${path}`, { ...ofRegister(register), body }));
  const drawer = { id: 'drawer-1', opened_cash_money: usd(10_000), description: 'Counter' };
  const { cash_drawer_shift: shift } = await write('cash-drawer-shifts', drawer);
  const { sale } = await write('sales', {
    id: 'sale-1',
    itemizations: [
      {
        ...{ name: 'Flat white', quantity: '2', single_quantity_money: usd(450), item_variation_name: 'Regular' },
        item_detail: { category_name: 'Coffee', sku: 'FW-1', item_id: 'flat-white', item_variation_id: 'regular' },
        modifiers: [{ name: 'Oat milk', price_money: usd(50), modifier_option_id: 'oat-milk' }],
      },
    ],
    discounts: [{ name: 'Happy hour', amount_money: usd(100), discount_id: 'happy-hour' }],
    taxes: [{ name: 'Sales tax', rate: '0.085', fee_id: 'sales-tax' }],
    tenders: [
      {
        ...{ id: 'tender-1', type: 'CARD', source_id: 'cnon:test-visa-contactless' },
        ...{ amount_money: usd(500), tip_money: usd(100) },
      },
      { id: 'tender-2', type: 'CASH', tendered_money: usd(1000) },
    ],
  });
  const at = `cash-drawer-shifts/${shift.id}`;
  await write(`${at}/paid-in`, { id: 'coins-1', amount_money: usd(500), description: 'Coins' });
  await write(`${at}/end`, { id: 'end-1' });
  await write(`${at}/close`, { id: 'close-1', closed_cash_money: usd(10_977) });
  return { saleId: sale.id, paymentId: sale.payment_id, shiftId: shift.id };
}

export const storeAt = (locationId: string) => ({
  location_id: locationId,
  shipping_money: usd(500),
  promo_codes: [{ code: 'RYE10', rate: '0.1' }],
  items: [
    {
      ...{ name: 'Rye loaf', description: 'Sourdough, 800 g', category_name: 'Bread', sku: 'RYE-800' },
      price_money: usd(850),
      tax: { name: 'Sales tax', rate: '0.085' },
    },
  ],
});

/** A paid order with all that a shopper can say. */
export async function sellOnline(
  server: TestServer,
  locationId: string,
  { publishable_key: token, items }: Store,
): Promise<string> {
  const { order, order_token } = made(
    await server.call('POST', '/api/checkout/orders', {
      token,
      body: {
        id: `${locationId}-1`,
        items: [{ item_id: items[0]?.id, quantity: 2 }],
        recipient: { name: 'Noor Haddad', phone_number: '+1 415 555 0199' },
        shipping_address: {
          ...{ address_line_1: '18 Folsom Street', locality: 'San Francisco', administrative_district_level_1: 'CA' },
          ...{ postal_code: '94105', country: 'US' },
        },
        buyer_email: 'noor@example.com',
        buyer_note: 'Please ring twice',
        promo_code: 'RYE10',
      },
    }),
  );
  const body = { source_id: 'cnon:card-nonce-ok' };
  made(await server.call('POST', `/api/checkout/orders/${order_token}/pay`, { token, body }));
  return order.id;
}

export function ofRegister({ device_token: token, session }: Register): CallOptions {
  return { token, headers: { 'tillhouse-employee-session': session } };
}
