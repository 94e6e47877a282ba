/** A valid business with settlements of every kind, and changes that each break exactly one law about them. */
import type { Sql } from '../../src/database/database.js';
import { pay } from './payments.js';
import type { TestMerchant, TestServer } from './server.js';
import { fail, hold, listed, made, release } from './settlements.js';

/** The ids of the records that the laws of settlements cover. */
export interface ValidSettlements {
  readonly merchant: string;
  readonly location: string;
  readonly otherLocation: string;
  readonly sentSettlement: string;
  readonly failedSettlement: string;
  readonly returned: string;
  /** An adjustment in the same settlement as the sent one. */
  readonly adjusted: string;
  readonly held: string;
}

/** Creates a merchant with two settlements. One fails, and money is held and released. */
export async function createSettlementRecords(server: TestServer, merchant: TestMerchant): Promise<ValidSettlements> {
  const [location = '', otherLocation = ''] = merchant.locationIds;
  const [sent, failed] = (await listed(server, merchant, 'me/settlements')).map(({ id }) => id);
  if (sent === undefined || failed === undefined) throw new Error('there are no two settlements');
  made(await fail(server, merchant, failed));
  const [held, free] = [await pay(server, merchant), await pay(server, merchant)];
  for (const { id } of [held, free]) made(await hold(server, merchant, id, 300));
  made(await release(server, merchant, free.id));
  const { sql } = server.database;
  const [returned] = await sql<{ id: string }[]>`
    select movement_id as id from movements where merchant_id = ${merchant.id} and kind = 'RETURNED_PAYOUT'`;
  const [adjusted] = await sql<{ id: string }[]>`
    select movement_id as id from movements where settlement_id = ${sent} and kind = 'ADJUSTMENT'`;
  return {
    ...{ merchant: merchant.id, location, otherLocation, held: held.id },
    ...{ sentSettlement: sent, failedSettlement: failed },
    returned: returned?.id ?? '',
    adjusted: adjusted?.id ?? '',
  };
}

interface Break {
  readonly how: string;
  /** The row that the law must name. */
  readonly violatingRow: (sound: ValidSettlements) => string;
  readonly by: (sql: Sql, sound: ValidSettlements) => PromiseLike<unknown>;
}

const insertAdjustment = (sql: Sql, { merchant, location }: ValidSettlements) => sql`
  insert into movements (merchant_id, movement_id, location_id, kind, currency, amount, fee, occurred_at, reason)
  values (
    ${merchant}, 'BY-HAND', ${location}, 'ADJUSTMENT', 'USD', 5, 0, '2020-01-01T00:00:00Z'::text::timestamptz, 'by hand'
  )`;

