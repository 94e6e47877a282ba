/** A business with every kind of sale, refund and drawer, made over HTTP: what every table that people see is added up over. */
import { changeClock } from './clock.js';
import type { TestOwner } from './dashboard.js';
import { expect200, openStore, placePaid, update } from './orders.js';
import { pay, refund } from './payments.js';
import { closeShift, endShift, openBusiness, openShift, type Register } from './people.js';
import { backdateSignIns, keep, sendQueue } from './queue.js';
import { card, cash, item, sell, usd, type WireSale } from './register-sales.js';
import type { TestServer } from './server.js';
import { hold, linkAccount } from './settlements.js';

export interface AllSales {
  readonly owner: TestOwner;
  readonly register: Register;
  /** A closed drawer with a sale that arrived later, and the open one after it. Between them, cash was in no drawer. */
  readonly shifts: readonly [closed: string, open: string];
}

const TAX = { name: 'Sales tax', rate: '0.1', inclusion_type: 'ADDITIVE' };
const INCLUDED = { name: 'VAT', rate: '0.2', inclusion_type: 'INCLUSIVE' };
const DISCOUNT = { name: 'Happy hour', rate: '0.15' };
const SURCHARGE = { name: 'Service', rate: '0.03' };
const TIP = { tip_money: { amount: 250 } };

const GIFT_CARD = 'cnon:gift-card-nonce-ok';
const external = () => ({ ...cash(), type: 'EXTERNAL_CARD', card_brand: 'MASTERCARD', pan_suffix: '4444' });
const voucher = (amount?: number) => ({ ...cash(amount), type: 'OTHER', name: 'Voucher' });

const NOW = '2020-02-26T15:00:00.250Z';
const DAY_BEFORE = '2020-02-25T15:00:00.250Z';
const ago = (minutes: number) => new Date(Date.parse(NOW) - minutes * 60_000).toISOString();

export async function openAllSales(server: TestServer): Promise<AllSales> {
  const { owner, register } = await openBusiness(
    server,
    {
      business_name: 'Harbour Coffee',
      clock: { now: DAY_BEFORE, frozen: true },
      locations: [
        { name: 'Bergen', timezone: 'Europe/Oslo' },
        { name: 'Market', timezone: 'America/New_York' },
      ],
    },
    { role: { is_owner: true } },
  );
  await linkAccount(owner);
  await backdateSignIns(server, register.employeeId, 24 * 3_600_000);
  const closed = (await openShift(register, 15_000)).id;
  await sellOnDayBefore(server, owner, register, closed);
  await changeClock(server, owner.merchant.id, { now: NOW });
  await endShift(register, closed);
  await closeShift(register, closed, 20_000);
  await sendLate(register);
  await sellWithoutDrawer(register);
  const open = (await openShift(register, 10_000)).id;
  await sellToday(server, owner, register);
  await changeClock(server, owner.merchant.id, { advance: 'PT1H' });
  return { owner, register, shifts: [closed, open] };
}

async function sellOnDayBefore(server: TestServer, owner: TestOwner, register: Register, shift: string): Promise<void> {
  const sold = (body: Record<string, unknown>) =>
    sell(register, { itemizations: [item(1999, { quantity: '3' })], ...body });
  const byCard = await sold({
    taxes: [TAX],
    discounts: [DISCOUNT],
    surcharges: [SURCHARGE],
    tenders: [card(undefined, TIP)],
  });
  const byCash = await sold({ taxes: [TAX], tenders: [cash(undefined, { tendered_money: { amount: 10_000 } })] });
  const split = await sold({ taxes: [INCLUDED], tenders: [cash(2000), card(2000, TIP), voucher()] });
  await sold({ tenders: [{ ...card(), source_id: GIFT_CARD }] });
  const atTerminal = await sold({ discounts: [DISCOUNT], tenders: [external()] });
  const exchanged = await sell(register, {
    itemizations: [item(5000)],
    taxes: [TAX],
    returns: [goods(byCash, 2000)],
    tenders: [cash()],
  });
  await back(register, byCard, 1234);
  await back(register, byCash, 555);
  await back(register, atTerminal, 321);
  await give(register, { payment_id: exchanged.payment_id, type: 'FULL' });
  await give(register, { payment_id: split.tenders[1]?.id, type: 'PARTIAL', refunded_money: { amount: 999 } });
  await act(register, shift, 'paid-in', 2000);
  await act(register, shift, 'paid-out', 1200);
  await act(register, shift, 'no-sale');
  await sell(register, { itemizations: [item(700)], tenders: [cash(300)] }); // stays open
  await pay(server, owner.merchant, { amount_money: usd(4321), tip_money: usd(300) });
}

async function sendLate(register: Register): Promise<void> {
  const body = { itemizations: [item(640)], tenders: [cash(400), voucher()] };
  const late = keep(register, 'ringUpSale', { occurred_at: ago(10 * 60), body });
  expect200(await sendQueue(register, NOW, [late]));
}

async function sellWithoutDrawer(register: Register): Promise<void> {
  const sale = await sell(register, { itemizations: [item(930)], tenders: [cash()] });
  await back(register, sale, 130);
}

async function sellToday(server: TestServer, owner: TestOwner, register: Register): Promise<void> {
  const store = await openStore(server, owner.merchant);
  await placePaid(store, { promo_code: 'TEN' });
  const order = await placePaid(store);
  expect200(await update(server, store, order, 'COMPLETE'));
  expect200(await update(server, store, order, 'REFUND'));
  const whole = await pay(server, owner.merchant, { amount_money: usd(2500) });
  await refund(server, owner.merchant, whole, { amount_money: usd(2500) });
  const partly = await pay(server, owner.merchant, { amount_money: usd(3000) });
  await refund(server, owner.merchant, partly, { amount_money: usd(700) });
  const disputed = await pay(server, owner.merchant, { amount_money: usd(8000) });
  expect200(await hold(server, owner.merchant, disputed.id, 5000));
  const sale = await sell(register, {
    itemizations: [item(1000, { quantity: '2' })],
    taxes: [TAX],
    tenders: [card(undefined, TIP)],
  });
  await give(register, { payment_id: sale.payment_id, type: 'ITEMS', items: [{ line: 0, quantity: '1' }] });
  await sell(register, { itemizations: [item(880)], taxes: [TAX], tenders: [cash()] });
}

const goods = (sale: WireSale, amount: number) => ({
  payment_id: sale.payment_id,
  amount_money: { amount },
  reason: 'too small',
});

const give = async (register: Register, body: Record<string, unknown>): Promise<unknown> =>
  expect200(await register.write('/api/register/refunds', { reason: 'cold', ...body }));

const back = (register: Register, sale: WireSale, amount: number): Promise<unknown> =>
  give(register, { payment_id: sale.payment_id, type: 'PARTIAL', refunded_money: { amount } });

const act = async (register: Register, shift: string, what: string, amount?: number): Promise<unknown> =>
  expect200(
    await register.write(`/api/register/cash-drawer-shifts/${shift}/${what}`, {
      ...(amount !== undefined && { amount_money: { amount } }),
    }),
  );
