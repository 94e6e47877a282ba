/** Valid sales, and changes that each break exactly one law about them. */
import type { Sql } from '../../src/database/database.js';
import { type Business, money, openShift, register } from '../contract/business.js';
import type { TestServer } from './server.js';

/** The ids of sales and tenders, by their role. */
export interface ValidSales {
  /** A sale paid by card and by cash; the cash is in a drawer. */
  readonly soldSale: string;
  readonly cashTender: string;
  readonly openSale: string;
  readonly openTender: string;
  /** A voucher tender of an abandoned sale. */
  readonly abandonedTender: string;
}

export async function createSaleRecords(server: TestServer, business: Business): Promise<ValidSales> {
  await openShift(server, business);
  const itemizations = [{ name: 'Loaf', single_quantity_money: money(1000) }];
  const taxes = [{ name: 'Tax', rate: '0.1' }];
  const card = { id: 'card', type: 'CARD', source_id: 'cnon:card-nonce-ok', amount_money: money(400) };
  const tenders = [card, { id: 'cash', type: 'CASH' }];
  const sold = (await register(server, business, 'sales', { itemizations, taxes, tenders })).body.sale;
  const open = (await register(server, business, 'sales', { itemizations, tenders: [card] })).body.sale;
  const voucher = { id: 'voucher', type: 'OTHER', name: 'Voucher', amount_money: money(400) };
  const givenUp = (await register(server, business, 'sales', { itemizations, tenders: [voucher] })).body.sale;
  await register(server, business, `sales/${givenUp.id}/cancel`);
  await register(server, business, 'sales', {
    itemizations: [{ ...itemizations[0], single_quantity_money: money(0) }],
  });
  return {
    ...{ soldSale: sold.id, cashTender: sold.tenders[1].id, openSale: open.id },
    ...{ openTender: open.tenders[0].id, abandonedTender: givenUp.tenders[0].id },
  };
}

const soldSale = (sound: ValidSales): string => sound.soldSale;
const openSale = (sound: ValidSales): string => sound.openSale;
const cashTender = (sound: ValidSales): string => sound.cashTender;

/** A captured payment of the API. */
const completed = (sound: { completed: string }): string => sound.completed;

const STRAY_EVENT = '0190a0a0-0000-7000-8000-00000000000a';

/** Inserts another event into the drawer shift that received the cash. */
const insertEvent = (sql: Sql, kind: string, subjectId: string) => sql`
  insert into cash_drawer_events (merchant_id, shift_id, event_id, employee_id, kind, amount, created_at, subject_id)
  select merchant_id, shift_id, ${STRAY_EVENT}, employee_id, ${kind}, 0, created_at, ${subjectId}
  from cash_drawer_events
  where kind = 'CASH_TENDER_PAYMENT'
  limit 1`;

