import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { findBreaches } from '../src/check/check.js';
import type { Breach, Law } from '../src/check/law.js';
import { LAWS } from '../src/check/laws.js';
import { type Database, openDatabase, type Sql } from '../src/database/database.js';
import { openBusiness } from './contract/business.js';
import { createAuthorizations, OAUTH_BREAKS, type ValidAuthorizations } from './support/broken-authorizations.js';
import { COPY_BREAKS } from './support/broken-copies.js';
import { createOrderRecords, EXPIRES_THOUGH_PAID, ORDER_BREAKS, type ValidOrders } from './support/broken-orders.js';
import { createRolledUpDay, REPORT_BREAKS, type ValidReports } from './support/broken-reports.js';
import { createSaleRecords, SALE_BREAKS, type ValidSales } from './support/broken-sales.js';
import { findDeliveryEvent, type ValidWebhooks, WEBHOOK_BREAKS } from './support/broken-webhooks.js';
import { runHere } from './support/commands.js';
import { isLong } from './support/long.js';
import { advance, approve, cancelByKey, pay, refund, tryToPay, usd, type WirePayment } from './support/payments.js';
import { createRefundRecords, REFUND_BREAKS, type ValidRefunds } from './support/refund-breaks.js';
import { dropDatabase } from './support/run-databases.mjs';
import { startTestServer, type TestMerchant, type TestServer } from './support/server.js';
import { createSettlementRecords, SETTLEMENT_BREAKS, type ValidSettlements } from './support/settlement-breaks.js';
import { bothAfter, breachesIn, undone } from './support/undone-changes.js';

/** The ids of a business with valid records, by their role. */
interface Sound
  extends ValidSettlements,
    ValidAuthorizations,
    ValidSales,
    ValidRefunds,
    ValidOrders,
    ValidWebhooks,
    ValidReports {
  readonly completed: string;
  readonly approved: string;
  readonly failed: string;
  readonly voided: string;
  readonly reversed: string;
  readonly hidden: string;
  /** A partially refunded payment, and its refunds. */
  readonly refunded: string;
  readonly pendingRefund: string;
  readonly completedRefund: string;
  readonly blocked: string;
  readonly failedRefund: string;
  readonly reversal: string;
  readonly shift: string;
  readonly timecard: string;
  readonly deletedTimecard: string;
}

async function runBusiness(server: TestServer): Promise<Sound> {
  const business = await openBusiness(server);
  const { merchant, ids, owner } = business;
  const rule = (effect: string) =>
    server.operator('POST', `/api/sandbox/merchants/${merchant.id}/processor-rules`, { effect });
  const part = { amount_money: usd(300) };
  const settlements = await createSettlementRecords(server, merchant);
  const refunds = await createRefundRecords(server, business);

  const completed = await pay(server, merchant, { tip_money: usd(100) });
  const approved = await approve(server, merchant);
  const failed = (await tryToPay(server, merchant, { source_id: 'cnon:card-nonce-declined' })).body.payment;
  const voided = await approve(server, merchant);
  await server.call('POST', `/v2/payments/${voided.id}/cancel`, { token: merchant.token });
  const key = randomUUID();
  const reversed = await pay(server, merchant, { idempotency_key: key });
  await refund(server, merchant, reversed, part);
  await cancelByKey(server, merchant, key);

  const refunded = await pay(server, merchant, { app_fee_money: usd(50) });
  const completedRefund = await refund(server, merchant, refunded, part);
  await advance(server, merchant, 'PT10S');
  const pendingRefund = await refund(server, merchant, refunded, part);
  await rule('TIME_OUT');
  expect((await tryToPay(server, merchant)).status).toBe(503);

  // A refund of another payment, so that the first one can still be refunded.
  const blocked = await pay(server, merchant);
  const failedRefund = await failRefund(server, merchant, blocked, () => rule('FAIL_REFUND'));

  const timecard = ids['timecard_id'] ?? '';
  const deleted = { ...merchant, body: { employee_id: ids['employee_id'], clockin_time: '2020-02-26T09:00:00Z' } };
  const deletedTimecard = (await server.call('POST', '/v1/me/timecards', deleted)).body.id;
  await server.call('DELETE', `/v1/me/timecards/${deletedTimecard}`, { token: merchant.token });
  const { sql } = server.database;
  const [hidden] = await sql<{ id: string }[]>`select payment_id as id from payments where status = 'PENDING'`;
  const [reversal] = await sql<{ id: string }[]>`
    select movement_id as id from movements where payment_id = ${reversed.id} and kind = 'REVERSAL'`;
  return {
    ...settlements,
    ...refunds,
    completed: completed.id,
    approved: approved.id,
    failed: failed.id,
    voided: voided.id,
    reversed: reversed.id,
    hidden: hidden?.id ?? '',
    refunded: refunded.id,
    pendingRefund: pendingRefund.id,
    completedRefund: completedRefund.id,
    blocked: blocked.id,
    failedRefund,
    reversal: reversal?.id ?? '',
    shift: ids['shift_id'] ?? '',
    timecard,
    deletedTimecard,
    ...(await createAuthorizations(server, merchant.id, owner)),
    ...(await createSaleRecords(server, business)),
    ...(await createRolledUpDay(server)),
    ...(await createOrderRecords(server, business)),
    ...(await findDeliveryEvent(sql, ids['delivery_id'] ?? '')),
  };
}

