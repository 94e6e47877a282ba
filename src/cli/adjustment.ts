/** `tillhouse adjustment create`: adjusts the amount that a merchant is owed, in production too (decision 0101). */

import { nowOn } from '../base/clock.js';
import { DATA_FLAGS, UsageError, type Values } from '../base/config.js';
import { realIds } from '../base/ids.js';
import { parseWholeNumber } from '../base/whole-number.js';
import { findMerchantWithLocations } from '../business/merchants/queries.js';
import { adjustBalance } from '../business/settlements/actions.js';
import { fromNewAdjustmentBody, toAdjustmentResponse } from '../business/settlements/adjustments.view.js';
import { MAX_ADJUSTMENT, MAX_ADJUSTMENT_KEY_LENGTH } from '../business/settlements/model.js';
import type { Database } from '../database/database.js';
import { requireLocationInBody } from '../identity/locations.js';
import { required, withDatabase } from './command.js';
import { command } from './declare.js';

const FLAGS = {
  merchant: { value: 'ID', fallback: '', about: 'the merchant whose next settlement is adjusted' },
  location: { value: 'ID', fallback: '', about: 'the location whose settlement is adjusted; default: the first one' },
  amount: {
    value: 'NUMBER',
    fallback: '',
    about: `in minor units such as cents, at most ${MAX_ADJUSTMENT}; a negative amount, such as --amount=-500, is deducted`,
  },
  reason: { value: 'TEXT', fallback: '', about: 'the reason, at most 500 characters' },
  key: {
    value: 'TEXT',
    fallback: '',
    about: 'idempotency key: a retry with the same key and content creates no second adjustment',
  },
  ...DATA_FLAGS,
} as const;

type AdjustmentValues = Values<typeof FLAGS>;

export const adjustment = command({
  name: 'adjustment',
  summary: 'adjust the amount that a merchant is owed',
  usage: 'create [flags]',
  about: 'Adjusts the amount of the next settlement of a merchant.',
  flags: FLAGS,
  actions: { create: undefined },
  run: ({ values }) => withDatabase(values, (database) => create(database, values)),
});

async function create(database: Database, values: AdjustmentValues): Promise<void> {
  const found = await findMerchantWithLocations(database.sql, required(values.merchant, 'merchant'));
  if (!found) throw new UsageError(`There is no merchant ${values.merchant}.`);
  const { merchant, locations } = found;
  const locationId = values.location || (locations[0]?.id ?? '');
  requireLocationInBody(found, locationId, 'location');
  const body = {
    idempotency_key: within(required(values.key, 'key'), 'key', MAX_ADJUSTMENT_KEY_LENGTH),
    location_id: locationId,
    amount_money: { amount: wholeNumber(required(values.amount, 'amount')) },
    reason: within(required(values.reason, 'reason'), 'reason', 500),
  };
  const requested = fromNewAdjustmentBody(body, { currency: merchant.currency, madeBy: 'OPERATOR' });
  const books = { database, merchantId: merchant.id, ids: realIds, now: nowOn(merchant.clock) };
  const created = await adjustBalance(books, requested);
  console.log(JSON.stringify(toAdjustmentResponse(created), null, 2));
}

function wholeNumber(text: string): number {
  const number = parseWholeNumber(text, { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });
  if (number === undefined) throw new UsageError(`--amount must be a whole number of minor units, not '${text}'.`);
  return number;
}

function within(text: string, flag: string, maxLength: number): string {
  if (text.length > maxLength) throw new UsageError(`--${flag} must have at most ${maxLength} characters.`);
  return text;
}
