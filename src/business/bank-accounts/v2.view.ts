/** The v2 view of bank accounts. */
import { choice, Flag, model, optional, type Static, Type } from '../../api/wire.js';
import type { BankAccountType } from './model.js';
import type { BankAccountWithCountry } from './queries.js';

const TYPES = ['CHECKING', 'SAVINGS', 'INVESTMENT', 'OTHER', 'BUSINESS_CHECKING'] as const;

export const BankAccount = model('BankAccount', {
  id: Type.String(),
  account_number_suffix: Type.String(),
  country: Type.String(),
  currency: Type.String(),
  account_type: choice(TYPES),
  holder_name: Type.String(),
  primary_bank_identification_number: Type.String(),
  status: choice(['VERIFICATION_IN_PROGRESS', 'VERIFIED', 'DISABLED']),
  creditable: Flag,
  debitable: Flag,
  version: optional(Type.Integer()),
  bank_name: optional(Type.String()),
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