/** A refund that fails, while other due work of the merchant waits. */
async function failRefund(
  server: TestServer,
  merchant: TestMerchant,
  payment: WirePayment,
  rule: () => Promise<unknown>,
): Promise<string> {
  await server.database.sql`update due_work set due_at = due_at + interval '1 hour' where merchant_id = ${merchant.id}`;
  const { id } = await refund(server, merchant, payment, { amount_money: usd(300) });
  await rule();
  await advance(server, merchant, 'PT10S');
  return id;
}

interface Break {
  readonly how: string;
  /** The row that the law must name. */
  readonly violatingRow: (sound: Sound) => string;
  /** Default: the merchant of most records. */
  readonly merchant?: (sound: Sound) => string;
  readonly by: (sql: Sql, sound: Sound) => PromiseLike<unknown>;
  /** A constraint of the database that would prevent this change. */
  readonly unguarded?: readonly string[];
}

const insertMovement = (sql: Sql, sound: Sound, paymentId: string, kind: string, refundId: string | null = null) => sql`
  insert into movements (
    merchant_id, movement_id, location_id, payment_id, refund_id, kind, currency, amount, fee, occurred_at
  )
  select merchant_id, 'BY-HAND', location_id, ${paymentId}, ${refundId}, ${kind}, currency, 0, 0, created_at
  from payments
  where merchant_id = ${sound.merchant} and payment_id = ${sound.completed}`;

const insertKey = (sql: Sql, sound: Sound, operation: string, madeId: string) => sql`
  insert into idempotency_keys (merchant_id, application_id, operation, key, request_hash, made_id)
  values (${sound.merchant}, 'app', ${operation}, 'BY-HAND', '', ${madeId})`;

const insertDue = (sql: Sql, sound: Sound, kind: string, subjectId: string) => sql`
  insert into due_work (merchant_id, kind, subject_id, due_at)
  values (${sound.merchant}, ${kind}, ${subjectId}, '2100-01-01T00:00:00Z'::text::timestamptz)`;

