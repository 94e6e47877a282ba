/**
 * Reports of random business in two time zones, across changes of their clocks: every grouping equals what an oracle computes from the
 * single sales, before and after days are rolled up.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { instant } from '../../src/base/time.js';
import { MAX_COMMIT_MS } from '../../src/business/merchants/model.js';
import { REPORT_GROUPS, type ReportLine } from '../../src/business/reports/model.js';
import { listReportLines, updateRollUps } from '../../src/business/reports/queries.js';
import { findBreaches } from '../../src/check/check.js';
import { isLong, repetitions } from '../support/long.js';
import { backdateSignIns, sendLate } from '../support/queue.js';
import { card, cash, item } from '../support/register-sales.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { act } from './random-acts.js';
import { readOracle, SUM_NAMES } from './report-oracle.js';
import { soldAt, WholeBusiness } from './whole-business.js';

const DAYS = 9;
const HOURS_A_MOVE = 8;
const MOVES = (DAYS * 24) / HOURS_A_MOVE;
/** Days are rolled up every fourth move. Reports are compared right after it, once in so many moves. */
const REPORTED = repetitions({ usual: 16, long: 8 });
/** New York and Sydney both change their clocks within these days. */
const STARTS = ['2020-03-30T05:00:00Z', '2020-10-28T04:00:00Z'];
/** The whole, and a day on which clocks change. */
const RANGES = [
  ['2019-11-20', '2020-11-19'],
  ['2020-04-05', '2020-04-05'],
  ['2020-11-01', '2020-11-01'],
];

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const acts = fc.array(act, { minLength: 3, maxLength: 7, size: 'max' });

/** A sale with everything that a receipt can have. */
const richSale = (seed: number) => ({
  itemizations: [
    item(900 + (seed % 700), {
      name: `Loaf ${seed % 3}`,
      quantity: '1.5',
      item_detail: { category_name: seed % 2 ? 'Bread' : 'Cake' },
      taxes: [{ name: 'City tax', rate: '0.0175' }],
    }),
    item(450, { name: 'Tea', discounts: [{ name: 'Happy hour', rate: '0.25' }] }),
    { ...item(120, { name: 'Something' }), itemization_type: 'CUSTOM_AMOUNT' },
  ],
  discounts: [{ name: 'Regulars', amount_money: { amount: 77 } }],
  taxes: [{ name: 'State tax', rate: '0.08625', inclusion_type: seed % 3 ? 'ADDITIVE' : 'INCLUSIVE' }],
  surcharges: [{ name: 'Service', rate: '0.05', type: 'AUTO_GRATUITY' }],
  tenders: [card(300, { tip_money: { amount: 55 } }), cash()],
});

async function sellAt(business: WholeBusiness, place: number, at: number, seed: number): Promise<void> {
  const { register } = business.places[place] as WholeBusiness['places'][number];
  const occurred_at = new Date(at).toISOString();
  const sentAt = new Date(business.now).toISOString();
  const { response, error } = await sendLate(register, sentAt, 'ringUpSale', { occurred_at, body: richSale(seed) });
  expect(error).toBeUndefined();
  business.known.sales.push(soldAt(business.places[place] as never, response.sale));
}

/** Refunds one item of the sale that was made last: number 5 of the last six, and of it the second item. */
async function refundLastSale(business: WholeBusiness): Promise<void> {
  const answer = await business.do({ kind: 'refund an item', place: 0, which: 5, units: 0 });
  expect(answer?.status, answer?.text).toBe(200);
}

async function expectReports({ owner: { merchant } }: WholeBusiness): Promise<void> {
  const { sql } = server.database;
  const oracle = await readOracle(sql, merchant.id);
  const [first = '', second = ''] = merchant.locationIds;
  for (const [begin = '', end = ''] of RANGES) {
    for (const locationIds of begin === end ? [[first], [second]] : [merchant.locationIds]) {
      for (const group of REPORT_GROUPS) {
        const lines = await listReportLines(sql, { merchantId: merchant.id, locationIds, begin, end, group });
        const found = Object.fromEntries(lines.map((line) => [line.key, sumsOf(line)]));
        expect(found, `${group} ${begin} ${end}`).toEqual(oracle.report(group, begin, end, locationIds));
      }
    }
  }
}

/** The registers keep cards for later, and their employees have been there for days. */
async function workOffline({ owner, places }: WholeBusiness): Promise<void> {
  for (const { register } of places) await backdateSignIns(server, register.employeeId, 4 * 86_400_000);
  const limit_money = { amount: 10_000, currency: 'USD' };
  const body = { restrict_discounts: false, offline_cards: { allowed: true, limit_money } };
  expect((await owner.call('PUT', '/api/dashboard/register-settings', { body })).status).toBe(200);
}

const sumsOf = (line: ReportLine) =>
  Object.fromEntries(SUM_NAMES.map((name) => [name, (line as never as Record<string, number>)[name]]));

const rollUp = (business: WholeBusiness) =>
  server.database.change(business.owner.merchant.id, async (change) =>
    updateRollUps(change, instant(business.now - MAX_COMMIT_MS)),
  );

it.each(STARTS)(
  'every grouping equals the oracle, before and after days are rolled up (from %s)',
  async (start) => {
    const business = await WholeBusiness.open(server, start);
    await workOffline(business);
    const { sql } = server.database;
    const late = () => sql`select from report_late_days where merchant_id = ${business.owner.merchant.id}`;
    for (const [index, together] of fc.sample(acts, { seed: Date.parse(start), numRuns: MOVES }).entries()) {
      const answers = await business.doTogether(together);
      for (const answer of answers) if (answer) expect(answer.status, answer.text).toBeLessThan(500);
      // Now, around the last midnight of New York and of Sydney, and on one of the days before.
      const ago = [0, 3_600_000 * (1 + (index % 60)), (business.now % 86_400_000) - 14_400_001 + (index % 3)];
      for (const [number, ms] of ago.entries())
        if (ms >= 0) await sellAt(business, (index + number) % 2, business.now - ms, index * 3 + number);
      if (index % 5 === 2) await refundLastSale(business);
      if (isLong ? index % 9 === 5 : index === 14) await expectReports(business);
      if (index % 4 === 1) await rollUp(business);
      if (index % REPORTED === 9 % REPORTED) await expectReports(business);
      await business.wait(HOURS_A_MOVE);
    }
    expect((await late()).length).toBeGreaterThan(0);
    await expectReports(business);
    await rollUp(business);
    expect((await late()).length).toBe(0);
    await expectReports(business);
    // Stored once more, nothing changes.
    await rollUp(business);
    await expectReports(business);
    expect(await findBreaches(server.database)).toEqual([]);
  },
  240_000,
);
