/** `tillhouse adjustment create`: how an operator adjusts what a merchant is owed, in production too (decision 0101). */
import { nowOn } from '../base/clock.js';
import { type Call, DATA_FLAGS, readCall, refuseWords, toDataConfig, UsageError } from '../base/config.js';
import { realIds } from '../base/ids.js';
import { findMerchantWithLocations } from '../business/merchants/queries.js';
import { adjustBalance } from '../business/settlements/actions.js';
import { readAdjustment, toAdjustmentAnswer } from '../business/settlements/adjustments.view.js';
import { LONGEST_ADJUSTMENT_KEY, MOST_ADJUSTED } from '../business/settlements/model.js';
import type { Database } from '../database/database.js';
import { requireLocationInBody } from '../identity/locations.js';
import { actionOf, type Command, printHelp, required, withDatabase } from './command.js';

const FLAGS = {
  merchant: { value: 'ID', fallback: '', about: 'the merchant whose next settlement is adjusted' },
  location: { value: 'ID', fallback: '', about: 'the location that is settled; absent: the first one' },
  amount: {
    value: 'NUMBER',
    fallback: '',
    about: `in minor units such as cents, at most ${MOST_ADJUSTED}; --amount=-500 takes money`,
  },
  reason: { value: 'TEXT', fallback: '', about: 'why, at most 500 characters' },
  key: { value: 'TEXT', fallback: '', about: 'the same key and content again makes no second adjustment' },
  ...DATA_FLAGS,
} as const;

type AdjustmentCall = Call<typeof FLAGS>;

export const adjustment: Command = {
  name: 'adjustment',
  summary: 'adjust what a merchant is owed',
  async run(args) {
    const call = readCall(args, FLAGS);
    if (call.help) {
      return printHelp('adjustment create [flags]', 'Adjusts what a merchant is owed at its next settlement.', FLAGS);
    }
    actionOf(call, ['create']);
    refuseWords(call, 1);
    await withDatabase(toDataConfig(call.values), (database) => create(database, call), { makes: false });
  },
};

async function create(database: Database, { values }: AdjustmentCall): Promise<void> {
  const found = await findMerchantWithLocations(database.sql, required(values.merchant, 'merchant'));
  if (!found) throw new UsageError(`There is no merchant ${values.merchant}.`);
  const { merchant, locations } = found;
  const locationId = values.location || (locations[0]?.id ?? '');
  requireLocationInBody(found, locationId, 'location');
  const body = {
    idempotency_key: within(required(values.key, 'key'), 'key', LONGEST_ADJUSTMENT_KEY),
    location_id: locationId,
    amount_money: { amount: wholeNumber(required(values.amount, 'amount')) },
    reason: within(required(values.reason, 'reason'), 'reason', 500),
  };
  const given = readAdjustment(body, { currency: merchant.currency, madeBy: 'OPERATOR' });
  const books = { database, merchantId: merchant.id, ids: realIds, now: nowOn(merchant.clock) };
  const made = await adjustBalance(books, given);
  console.log(JSON.stringify(toAdjustmentAnswer(made), null, 2));
}

function wholeNumber(text: string): number {
  if (!/^-?\d{1,15}$/.test(text))
    throw new UsageError(`--amount must be a whole number of minor units, not '${text}'.`);
  return Number(text);
}

function within(text: string, flag: string, most: number): string {
  if (text.length > most) throw new UsageError(`--${flag} must have at most ${most} characters.`);
  return text;
}
