/** Changes that break the laws of reports. */
import { realNow } from '../../src/base/clock.js';
import { updateRollUps } from '../../src/business/reports/queries.js';
import type { Sql } from '../../src/database/database.js';
import { pay, usd } from './payments.js';
import { ensureDefined } from './people.js';
import type { TestServer } from './server.js';

export interface ValidReports {
  /** A merchant with one sale, which is rolled up. */
  readonly reporter: string;
  /** The location and the day of the sale. */
  readonly reportedDay: string;
}

export async function createRolledUpDay(server: TestServer): Promise<ValidReports> {
  const merchant = await server.createMerchant({ clock: { now: '2020-02-26T10:00:00Z' } });
  await pay(server, merchant, { tip_money: usd(100) });
  await server.database.change(merchant.id, async (change) => updateRollUps(change, realNow()));
  return { reporter: merchant.id, reportedDay: `${ensureDefined(merchant.locationIds[0])} 2020-02-26` };
}

const reportedDay = (sound: ValidReports): string => sound.reportedDay;
const reporter = (sound: ValidReports): string => sound.reporter;

export const REPORT_BREAKS = {
  'the rolled-up total of a day is the sum of its sales and refunds': [
    {
      how: 'a fee is one too high',
      violatingRow: reportedDay,
      merchant: reporter,
      by: (sql: Sql, sound: ValidReports) => sql`
        update report_days set fee = fee + 1
        where merchant_id = ${sound.reporter} and dimension in ('TOTAL', 'HOUR', 'EMPLOYEE', 'TENDER')`,
    },
    {
      how: 'the day is missing',
      violatingRow: reportedDay,
      merchant: reporter,
      by: (sql: Sql, sound: ValidReports) => sql`delete from report_days where merchant_id = ${sound.reporter}`,
    },
  ],
  'the parts of a rolled-up day add up to its total': [
    {
      how: 'an hour has a sale too many',
      violatingRow: reportedDay,
      merchant: reporter,
      by: (sql: Sql, sound: ValidReports) => sql`
        update report_days set count = count + 1 where merchant_id = ${sound.reporter} and dimension = 'HOUR'`,
    },
    {
      how: 'the tenders are missing',
      violatingRow: reportedDay,
      merchant: reporter,
      by: (sql: Sql, sound: ValidReports) => sql`
        delete from report_days where merchant_id = ${sound.reporter} and dimension = 'TENDER'`,
    },
  ],
};