/** Inserts a copy, without events, of the shift that received the cash. */
async function insertShift(sql: Sql): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    insert into cash_drawer_shifts (
      merchant_id, shift_id, location_id, device_id, device_name, state, opened_at, employee_ids, opening_employee_id,
      currency, opened_cash
    )
    select
      merchant_id, gen_random_uuid(), location_id, 'other', device_name, 'OPEN', opened_at, employee_ids,
      opening_employee_id, currency, 0
    from cash_drawer_shifts
    limit 1
    returning shift_id as id`;
  return row?.id ?? '';
}

/** Changes a value in the receipt of the paid sale, without its stored copy, which stays correct. */
const changeReceipt = (path: string, value: string) => (sql: Sql, sound: ValidSales) =>
  sql`
  update sales
  set
    receipt = jsonb_set(receipt::jsonb, ${path}::text::text[], ${value}::text::jsonb)::json,
    v1_receipt = null,
    v1_receipt_version = null
  where sale_id = ${sound.soldSale}`;

/** Keeps a copy of the sale as it is now, in which some fields are wrong. */
const copySale = (wrong: object) => (sql: Sql, sound: ValidSales) =>
  sql`
  insert into sale_copies (merchant_id, sale_id, version, stamp, v1_json)
  select s.merchant_id, s.sale_id, 2, s.xmin::text || string_agg(' ' || p.xmin::text, '' order by payment_id),
    jsonb_build_object(
      'id', sale_id,
      'total_collected_money', jsonb_build_object('amount', sum(total)),
      'refunded_money', jsonb_build_object('amount', 0)
    ) || ${JSON.stringify(wrong)}::text::jsonb
  from sales s
  join payments p using (merchant_id, sale_id)
  where s.sale_id = ${sound.soldSale}
  group by s.merchant_id, s.sale_id`;

/** Changes a value in the copy that v1 shows. */
const changeCopy = (path: string, value: string) => (sql: Sql, sound: ValidSales) =>
  sql`
  update sales
  set v1_receipt = jsonb_set(v1_receipt::jsonb, ${path}::text::text[], ${value}::text::jsonb)::text
  where sale_id = ${sound.soldSale}`;

export const SALE_BREAKS = {
  'a captured payment has a sale of its kind, and a sale with an amount due has a payment': [
    {
      how: 'the sale is missing',
      violatingRow: completed,
      by: (sql: Sql, sound: { completed: string }) => sql`delete from sales where sale_id = ${sound.completed}`,
    },
    {
      how: 'the sale is at another location',
      violatingRow: completed,
      by: (sql: Sql, sound: { completed: string }) =>
        sql`update sales set location_id = 'elsewhere' where sale_id = ${sound.completed}`,
    },
    {
      how: 'the sale has no payment',
      violatingRow: () => 'BY-HAND',
      by: (sql: Sql, sound: { completed: string }) => sql`
        insert into sales (merchant_id, sale_id, location_id, kind, state, created_at)
        select merchant_id, 'BY-HAND', location_id, kind, state, created_at from sales where sale_id = ${sound.completed}`,
    },
    {
      how: 'the payment came through another channel than its sale',
      violatingRow: completed,
      by: (sql: Sql, sound: { completed: string }) => sql`
        update payments set channel = 'ONLINE_STORE', application_id = null where payment_id = ${sound.completed}`,
    },
  ],
  'the tenders and the paid amount of a sale match its captured payments': [
    {
      how: 'a tender is not in its list',
      violatingRow: soldSale,
      by: (sql: Sql, sound: ValidSales) => sql`
        update sales set tender_ids = array[${sound.cashTender}]::text[] where sale_id = ${sound.soldSale}`,
    },
    {
      how: 'the paid amount differs',
      violatingRow: openSale,
      by: (sql: Sql, sound: ValidSales) => sql`
        update sales set paid = paid + 1 where sale_id = ${sound.openSale}`,
    },
  ],
  'a sale is complete if and only if it is paid': [
    {
      how: 'it is open although it is paid',
      violatingRow: soldSale,
      by: (sql: Sql, sound: ValidSales) => sql`
        update sales set state = 'OPEN' where sale_id = ${sound.soldSale}`,
    },
    {
      how: 'it has no time in the v1 list',
      violatingRow: openSale,
      by: (sql: Sql, sound: ValidSales) => sql`
        update sales set created_at = null where sale_id = ${sound.openSale}`,
    },
  ],
  'only a sale that one tender paid keeps its own id': [
    {
      how: 'it has two tenders',
      violatingRow: soldSale,
      by: (sql: Sql, sound: ValidSales) => sql`
        update sales set keeps_own_id = true where sale_id = ${sound.soldSale}`,
    },
  ],
  'only an open sale of a register has lines to edit, and they are those of its receipt': [
    {
      how: 'it is complete',
      violatingRow: soldSale,
      by: (sql: Sql, sound: ValidSales) => sql`
        update sales set open_lines = '{"version":1,"items":[{}]}' where sale_id = ${sound.soldSale}`,
    },
    {
      how: 'a line is missing',
      violatingRow: openSale,
      by: (sql: Sql, sound: ValidSales) => sql`
        update sales set open_lines = '{"version":1,"items":[]}' where sale_id = ${sound.openSale}`,
    },
  ],
  'a canceled sale has no completed payment': [
    {
      how: 'its tender is unchanged',
      violatingRow: ({ openTender }: ValidSales) => openTender,
      by: (sql: Sql, sound: ValidSales) => sql`
        update sales set state = 'CANCELED', open_lines = null where sale_id = ${sound.openSale}`,
    },
  ],
  'an API sale has the time at which its payment was captured': [
    {
      how: 'its time differs',
      violatingRow: completed,
      by: (sql: Sql, sound: { completed: string }) => sql`
        update sales set created_at = created_at + interval '1 second' where sale_id = ${sound.completed}`,
    },
  ],
  'the sums of a receipt match its items': [
    {
      how: 'its version is unknown',
      violatingRow: soldSale,
      by: changeReceipt('{version}', '2'),
    },
    {
      how: 'its tax differs',
      violatingRow: soldSale,
      by: changeReceipt('{additiveTax}', '99'),
    },
    {
      how: 'the sum of its items differs',
      violatingRow: soldSale,
      by: changeReceipt('{items,0,gross}', '1'),
    },
    {
      how: 'the price of an item differs',
      violatingRow: soldSale,
      by: changeReceipt('{items,0,price}', '999'),
    },
    {
      how: 'a tax of an item is marked as included in the price',
      violatingRow: soldSale,
      by: changeReceipt('{items,0,taxes,0,inclusion}', '"INCLUSIVE"'),
    },
  ],
  'the v1 copy of a receipt matches the receipt': [
    {
      how: 'it shows another sum',
      violatingRow: soldSale,
      by: changeCopy('{net_sales_money,amount}', '1'),
    },
    {
      how: 'it shows another item',
      violatingRow: soldSale,
      by: changeCopy('{itemizations,0,name}', '"Something else"'),
    },
    {
      how: 'it shows no items',
      violatingRow: soldSale,
      by: changeCopy('{itemizations}', '[]'),
    },
  ],
  'a copy of a sale that is shown matches its payments and refunds': [
    { how: 'it shows another id', violatingRow: soldSale, by: copySale({ id: 'another' }) },
    { how: 'it shows another sum', violatingRow: soldSale, by: copySale({ total_collected_money: { amount: 1 } }) },
    { how: 'it shows a refund', violatingRow: soldSale, by: copySale({ refunded_money: { amount: -1 } }) },
  ],
  'the drawer event of a tender matches the payment': [
    {
      how: 'it is in no drawer',
      violatingRow: cashTender,
      by: (sql: Sql, sound: ValidSales) => sql`
        update payments set drawer_shift_id = null where payment_id = ${sound.cashTender}`,
    },
    {
      how: 'it has two events',
      violatingRow: cashTender,
      by: (sql: Sql, sound: ValidSales) => insertEvent(sql, 'OTHER_TENDER_PAYMENT', sound.cashTender),
    },
  ],
  'a canceled tender has one drawer event, in the shift that took it': [
    {
      how: 'its event is in another shift',
      violatingRow: ({ abandonedTender }: ValidSales) => abandonedTender,
      by: async (sql: Sql, { abandonedTender }: ValidSales) => {
        const other = await insertShift(sql);
        await sql`update payments set drawer_shift_id = ${other} where payment_id = ${abandonedTender}`;
        await sql`
          update cash_drawer_events set shift_id = ${other}
          where subject_id = ${abandonedTender} and kind = 'OTHER_TENDER_PAYMENT'`;
      },
    },
    {
      how: 'it has two cancellation events',
      violatingRow: ({ abandonedTender }: ValidSales) => abandonedTender,
      by: (sql: Sql, sound: ValidSales) => insertEvent(sql, 'OTHER_TENDER_CANCELLED_PAYMENT', sound.abandonedTender),
    },
  ],
  'a drawer event of a tender refers to an existing payment': [
    {
      how: 'the payment does not exist',
      violatingRow: () => STRAY_EVENT,
      by: (sql: Sql) => insertEvent(sql, 'OTHER_TENDER_CANCELLED_PAYMENT', 'nothing'),
    },
  ],
};