/** Each law, with changes that break exactly that law. */
const BREAKS: Readonly<Record<string, readonly Break[]>> = {
  ...OAUTH_BREAKS,
  ...WEBHOOK_BREAKS,
  ...SALE_BREAKS,
  ...REPORT_BREAKS,
  ...ORDER_BREAKS,
  'pending and completed refunds match the reserved sums of their payment and never exceed its total': [
    {
      how: 'an exchanged amount has no exchange',
      violatingRow: ({ completed }) => completed,
      by: (sql, { completed }) => sql`update payments set exchanged = 1 where payment_id = ${completed}`,
    },
    {
      how: 'the reserved amount is one too high',
      violatingRow: ({ refunded }) => refunded,
      by: (sql, { refunded }) => sql`update payments set refunded = refunded + 1 where payment_id = ${refunded}`,
    },
    {
      how: 'a failed refund is still reserved',
      violatingRow: ({ failedRefund }) => failedRefund.split('_')[0] ?? '',
      by: (sql, { failedRefund }) => sql`
        update payments set refunded = 300 where payment_id = split_part(${failedRefund}, '_', 1)`,
    },
    {
      how: 'refunds exceed the payment',
      violatingRow: ({ refunded }) => refunded,
      unguarded: ['payments_refunded'],
      async by(sql, { refunded, pendingRefund }) {
        await sql`update refunds set amount = amount + 1000 where refund_id = ${pendingRefund}`;
        await sql`update payments set refunded = refunded + 1000 where payment_id = ${refunded}`;
      },
    },
  ],
  'the processors of a merchant and of its payments exist': [
    {
      how: 'a payment names a processor that is not there',
      violatingRow: ({ completed }) => completed,
      by: (sql, { completed }) => sql`update payments set processor_id = 'nobody' where payment_id = ${completed}`,
    },
    {
      how: 'a merchant has chosen a processor that is not there',
      violatingRow: ({ merchant }) => merchant,
      by: (sql, { merchant }) => sql`update merchants set processor_id = 'nobody' where merchant_id = ${merchant}`,
    },
  ],
  'a payment lists exactly its API and register refunds': [
    {
      how: 'a refund is missing',
      violatingRow: ({ refunded }) => refunded,
      by: (sql, { refunded }) => sql`update payments set refund_ids = refund_ids[2:] where payment_id = ${refunded}`,
    },
    {
      how: 'an unknown refund is listed',
      violatingRow: ({ completed }) => completed,
      by: (sql, { completed }) => sql`
        update payments set refund_ids = refund_ids || 'nobody'::text where payment_id = ${completed}`,
    },
  ],
  'the returned amount of a payment matches its completed refunds and movements, and never exceeds its total': [
    {
      how: 'more is refunded than the movements show',
      violatingRow: ({ refunded }) => refunded,
      by: (sql, { refunded }) => sql`update payments set returned = returned + 1 where payment_id = ${refunded}`,
    },
    {
      how: 'more is refunded than was paid',
      violatingRow: ({ refunded }) => refunded,
      unguarded: ['payments_returned'],
      async by(sql, sound) {
        await insertMovement(sql, sound, sound.refunded, 'REVERSAL', 'BY-HAND');
        await sql`update movements set amount = -5000 where movement_id = 'BY-HAND'`;
        await sql`
          insert into refunds (
            merchant_id, refund_id, payment_id, location_id, status, source_type, created_at, updated_at, currency,
            amount, order_id, origin, type
          )
          select
            merchant_id, 'BY-HAND', payment_id, location_id, 'COMPLETED', source_type, created_at, updated_at, currency,
            5000, '', 'REVERSAL', 'FULL'
          from payments where payment_id = ${sound.refunded}`;
        await sql`update payments set returned = returned + 5000 where payment_id = ${sound.refunded}`;
      },
    },
  ],
  'a captured card payment has one charge of its total and fees, and other payments have no movements': [
    {
      how: 'its charge is missing',
      violatingRow: ({ completed }) => completed,
      by: (sql, { completed }) => sql`delete from movements where payment_id = ${completed}`,
    },
    {
      how: 'it has two charges',
      violatingRow: ({ completed }) => completed,
      by: (sql, sound) => insertMovement(sql, sound, sound.completed, 'CHARGE'),
    },
    {
      how: 'its charge is one too low',
      violatingRow: ({ completed }) => completed,
      by: (sql, { completed }) => sql`update movements set amount = amount - 1 where payment_id = ${completed}`,
    },
    {
      how: 'its fee is one too high',
      violatingRow: ({ completed }) => completed,
      by: (sql, { completed }) => sql`update movements set fee = fee - 1 where payment_id = ${completed}`,
    },
    {
      how: 'an approved payment has a charge',
      violatingRow: ({ approved }) => approved,
      by: (sql, sound) => insertMovement(sql, sound, sound.approved, 'CHARGE'),
    },
    {
      how: 'a voided payment has a charge',
      violatingRow: ({ voided }) => voided,
      by: (sql, sound) => insertMovement(sql, sound, sound.voided, 'CHARGE'),
    },
  ],
  'a movement has the merchant, location and currency of its payment': [
    {
      how: 'the payment does not exist',
      violatingRow: () => 'BY-HAND',
      by: (sql, sound) => insertMovement(sql, sound, 'nobody', 'CHARGE'),
    },
    {
      how: 'the payment is at another location',
      violatingRow: ({ reversal }) => reversal,
      by: (sql, { reversal }) => sql`update movements set location_id = 'elsewhere' where movement_id = ${reversal}`,
    },
    {
      how: 'the payment has another currency',
      violatingRow: ({ reversal }) => reversal,
      by: (sql, { reversal }) => sql`update movements set currency = 'CAD' where movement_id = ${reversal}`,
    },
  ],
  'returned fees never exceed the charged fees': [
    {
      how: 'a refund returns too much of the fees',
      violatingRow: ({ refunded }) => refunded,
      by: (sql, { completedRefund }) => sql`
        update movements set fee = fee + 1000 where refund_id = ${completedRefund}`,
    },
  ],
  'a completed card refund has one movement of its kind and amount, and others none, or two of one amount': [
    {
      how: 'its movement has another kind',
      violatingRow: ({ completedRefund }) => completedRefund,
      by: (sql, { completedRefund }) => sql`
        update movements set kind = 'REVERSAL' where refund_id = ${completedRefund}`,
    },
    {
      how: 'a cash refund has a movement',
      violatingRow: ({ cashRefund }) => cashRefund,
      by: (sql, sound) => insertMovement(sql, sound, sound.refunded, 'REFUND', sound.cashRefund),
    },
    {
      how: 'it has no movement',
      violatingRow: ({ completedRefund }) => completedRefund,
      by: (sql, { completedRefund }) => sql`
        update movements set refund_id = null where refund_id = ${completedRefund}`,
    },
    {
      how: 'it has two movements',
      violatingRow: ({ completedRefund }) => completedRefund,
      by: (sql, sound) => insertMovement(sql, sound, sound.refunded, 'REFUND', sound.completedRefund),
    },
    {
      how: 'a pending refund has a movement',
      violatingRow: ({ pendingRefund }) => pendingRefund,
      by: (sql, sound) => insertMovement(sql, sound, sound.refunded, 'REFUND', sound.pendingRefund),
    },
    {
      how: 'a failed refund has a movement',
      violatingRow: ({ failedRefund }) => failedRefund,
      by: (sql, sound) => insertMovement(sql, sound, sound.refunded, 'REFUND', sound.failedRefund),
    },
  ],
  'times, fees and totals of a payment match its status': [
    {
      how: 'the total is not the amount plus the tip',
      violatingRow: ({ completed }) => completed,
      unguarded: ['payments_total'],
      by: (sql, { completed }) => sql`update payments set amount = amount - 1 where payment_id = ${completed}`,
    },
    {
      how: 'a captured payment has no fee',
      violatingRow: ({ completed }) => completed,
      by: (sql, { completed }) => sql`update payments set fee = null where payment_id = ${completed}`,
    },
    {
      how: 'an approved payment has no expiry',
      violatingRow: ({ approved }) => approved,
      by: (sql, { approved }) => sql`update payments set delayed_until = null where payment_id = ${approved}`,
    },
    {
      how: 'an approved payment ends at another time than it says',
      violatingRow: ({ approved }) => approved,
      by: (sql, { approved }) => sql`update payments set delay_duration = 'P2D' where payment_id = ${approved}`,
    },
    {
      how: 'a failed payment has no reason',
      violatingRow: ({ failed }) => failed,
      by: (sql, { failed }) => sql`update payments set errors = null where payment_id = ${failed}`,
    },
    {
      how: 'a voided payment has an expiry',
      violatingRow: ({ voided }) => voided,
      by: (sql, { voided }) => sql`update payments set delayed_until = created_at where payment_id = ${voided}`,
    },
    {
      how: 'a reversed payment is not fully refunded',
      violatingRow: ({ reversed }) => reversed,
      async by(sql, { reversed, reversal }) {
        await sql`update movements set amount = amount + 1 where movement_id = ${reversal}`;
        await sql`
          update refunds set amount = amount - 1
          where refund_id = (select refund_id from movements where movement_id = ${reversal})`;
        await sql`update payments set returned = returned - 1 where payment_id = ${reversed}`;
      },
    },
  ],
  'an idempotency key refers to an existing payment or refund, which has no other key': [
    {
      how: 'the payment does not exist',
      violatingRow: () => 'BY-HAND',
      by: (sql, sound) => insertKey(sql, sound, 'createPayment', 'nobody'),
    },
    {
      how: 'the refund does not exist',
      violatingRow: () => 'BY-HAND',
      by: (sql, sound) => insertKey(sql, sound, 'refundPayment', 'nobody'),
    },
    {
      how: 'the v1 refund does not exist',
      violatingRow: () => 'BY-HAND',
      by: (sql, sound) => insertKey(sql, sound, 'createRefund', 'nobody'),
    },
    {
      how: 'two keys for one payment',
      violatingRow: ({ completed }) => completed,
      by: (sql, sound) => insertKey(sql, sound, 'createPayment', sound.completed),
    },
  ],
  'approved and pending payments and pending refunds have scheduled work, and no other record has': [
    EXPIRES_THOUGH_PAID,
    {
      how: 'the expiry of an approved payment is not due',
      violatingRow: ({ approved }) => approved,
      by: (sql, { approved }) => sql`delete from due_work where subject_id = ${approved}`,
    },
    {
      how: 'a pending refund is not due',
      violatingRow: ({ pendingRefund }) => pendingRefund,
      by: (sql, { pendingRefund }) => sql`delete from due_work where subject_id = ${pendingRefund}`,
    },
    {
      how: 'an unknown outcome has no call to retry',
      violatingRow: ({ hidden }) => hidden,
      by: (sql, { hidden }) => sql`delete from processor_calls where payment_id = ${hidden}`,
    },
    {
      how: 'the void of a completed payment is due',
      violatingRow: ({ completed }) => completed,
      by: (sql, sound) => insertDue(sql, sound, 'EXPIRE_PAYMENT', sound.completed),
    },
    {
      how: 'the completion of a completed refund is due',
      violatingRow: ({ completedRefund }) => completedRefund,
      by: (sql, sound) => insertDue(sql, sound, 'FINISH_REFUND', sound.completedRefund),
    },
    {
      how: 'the release of an approved payment is due',
      violatingRow: ({ approved }) => approved,
      by: (sql, sound) => insertDue(sql, sound, 'SEND_VOID', sound.approved),
    },
    {
      how: 'a refund at the processor is due without a reversal',
      violatingRow: ({ completed }) => completed,
      by: (sql, sound) => insertDue(sql, sound, 'SEND_REVERSAL', sound.completed),
    },
    {
      how: 'the close of an unknown location is due',
      violatingRow: () => 'nowhere',
      by: (sql, sound) => insertDue(sql, sound, 'CLOSE_DAY', 'nowhere'),
    },
    {
      how: 'due work has an unknown kind',
      violatingRow: ({ completed }) => completed,
      by: (sql, sound) => insertDue(sql, sound, 'DANCE', sound.completed),
    },
    {
      how: 'a completed payment has a call to the processor',
      violatingRow: ({ completed }) => completed,
      by: (sql, { merchant, completed }) => sql`
        insert into processor_calls (merchant_id, payment_id, action, retry_at)
        values (${merchant}, ${completed}, 'COMPLETE', '2100-01-01T00:00:00Z'::text::timestamptz)`,
    },
  ],
  ...COPY_BREAKS,
  ...REFUND_BREAKS,
  ...SETTLEMENT_BREAKS,
  'the sums of a cash drawer shift match its events': [
    {
      how: 'a sum is one too high',
      violatingRow: ({ shift }) => shift,
      by: (sql, { shift }) => sql`
        update cash_drawer_shifts set cash_paid_in = cash_paid_in + 1 where shift_id = ${shift}`,
    },
    {
      how: 'a refund is counted without an event',
      violatingRow: ({ shift }) => shift,
      by: (sql, { shift }) => sql`
        update cash_drawer_shifts
        set cash_payments = cash_payments + 1, cash_refunds = cash_refunds + 1
        where shift_id = ${shift}`,
    },
    {
      how: 'an event is missing',
      violatingRow: ({ shift }) => shift,
      by: (sql, { shift }) => sql`delete from cash_drawer_events where shift_id = ${shift} and kind = 'PAID_IN'`,
    },
  ],
  'a timecard matches its last event': [
    {
      how: 'its begin differs from its events',
      violatingRow: ({ timecard }) => timecard,
      by: (sql, { timecard }) => sql`
        update timecards set clockin_at = clockin_at - interval '1 hour' where timecard_id = ${timecard}`,
    },
    {
      how: 'its end is missing',
      violatingRow: ({ timecard }) => timecard,
      by: (sql, { timecard }) => sql`
        update timecards set clockout_at = null, clockout_location_id = null where timecard_id = ${timecard}`,
    },
    {
      how: 'it is not deleted although its events are',
      violatingRow: ({ deletedTimecard }) => deletedTimecard,
      by: (sql, { deletedTimecard }) => sql`
        update timecards set deleted = false where timecard_id = ${deletedTimecard}`,
    },
    {
      how: 'it has no events',
      violatingRow: ({ timecard }) => timecard,
      by: (sql, { timecard }) => sql`delete from timecard_events where timecard_id = ${timecard}`,
    },
  ],
};

