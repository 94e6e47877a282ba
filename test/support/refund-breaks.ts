/** A fully and a partially refunded sale, and changes that each break exactly one law about the parts of refunds. */
import { randomUUID } from 'node:crypto';
import type { Sql } from '../../src/database/database.js';
import { type Business, cookie, made, money, openShift, register } from '../contract/business.js';
import { advance } from './payments.js';
import type { TestServer } from './server.js';
import { makeSale, receiptOf } from './split-sales.js';
import { part, refundV1 } from './v1-refunds.js';

export interface ValidRefunds {
  /** A sale paid by card and cash, fully refunded. */
  readonly splitSale: string;
  readonly splitCard: string;
  readonly cardRefund: string;
  readonly cashRefund: string;
  /** A partial refund of another sale. */
  readonly partRefund: string;
  /** A sale of which half an item was returned to two tenders, and the first record of that refund. */
  readonly returnSale: string;
  readonly returnRefund: string;
  /** The voucher of the partly refunded sale. */
  readonly voucher: string;
  /** An exchange of returned goods, and a refund that went back through it. */
  readonly exchange: string;
  readonly refundThrough: string;
}

export async function createRefundRecords(server: TestServer, business: Business): Promise<ValidRefunds> {
  const { merchant, device, attendant } = business;
  const plan = { receipt: receiptOf(2300), device: { id: device.id, name: 'Till' }, employeeId: attendant.employeeId };
  const at = new Date(Date.parse(await advance(server, merchant, 'PT1S')) - 1000).toISOString();
  const tenders = [
    { source: 'CARD', amount: 1446, tip: 180 },
    { source: 'CASH', amount: 1000 },
  ] as const;
  const split = await makeSale(server, merchant, { ...plan, at, tenders });
  await openShift(server, business);
  const body = { payment_id: split.id, type: 'FULL', reason: 'Broken' };
  const { refunds } = made(await register(server, business, 'refunds', body));
  const partly = await makeSale(server, merchant, { ...plan, at, tenders: [{ source: 'OTHER', amount: 2446 }] });
  await refundV1(server, merchant, part(partly.id, 1000, { request_idempotence_key: randomUUID() }));
  const returned = await makeSale(server, merchant, {
    ...{ ...plan, at },
    tenders: [
      { source: 'OTHER', amount: 100 },
      { source: 'OTHER', amount: 2346 },
    ],
  });
  const items = { type: 'ITEMS', items: [{ line: 0, quantity: '0.5' }], amount_money: money(1123) };
  const path = `/api/dashboard/sales/${returned.saleId}/refunds`;
  const owner = { ...cookie(business.session), body: { idempotency_key: randomUUID(), ...items } };
  const byItem = made(await server.call('POST', path, owner));
  const old = await makeSale(server, merchant, { ...{ ...plan, at }, tenders: [{ source: 'OTHER', amount: 2446 }] });
  const goods = { payment_id: old.id, amount_money: { amount: 500 }, reason: 'Too small' };
  const item = { name: 'Loaf', single_quantity_money: { amount: 500 } };
  const bought = made(await register(server, business, 'sales', { itemizations: [item], returns: [goods] })).sale;
  const through = { payment_id: bought.payment_id, type: 'PARTIAL', refunded_money: { amount: 200 }, reason: 'Broken' };
  const backThrough = made(await register(server, business, 'refunds', through)).refunds;
  await advance(server, merchant, 'PT10S');
  const [row] = await server.database.sql<{ id: string }[]>`
    select refund_id as id from refunds where payment_id = ${partly.tenderIds[0] ?? ''}`;
  return {
    splitSale: split.saleId,
    splitCard: split.tenderIds[0] ?? '',
    cardRefund: refunds[0]?.id ?? '',
    cashRefund: refunds[1]?.id ?? '',
    partRefund: row?.id ?? '',
    returnSale: returned.saleId,
    returnRefund: byItem.refunds[0].id,
    voucher: partly.tenderIds[0] ?? '',
    exchange: bought.tenders[0].register_id,
    refundThrough: backThrough[0].id,
  };
}

interface Break {
  readonly how: string;
  readonly violatingRow: (sound: Sound) => string;
  readonly by: (sql: Sql, sound: Sound) => PromiseLike<unknown>;
}

/** Adds the other records that the breaks need. */
type Sound = ValidRefunds &
  Readonly<Record<'completed' | 'reversed' | 'completedRefund' | 'blocked' | 'failedRefund', string>>;

