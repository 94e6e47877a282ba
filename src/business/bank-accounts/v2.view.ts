/** The v2 view of bank accounts. */
import { about, Bool, choice, model, optional, type Static, Type } from '../../api/wire.js';
import type { BankAccountType } from './model.js';
import type { BankAccountWithCountry } from './queries.js';

const TYPES = ['CHECKING', 'SAVINGS', 'INVESTMENT', 'OTHER', 'BUSINESS_CHECKING'] as const;

export const BankAccount = model('BankAccount', {
  id: about('The id of the bank account.', Type.String()),
  account_number_suffix: about('The last few digits of the account number.', Type.String()),
  country: about('The country of the account, in two letters (ISO 3166).', Type.String()),
  currency: about('The currency of the account, in three letters.', Type.String()),
  account_type: about('The kind of account.', choice(TYPES)),
  holder_name: about('The name of the account holder.', Type.String()),
  primary_bank_identification_number: about(
    'The number that identifies the bank, for example its routing number.',
    Type.String(),
  ),
  status: about(
    'Whether the account was verified, or is no longer in use.',
    choice(['VERIFICATION_IN_PROGRESS', 'VERIFIED', 'DISABLED']),
  ),
  creditable: about('Whether payouts can go to the account.', Bool),
  debitable: about('Whether money can be taken from the account.', Bool),
  version: about('The number of changes of the account.', optional(Type.Integer())),
  bank_name: about('The name of the bank.', optional(Type.String())),
});

/** v2 has no type for loan accounts. */
function typeOf(type: BankAccountType): (typeof TYPES)[number] {
  return type === 'LOAN' ? 'OTHER' : type;
}

/**
 * An account belongs to the business, not to a location, so there is no `location_id` (decision 0036). It is debitable
 * because a negative settlement takes money from it.
 */
export function toBankAccount(account: BankAccountWithCountry): Static<typeof BankAccount> {
  return {
    id: account.id,
    account_number_suffix: account.accountNumberSuffix,
    country: account.country,
    currency: account.currency,
    account_type: typeOf(account.type),
    holder_name: account.name,
    primary_bank_identification_number: account.routingNumber,
    status: 'VERIFIED',
    creditable: true,
    debitable: true,
    version: 1,
    bank_name: account.bankName,
  };
}