describe('the laws of the books', () => {
  const template = `${inject('databasePrefix')}sound`;
  const copy = `${inject('databasePrefix')}broken`;
  let admin: Database;
  let sound: Sound;
  let books: Database;

  const urlOf = (name: string): string => Object.assign(new URL(inject('postgresUrl')), { pathname: `/${name}` }).href;

  beforeAll(async () => {
    admin = openDatabase(inject('postgresUrl'), { maxConnections: 1, hasLongTimeouts: true });
    await admin.sql.unsafe(`create database ${template} template ${inject('templateDatabase')}`);
    const server = await startTestServer({ databaseUrl: urlOf(template) });
    sound = await runBusiness(server);
    await server.stop();
    await admin.sql.unsafe(`create database ${copy} template ${template}`); // while no client is connected
    books = openDatabase(urlOf(template), { maxConnections: 1, hasLongTimeouts: true });
  });
  afterAll(async () => {
    await books.close();
    for (const name of [template, copy]) await dropDatabase(admin.sql, name);
    await admin.close();
  });

  async function breakIt(sql: Sql, broken: Break): Promise<void> {
    await prepareToBreak(sql, broken);
    await broken.by(sql, sound);
  }

  async function prepareToBreak(sql: Sql, { unguarded = [] }: Break): Promise<void> {
    for (const constraint of unguarded) await sql.unsafe(`alter table payments drop constraint ${constraint}`);
    // Without copies of their JSON, which a change by hand does not renew.
    await sql`update payments set v2_json = null, v2_json_version = null`;
  }

  /** Returns the violations of one law or of all after a change. The change is rolled back, so no other test sees it. */
  type Breaking = (sql: Sql) => PromiseLike<unknown>;
  async function breachesAfter(breaking: Breaking, law?: Law): Promise<Breach[]> {
    return undone(books, async (tx) => {
      await breaking(tx);
      return breachesIn(books, tx, { ...(law && { laws: [law] }) });
    });
  }

  const runCheck = (url: string) => runHere(['check', '--database-url', url]);

  it('hold in a valid business that has records of every kind', async () => {
    expect(Object.values(sound)).not.toContain('');
    const states = await books.sql`
      select distinct 'payment ' || status as state from payments
      union
      select 'refund ' || status from refunds
      union
      select 'movement ' || kind from movements
      union
      select 'settlement ' || status from settlements
      order by state`;
    expect(states.map(({ ['state']: state }) => state)).toEqual([
      ...['movement ADJUSTMENT', 'movement CHARGE', 'movement HOLD', 'movement HOLD_RELEASE', 'movement REFUND'],
      ...['movement RETURNED_PAYOUT', 'movement REVERSAL'],
      ...['payment APPROVED', 'payment CANCELED', 'payment COMPLETED', 'payment FAILED', 'payment PENDING'],
      ...['refund COMPLETED', 'refund FAILED', 'refund PENDING', 'settlement FAILED', 'settlement SENT'],
    ]);
    expect(await findBreaches(books)).toEqual([]);
  });

  it('are each broken by a test', () => {
    expect(Object.keys(BREAKS).sort()).toEqual(LAWS.map(({ name }) => name).sort());
  });

  describe.each(LAWS.map((law) => ({ law, breaks: BREAKS[law.name] ?? [] })))('$law.name', ({ law, breaks }) => {
    const foundIn = (broken: Break) => ({
      law: law.name,
      merchantId: broken.merchant?.(sound) ?? sound.merchant,
      subject: broken.violatingRow(sound),
      found: expect.stringMatching(/\S/),
    });
    // Only one change for each law is checked against all laws, because that takes most of the time.
    const alone = isLong ? breaks : breaks.slice(0, 1);

    it.each(alone)('is the only violated law: $how', async (broken) => {
      expect(await breachesAfter((sql) => breakIt(sql, broken))).toEqual([foundIn(broken)]);
    });

    it.each(breaks)('is violated for an incremental check: $how', async (broken) => {
      const { incremental, full } = await undone(books, async (tx) => {
        await prepareToBreak(tx, broken);
        return bothAfter(books, tx, () => broken.by(tx, sound));
      });
      expect(incremental).toEqual(full);
      expect(incremental).toContainEqual(foundIn(broken));
    });

    it.each(breaks.slice(alone.length))('is violated: $how', async (broken) => {
      expect(await breachesAfter((sql) => breakIt(sql, broken), law)).toEqual([foundIn(broken)]);
    });
  });

  it('name only the first rows when many rows violate a law', async () => {
    const breaches = await breachesAfter(
      (sql) => sql`
        insert into sales (merchant_id, sale_id, location_id, kind, state, created_at)
        select merchant_id, 'BY-HAND-' || number, location_id, kind, state, created_at
        from sales, generate_series(1, 50) as number
        where sale_id = ${sound.completed}`,
    );
    expect(breaches).toHaveLength(20);
  });

  describe('tillhouse check', () => {
    it('reports that all laws hold and exits with 0', async () => {
      expect(await runCheck(urlOf(template))).toMatchObject({
        code: 0,
        stdout: `All ${LAWS.length} laws hold.\n`,
        stderr: '',
      });
    });

    it('names each violated law with its row and exits with 1', async () => {
      // The first and the last law, which cover different records.
      const chosen = [LAWS[0], LAWS.at(-1)].flatMap((law) => {
        const [broken] = BREAKS[law?.name ?? ''] ?? [];
        return law && broken ? [{ law: law.name, broken }] : [];
      });
      const database = openDatabase(urlOf(copy), { maxConnections: 1, hasLongTimeouts: true });
      for (const { broken } of chosen) await breakIt(database.sql, broken);
      await database.close();
      const { code, stdout, stderr } = await runCheck(urlOf(copy));
      expect([code, stdout]).toEqual([1, '']);
      const expected = chosen.map(
        ({ law, broken }) => `${law}\n  ${sound.merchant} ${broken.violatingRow(sound)}: .+\n`,
      );
      expect(expected).toHaveLength(2);
      expect(stderr).toMatch(new RegExp(`^${expected.join('')}$`));
    });
  });
});