export const SETTLEMENT_BREAKS: Readonly<Record<string, readonly Break[]>> = {
  'a settlement is the sum of its movements, all of its location and currency and before its close': [
    {
      how: 'its total is one too high',
      violatingRow: ({ sentSettlement }) => sentSettlement,
      by: (sql, { sentSettlement }) =>
        sql`update settlements set total = total + 1 where settlement_id = ${sentSettlement}`,
    },
    {
      how: 'one of its movements is not marked',
      violatingRow: ({ sentSettlement }) => sentSettlement,
      by: (sql, { adjusted }) => sql`update movements set settlement_id = null where movement_id = ${adjusted}`,
    },
    {
      how: 'one of its movements is at another location',
      violatingRow: ({ sentSettlement }) => sentSettlement,
      by: (sql, { adjusted, otherLocation }) => sql`
        update movements set location_id = ${otherLocation} where movement_id = ${adjusted}`,
    },
    {
      how: 'one of its movements is in another currency',
      violatingRow: ({ sentSettlement }) => sentSettlement,
      by: (sql, { adjusted }) => sql`update movements set currency = 'CAD' where movement_id = ${adjusted}`,
    },
    {
      how: 'one of its movements happened at its close',
      violatingRow: ({ sentSettlement }) => sentSettlement,
      by: (sql, { adjusted, sentSettlement }) => sql`
        update movements set occurred_at = (select initiated_at from settlements where settlement_id = ${sentSettlement})
        where movement_id = ${adjusted}`,
    },
    {
      how: 'a movement names an unknown settlement',
      violatingRow: () => 'BY-HAND',
      async by(sql, sound) {
        await insertAdjustment(sql, sound);
        await sql`update movements set settlement_id = 'nobody' where movement_id = 'BY-HAND'`;
      },
    },
  ],
  'a failed settlement returns its money once, and other settlements do not': [
    {
      how: 'a settlement with returned money has not failed',
      violatingRow: ({ returned }) => returned,
      by: (sql, { failedSettlement }) => sql`
        update settlements set status = 'SENT', failed_at = null, returned_movement_id = null
        where settlement_id = ${failedSettlement}`,
    },
    {
      how: 'a failed settlement returned nothing',
      violatingRow: ({ sentSettlement }) => sentSettlement,
      by: (sql, { sentSettlement }) => sql`
        update settlements set status = 'FAILED', failed_at = initiated_at, returned_movement_id = 'nobody'
        where settlement_id = ${sentSettlement}`,
    },
    {
      how: 'it returned one unit too little',
      violatingRow: ({ failedSettlement }) => failedSettlement,
      by: (sql, { returned }) => sql`update movements set amount = amount - 1 where movement_id = ${returned}`,
    },
    {
      how: 'it returned the money at another location',
      violatingRow: ({ failedSettlement }) => failedSettlement,
      by: (sql, { returned, otherLocation }) => sql`
        update movements set location_id = ${otherLocation} where movement_id = ${returned}`,
    },
  ],
  'an adjustment has a location of its merchant and a reason': [
    {
      how: 'it has no reason',
      violatingRow: ({ adjusted }) => adjusted,
      by: (sql, { adjusted }) => sql`update movements set reason = '' where movement_id = ${adjusted}`,
    },
    {
      how: 'its location does not exist',
      violatingRow: () => 'BY-HAND',
      by: (sql, sound) => insertAdjustment(sql, { ...sound, location: 'elsewhere' }),
    },
  ],
  'adjustments of owners are negative, and no adjustment exceeds the limit': [
    {
      how: 'an owner credited the next settlement',
      violatingRow: ({ adjusted }) => adjusted,
      by: (sql, { adjusted }) => sql`update adjustments set made_by = 'OWNER' where adjustment_id = ${adjusted}`,
    },
    {
      how: 'it exceeds the maximum',
      violatingRow: () => 'BY-HAND',
      async by(sql, sound) {
        await insertAdjustment(sql, sound);
        await sql`update movements set amount = 10000001 where movement_id = 'BY-HAND'`;
        await sql`
          insert into adjustments (merchant_id, adjustment_id, made_by, idempotency_key)
          values (${sound.merchant}, 'BY-HAND', 'OPERATOR', 'by hand')`;
      },
    },
  ],
  'the hold movements of a payment match its active holds': [
    {
      how: 'the hold exceeds its movement',
      violatingRow: ({ held }) => held,
      by: (sql, { held }) => sql`update holds set amount = amount + 1 where payment_id = ${held}`,
    },
    {
      how: 'a hold was released without a movement',
      violatingRow: ({ held }) => held,
      by: (sql, { held }) => sql`update holds set released_at = placed_at where payment_id = ${held}`,
    },
    {
      how: 'a movement belongs to no hold',
      violatingRow: ({ held }) => held,
      by: (sql, { held }) => sql`delete from holds where payment_id = ${held}`,
    },
  ],
  'a location with unsettled movements has a scheduled close': [
    {
      how: 'the close is missing',
      violatingRow: ({ location }) => location,
      by: (sql, { location }) => sql`delete from due_work where kind = 'CLOSE_DAY' and subject_id = ${location}`,
    },
  ],
  'a merchant with bank accounts has exactly one active account': [
    {
      how: 'it has no active account',
      violatingRow: ({ merchant }) => merchant,
      by: (sql, { merchant }) => sql`update bank_accounts set in_force = false where merchant_id = ${merchant}`,
    },
  ],
};