const leadBy = (sql: Sql, refundId: string, leaderId: string) => sql`
  update refunds set leader_id = ${leaderId} where refund_id = ${refundId}`;

/** Adds one unit to a field of a breakdown. */
const add = (sql: Sql, refundId: string, name: string) => sql`
  update refunds
  set breakdown = jsonb_set(
    breakdown::jsonb, ${[name]}::text[], to_jsonb((breakdown ->> ${name})::bigint + 1)
  )::json
  where refund_id = ${refundId}`;

const ofParts = (name: string): Break => ({
  how: `${name} is one too high`,
  violatingRow: ({ partRefund }) => partRefund,
  by: (sql, { partRefund }) => add(sql, partRefund, name),
});

const ofSale = (name: string): Break => ({
  how: `${name} is one too high`,
  violatingRow: ({ splitSale }) => splitSale,
  by: (sql, { cashRefund }) => add(sql, cashRefund, name),
});

export const REFUND_BREAKS: Readonly<Record<string, readonly Break[]>> = {
  'the idempotency key of a v1 refund contains the id of its sale': [
    {
      how: 'it contains another id',
      violatingRow: ({ partRefund }) => partRefund,
      by: (sql, { partRefund }) => sql`
        update idempotency_keys set key = 'another:' || key where made_id = ${partRefund}`,
    },
  ],
  'a tender that returned goods pay is worth their exchanges, or nothing if its sale was canceled': [
    {
      how: 'there is no exchange',
      violatingRow: ({ voucher }) => voucher,
      by: (sql, { voucher }) => sql`update payments set is_exchange = true where payment_id = ${voucher}`,
    },
  ],
  'money for returned goods goes back through the exchanges that paid, to what was paid for the goods, and once': [
    {
      how: 'it names no exchange',
      violatingRow: ({ refundThrough }) => refundThrough,
      by: (sql, { refundThrough }) => sql`
        update refunds set exchange_ids = null where refund_id = ${refundThrough}`,
    },
    {
      how: 'it went back twice through an exchange',
      violatingRow: ({ exchange }) => exchange,
      by: (sql, { refundThrough }) => sql`
        update refunds set exchange_ids = array_cat(array_cat(exchange_ids, exchange_ids), exchange_ids)
        where refund_id = ${refundThrough}`,
    },
  ],
  'no money or goods go back for a disputed card, unless the owner overruled that dispute': [
    {
      how: 'it was disputed when it was refunded',
      violatingRow: ({ cardRefund }) => cardRefund,
      by: (sql, { cardRefund }) => sql`
        insert into holds (merchant_id, hold_id, payment_id, amount, placed_at, released_at)
        select merchant_id, 'BY-HAND', payment_id, 1, created_at - '1 hour'::text::interval, updated_at + '1 hour'::text::interval
        from refunds
        where refund_id = ${cardRefund}`,
    },
  ],
  'after a completed refund has failed, the returned fees are the share of the amount that stays returned': [
    {
      how: 'it keeps a part of the fee',
      violatingRow: ({ blocked }) => blocked,
      by: (sql, { failedRefund }) => sql`
        insert into movements (
          merchant_id, movement_id, location_id, payment_id, refund_id, kind, currency, amount, fee, occurred_at
        )
        select merchant_id, 'BY-HAND' || v.fee, location_id, payment_id, refund_id, 'REFUND', currency, v.amount, v.fee, created_at
        from refunds
        cross join (values (-300, 18), (300, -19)) as v (amount, fee)
        where refund_id = ${failedRefund}`,
    },
  ],
  "a reversed payment shows the returned part of the processor's fee, and other payments show none": [
    {
      how: 'a reversed payment shows a lower amount',
      violatingRow: ({ reversed }) => reversed,
      by: (sql, { reversed }) => sql`
        update payments set reversed_fee = reversed_fee - 1 where payment_id = ${reversed}`,
    },
    {
      how: 'a payment without a reversal shows an amount',
      violatingRow: ({ completed }) => completed,
      by: (sql, { completed }) => sql`
        update payments set reversed_fee = 1, reversed_at = updated_at where payment_id = ${completed}`,
    },
  ],
  'payments and refunds are never updated before they are created': [
    {
      how: 'a payment was updated before it was created',
      violatingRow: ({ splitCard }) => splitCard,
      by: (sql, { splitCard }) =>
        sql`update payments set updated_at = created_at - interval '1 second' where payment_id = ${splitCard}`,
    },
    {
      how: 'a refund was updated before it was created',
      violatingRow: ({ cardRefund }) => cardRefund,
      by: (sql, { cardRefund }) =>
        sql`update refunds set updated_at = created_at - interval '1 second' where refund_id = ${cardRefund}`,
    },
  ],
  'the leader of a refund is a refund of another tender of the same sale, created with it': [
    {
      how: 'the leader does not exist',
      violatingRow: ({ cashRefund }) => cashRefund,
      by: (sql, { cashRefund }) => leadBy(sql, cashRefund, 'nobody'),
    },
    {
      how: 'the leader belongs to another sale',
      violatingRow: ({ cashRefund }) => cashRefund,
      by: (sql, { cashRefund, completedRefund }) => leadBy(sql, cashRefund, completedRefund),
    },
    {
      how: 'it leads itself',
      violatingRow: ({ cardRefund }) => cardRefund,
      async by(sql, { cardRefund, cashRefund }) {
        await leadBy(sql, cardRefund, cardRefund);
        await sql`update refunds set leader_id = null where refund_id = ${cashRefund}`;
      },
    },
    {
      how: 'it was not created with the leader',
      violatingRow: ({ cashRefund }) => cashRefund,
      by: (sql, { cardRefund }) => sql`
        update refunds set created_at = created_at - interval '1 second' where refund_id = ${cardRefund}`,
    },
  ],
  'the lines of a refund add up to its sums': [
    ofParts('tax'),
    ofParts('surcharge'),
    {
      how: 'a line is missing',
      violatingRow: ({ partRefund }) => partRefund,
      by: (sql, { partRefund }) => sql`
        update refunds set breakdown = jsonb_set(breakdown::jsonb, '{taxes}', '[]')::json
        where refund_id = ${partRefund}`,
    },
  ],
  'the refunded tip is proportional to the refunded amount': [
    {
      how: 'a unit is missing',
      violatingRow: ({ splitCard }) => splitCard,
      by: (sql, { cardRefund }) => add(sql, cardRefund, 'tip'),
    },
  ],
  'the items of a refund add up to its records': [
    {
      how: 'an item costs one more',
      violatingRow: ({ returnRefund }) => returnRefund,
      by: (sql, { returnRefund }) => sql`
        update refunds set breakdown = jsonb_set(breakdown::jsonb, '{items,0,amount}', '1124')::json
        where refund_id = ${returnRefund}`,
    },
    {
      how: 'another record names items too',
      violatingRow: ({ returnRefund }) => returnRefund,
      by: (sql, { returnRefund }) => sql`
        update refunds
        set breakdown = jsonb_set(breakdown::jsonb, '{items}', '[{"line":0,"quantity":1,"amount":0}]')::json
        where leader_id = ${returnRefund}`,
    },
  ],
  'no more of an item is refunded than was sold': [
    {
      how: 'more than one of one',
      violatingRow: ({ returnSale }) => returnSale,
      by: (sql, { returnRefund }) => sql`
        update refunds set breakdown = jsonb_set(breakdown::jsonb, '{items,0,quantity}', '100001')::json
        where refund_id = ${returnRefund}`,
    },
  ],
  'the refunds of a fully refunded sale contain all its taxes, discounts and surcharges': [ofSale('discount')],
  'a refund has at most one drawer event, with the amount of its cash': [
    {
      how: 'the refund does not exist',
      violatingRow: () => 'nobody',
      by: (sql, { cashRefund }) => sql`
        update cash_drawer_events set subject_id = 'nobody' where subject_id = ${cashRefund}`,
    },
    {
      how: 'it belongs to a card refund',
      violatingRow: ({ cardRefund }) => cardRefund,
      by: (sql, { cardRefund, cashRefund }) => sql`
        update cash_drawer_events set subject_id = ${cardRefund} where subject_id = ${cashRefund}`,
    },
    {
      how: 'it exists twice',
      violatingRow: ({ cashRefund }) => cashRefund,
      by: (sql, { cashRefund }) => sql`
        insert into cash_drawer_events (
          merchant_id, shift_id, event_id, employee_id, kind, amount, created_at, subject_id
        )
        select
          merchant_id, shift_id, gen_random_uuid(), employee_id, 'OTHER_TENDER_REFUND', 0, created_at, subject_id
        from cash_drawer_events where subject_id = ${cashRefund}`,
    },
  ],
};
